import type { PlantSettings } from "../../config/settings.js";
import { DAY_MS, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { Store } from "../../store/store.js";
import { billedQuarters } from "../bill/billed-quarters.js";
import type { GridEnergies } from "./compare-tariff.js";
import { modelledPlant } from "./past-pv.js";
import { type HeldData, LEAST_MEASURED_DAYS, LONGEST_DAYS, measuredSite } from "./past-site.js";

/** Readings without which the household behind the meter is not known. */
export const MISSING_READINGS = ["pv", "battery"] as const;

export type MissingReading = (typeof MISSING_READINGS)[number];

/** What the meter of a site counted over a period, kWh by quarter-hour; 0 where nothing is known. */
export interface MeteredSite extends Interval {
  energy: GridEnergies;
  importKwh: number;
  exportKwh: number;
  /** Hours without a value of the import. */
  hoursMissing: number;
}

/** What the meter counted, and the readings that are missing to simulate the site. */
export type MeteredInstead = MeteredSite & { missing: readonly MissingReading[] };

/**
 * What is compared in place of the simulated site where the household behind the meter is not known, in the portal and on the command
 * line; undefined where it is known, or the meter has counted for less than 14 days. `hasPvFile`: the PV is known from elsewhere.
 */
export async function meteredInstead(
  store: Pick<Store, "samples" | "meter">,
  plant: PlantSettings,
  {
    held,
    wanted,
    hasPvFile = false,
  }: { held: HeldData; wanted: { from?: Date; to?: Date }; hasPvFile?: boolean },
): Promise<MeteredInstead | undefined> {
  const { series } = held;
  const site = measuredSite(held);
  const prices = { start: new Date(series.startMs), end: new Date(series.endMs) };
  const missing = await readingsMissed(store, plant, {
    measuresPv: hasPvFile || site.pv !== undefined,
    modelsPv: modelledPlant(plant, held, prices) !== undefined,
  });
  if (site.measured.length > 0 && missing.length === 0) return undefined;
  const metered = await meteredSite(store, plant, { series, ...wanted });
  return metered && { ...metered, missing };
}

/** The readings that are missing to know the household's load of a site: what PV and battery do behind the meter. */
async function readingsMissed(
  store: Pick<Store, "samples" | "meter">,
  plant: PlantSettings,
  { measuresPv, modelsPv }: { measuresPv: boolean; modelsPv: boolean },
): Promise<MissingReading[]> {
  const known = await store.samples.latest(plant.id);
  const knowsLoad = known.load_power_kw !== undefined;
  const hasPv = plant.pv.length > 0 || (known.export_kwh?.value ?? 0) > 0;
  const knowsBattery = known.battery_power_kw !== undefined || known.soc_pct !== undefined;
  return [
    ...(hasPv && !measuresPv && !(knowsLoad && modelsPv) ? (["pv"] as const) : []),
    ...(plant.battery !== null && !knowsLoad && !knowsBattery ? (["battery"] as const) : []),
  ];
}

/** Import and export of a site while prices are known, by default of the newest year; undefined for less than 14 days. */
async function meteredSite(
  store: Pick<Store, "samples" | "meter">,
  plant: PlantSettings,
  { series, from, to }: { series: PriceSeries; from?: Date | undefined; to?: Date | undefined },
): Promise<MeteredSite | undefined> {
  const endMs = Math.floor(Math.min(series.endMs, to?.getTime() ?? Infinity) / HOUR_MS) * HOUR_MS;
  const earliestMs = Math.max(series.startMs, from?.getTime() ?? endMs - LONGEST_DAYS * DAY_MS);
  const startMs = Math.ceil(earliestMs / HOUR_MS) * HOUR_MS;
  if (endMs <= startMs) return undefined;
  const stretch = { start: new Date(startMs), end: new Date(endMs) };
  const all = await billedQuarters(store, { id: plant.id, plant }, stretch);
  const first = all.findIndex(({ importKwh }) => importKwh !== undefined);
  const last = all.findLastIndex(({ importKwh }) => importKwh !== undefined);
  // Whole hours from the first value to the last one.
  const quarters = all.slice(Math.ceil(first / 4) * 4, Math.floor((last + 1) / 4) * 4);
  const known = quarters.filter(({ importKwh }) => importKwh !== undefined);
  if (first < 0 || known.length * QUARTER_MS < LEAST_MEASURED_DAYS * DAY_MS) return undefined;
  const importKwh = quarters.map((quarter) => quarter.importKwh ?? 0);
  const exportKwh = quarters.map((quarter) => quarter.exportKwh ?? 0);
  const sum = (values: readonly number[]) => values.reduce((all, kwh) => all + kwh, 0);
  const start = quarters[0]!.start;
  return {
    start,
    end: new Date(start.getTime() + quarters.length * QUARTER_MS),
    energy: { importKwh, exportKwh },
    importKwh: sum(importKwh),
    exportKwh: sum(exportKwh),
    hoursMissing: (quarters.length - known.length) / 4,
  };
}
