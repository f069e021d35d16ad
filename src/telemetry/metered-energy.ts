import type { EnergyStep, Interval } from "../domain/interval.js";
import type { MeterQuantity } from "../domain/meter.js";

/** Where imported quarter-hours come from. */
export interface MeteredSource {
  quantities(siteId: string): readonly MeterQuantity[];
  energy(siteId: string, quantity: MeterQuantity, from: Date, to: Date): Promise<EnergyStep[]>;
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
  { start, end }: Interval,
): Promise<MeteredEnergy> {
  const held = source.quantities(siteId);
  if (held.length === 0) return NOTHING_METERED;
  const read = (quantity: MeterQuantity) =>
    held.includes(quantity) ? source.energy(siteId, quantity, start, end) : Promise.resolve([]);
  const [load, total, residual, community, fed, delivered] = await Promise.all([
    read("load"),
    read("import"),
    read("residual"),
    read("community"),
    read("export"),
    read("delivered"),
  ]);
  const restDraw = held.includes("community") ? sumOf(residual, community) : residual;
  const feedIn = held.includes("delivered") ? sumOf(fed, delivered) : fed;
  return { load, gridImport: preferred(total, restDraw), gridExport: feedIn };
}

/** Sum of the quarter-hours that both know. */
function sumOf(a: readonly EnergyStep[], b: readonly EnergyStep[]): EnergyStep[] {
  const other = new Map(b.map(({ start, kwh }) => [start.getTime(), kwh]));
  return a.flatMap((step) => {
    const kwh = other.get(step.start.getTime());
    return kwh === undefined ? [] : [{ ...step, kwh: step.kwh + kwh }];
  });
}

/** The first series, and the second where the first knows nothing. */
function preferred(first: readonly EnergyStep[], second: readonly EnergyStep[]): EnergyStep[] {
  const known = new Set(first.map(({ start }) => start.getTime()));
  return [...first, ...second.filter(({ start }) => !known.has(start.getTime()))];
}
