import { type EnergyStep, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import type { MeterQuantity } from "../core/domain/meter.js";
import type { MeteredSpan } from "../store/meter-import.js";
import type { MeteredQuarter } from "../store/meter-shares.js";

/** Shares are final on this day of the following month (UTC), with a day of reserve. */
const FINAL_DAY = 17;
/** Shares of a file that names no community. */
const UNNAMED = "";

/**
 * The communities that a site is a member of at a time, by the spans of the published shares: not before the first one of each, and
 * not after its last one where the draw is known for longer than until the final shares of that time were due. Otherwise shares
 * after the last one are not published yet.
 */
function memberships(spans: readonly MeteredSpan[], lastKnownMs: number): (ms: number) => readonly string[] {
  const all = new Map<string, { firstMs: number; endMs: number }>();
  for (const { communities, firstMs, lastMs } of spans)
    for (const id of communities.length === 0 ? [UNNAMED] : communities) {
      const known = all.get(id);
      all.set(id, {
        firstMs: Math.min(firstMs, known?.firstMs ?? firstMs),
        endMs: Math.max(lastMs, known?.endMs ?? lastMs),
      });
    }
  const members = [...all].map(([id, { firstMs, endMs }]) => {
    const next = new Date(endMs + QUARTER_MS);
    const hasEnded = lastKnownMs >= Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, FINAL_DAY);
    return { id, firstMs, endMs: hasEnded ? endMs : Number.POSITIVE_INFINITY };
  });
  return (ms) => members.filter((one) => ms >= one.firstMs && ms <= one.endMs).map(({ id }) => id);
}

/** The shares of all communities of a quarter-hour, kWh; undefined while one of them is not published. */
function sharesOf(quarter: MeteredQuarter | undefined, members: readonly string[]): number | undefined {
  if (quarter === undefined) return members.length === 0 ? 0 : undefined;
  return isWhole(quarter, members) ? quarter.kwh : undefined;
}

/** Whether a value takes all communities into account; one that names none does. */
function isWhole({ communities }: MeteredQuarter, members: readonly string[]): boolean {
  return communities.length === 0 || members.every((id) => id === UNNAMED || communities.includes(id));
}

/** Where imported quarter-hours come from. */
export interface MeteredSource {
  quantities(siteId: string): readonly MeterQuantity[];
  /** First and last start of the imported values of a quantity, for each import. */
  spans(siteId: string, quantity: MeterQuantity): readonly MeteredSpan[];
  energy(siteId: string, quantity: MeterQuantity, from: Date, to: Date): Promise<readonly MeteredQuarter[]>;
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
  const lastOf = (...quantities: MeterQuantity[]) =>
    Math.max(0, ...quantities.flatMap((one) => source.spans(siteId, one)).map(({ lastMs }) => lastMs));
  const membersAt = memberships(source.spans(siteId, "community"), lastOf("import", "residual"));
  const suppliedAt = memberships(source.spans(siteId, "delivered"), lastOf("export"));
  const count = Math.floor((end.getTime() - start.getTime()) / QUARTER_MS);
  return Array.from({ length: count }, (_, index): JoinedQuarter => {
    const ms = start.getTime() + index * QUARTER_MS;
    const [members, supplied] = [membersAt(ms), suppliedAt(ms)];
    const total = drawn.get(ms)?.kwh;
    const left = residual.get(ms);
    const share = sharesOf(community.get(ms), members);
    // A rest that was calculated without the other communities says nothing of the share.
    const isRest = total !== undefined && left !== undefined && isWhole(left, members);
    const communityExportKwh = sharesOf(delivered.get(ms), supplied);
    const rest = fed.get(ms);
    const isKnown = rest !== undefined && (communityExportKwh !== undefined || rest.communities.length === 0);
    const residualExportKwh = isKnown ? restOf(rest, delivered.get(ms)) : undefined;
    return {
      start: new Date(ms),
      loadKwh: load.get(ms)?.kwh,
      importKwh: total ?? sum(left?.kwh, share),
      communityKwh: share ?? (isRest ? Math.max(0, total - left.kwh) : undefined),
      exportKwh: sum(residualExportKwh, communityExportKwh),
      residualExportKwh,
      communityExportKwh,
      isEstimated: Boolean(drawn.get(ms)?.isEstimated || left?.isEstimated),
    };
  });
}

/** The feed-in that is left, without what communities took that its file did not know. */
function restOf(rest: MeteredQuarter, delivered: MeteredQuarter | undefined): number {
  if (rest.communities.length === 0 || delivered === undefined) return rest.kwh;
  const others = (delivered.shares ?? [delivered]).filter(
    ({ communities }) => communities.length > 0 && !communities.some((id) => rest.communities.includes(id)),
  );
  return others.reduce((kwh, other) => Math.max(0, kwh - other.kwh), rest.kwh);
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
