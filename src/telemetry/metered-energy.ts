import { type EnergyStep, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import type { MeterQuantity } from "../core/domain/meter.js";

/** Where imported quarter-hours come from. */
export interface MeteredSource {
  quantities(siteId: string): readonly MeterQuantity[];
  /** First and last start of the imported values of a quantity; undefined without any. */
  span(siteId: string, quantity: MeterQuantity): { firstMs: number; lastMs: number } | undefined;
  energy(
    siteId: string,
    quantity: MeterQuantity,
    from: Date,
    to: Date,
  ): Promise<readonly (EnergyStep & { isEstimated: boolean })[]>;
}

/** What the imports know of a quarter-hour, kWh; undefined: nothing. */
export interface JoinedQuarter {
  start: Date;
  /** Own load of the home. */
  loadKwh: number | undefined;
  /** Draw from the grid, what an energy community covered included. */
  importKwh: number | undefined;
  /** Part of the draw that the community covered. Shares are published days later: until then undefined, not 0. */
  communityKwh: number | undefined;
  /** Energy fed in, what the community took included; undefined while its part is not published. */
  exportKwh: number | undefined;
  /** Energy fed in without what the community took, and that. */
  residualExportKwh: number | undefined;
  communityExportKwh: number | undefined;
  /** The grid operator estimated the draw. */
  isEstimated: boolean;
}

/** The imports of a site joined by quarter-hour of a stretch. Throws StoreError. */
export async function meteredQuarters(
  source: MeteredSource,
  siteId: string,
  { start, end }: Interval,
): Promise<JoinedQuarter[]> {
  const held = source.quantities(siteId);
  const read = async (quantity: MeterQuantity) => {
    const values = held.includes(quantity) ? await source.energy(siteId, quantity, start, end) : [];
    return new Map(values.map((value) => [value.start.getTime(), value]));
  };
  const [load, drawn, residual, community, fed, delivered] = await Promise.all([
    read("load"),
    read("import"),
    read("residual"),
    read("community"),
    read("export"),
    read("delivered"),
  ]);
  const lastDrawMs = Math.max(
    ...(["import", "residual"] as const).map((one) => source.span(siteId, one)?.lastMs ?? 0),
  );
  const isMember = membership(source.span(siteId, "community"), lastDrawMs);
  const delivers = membership(source.span(siteId, "delivered"), source.span(siteId, "export")?.lastMs ?? 0);
  const count = Math.floor((end.getTime() - start.getTime()) / QUARTER_MS);
  return Array.from({ length: count }, (_, index): JoinedQuarter => {
    const ms = start.getTime() + index * QUARTER_MS;
    const total = drawn.get(ms)?.kwh;
    const left = residual.get(ms)?.kwh;
    const covered = community.get(ms)?.kwh;
    const rest = total !== undefined && left !== undefined ? total - left : isMember(ms) ? undefined : 0;
    const share = covered ?? (isMember(ms) ? undefined : 0);
    const residualExportKwh = fed.get(ms)?.kwh;
    const communityExportKwh = delivered.get(ms)?.kwh ?? (delivers(ms) ? undefined : 0);
    return {
      start: new Date(ms),
      loadKwh: load.get(ms)?.kwh,
      importKwh: total ?? sum(left, share),
      communityKwh: covered ?? rest,
      exportKwh: sum(residualExportKwh, communityExportKwh),
      residualExportKwh,
      communityExportKwh,
      isEstimated: Boolean(drawn.get(ms)?.isEstimated || residual.get(ms)?.isEstimated),
    };
  });
}

/** Shares are final on this day of the following month (UTC), with a day of reserve. */
const FINAL_DAY = 17;

/**
 * Whether a site is a member of a community at a time, by the span of the published shares: not before the first one, and not after
 * the last one where the draw is known for longer than until the final shares of that time were due. Otherwise shares after the last
 * one are not published yet.
 */
function membership(
  span: { firstMs: number; lastMs: number } | undefined,
  lastKnownMs: number,
): (ms: number) => boolean {
  if (span === undefined) return () => false;
  const next = new Date(span.lastMs + QUARTER_MS);
  const hasEnded = lastKnownMs >= Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, FINAL_DAY);
  return (ms) => ms >= span.firstMs && (ms <= span.lastMs || !hasEnded);
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

/** Imported quarter-hours of a stretch. */
export interface MeteredEnergy {
  /** Own load of the home. */
  load: EnergyStep[];
  /** Draw from the grid, the share of an energy community included. */
  gridImport: EnergyStep[];
  /** Energy fed in. */
  gridExport: EnergyStep[];
}

export const NOTHING_METERED: MeteredEnergy = { load: [], gridImport: [], gridExport: [] };

/** The imported energy of a site in a stretch. Throws StoreError. */
export async function meteredEnergy(
  source: MeteredSource,
  siteId: string,
  stretch: Interval,
): Promise<MeteredEnergy> {
  if (source.quantities(siteId).length === 0) return NOTHING_METERED;
  const quarters = await meteredQuarters(source, siteId, stretch);
  const known = (value: (quarter: JoinedQuarter) => number | undefined): EnergyStep[] =>
    quarters.flatMap((quarter) => {
      const kwh = value(quarter);
      const end = new Date(quarter.start.getTime() + QUARTER_MS);
      return kwh === undefined ? [] : [{ start: quarter.start, end, kwh }];
    });
  return {
    load: known(({ loadKwh }) => loadKwh),
    gridImport: known(({ importKwh }) => importKwh),
    gridExport: known(({ exportKwh }) => exportKwh),
  };
}
