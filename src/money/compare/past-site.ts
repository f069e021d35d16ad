import type { PlantSettings } from "../../config/settings.js";
import {
  DAY_MS,
  type EnergyStep,
  floorTo,
  HOUR_MS,
  type Interval,
  QUARTER_MS,
  quartersOf,
} from "../../core/domain/interval.js";
import { expectedLoad, type LoadProfile } from "../../forecast/load/load-profile.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { rollingForecast } from "../../forecast/price/rolling.js";
import type { PvLearning } from "../../forecast/pv/learning.js";
import type { WeatherSeries } from "../../forecast/weather/weather-series.js";
import type { SimulationInput } from "../../plan/simulate.js";
import { compileTariff } from "../../tariff/compile-tariff.js";
import { quarterLoad, rollingLoad } from "../../telemetry/learned-load.js";
import { modelledPlant, recordedPv, type SimulatedPv, weatherPv } from "./past-pv.js";

/** The default period: the newest year. */
export const LONGEST_DAYS = 365;
/** Shorter measurements are not used for a simulation. */
export const LEAST_MEASURED_DAYS = 14;

/** Stored prices and measurements that replay the past. */
export interface HeldData {
  series: PriceSeries;
  /** Origin of the prices as a phrase, for the report. */
  prices: string;
  /** Load measured by telemetry. */
  measured: EnergyStep[];
  /** PV measured by telemetry, or imported. */
  measuredPv: EnergyStep[];
  /** What the gateway learned of the plant's PV. */
  pvLearning: PvLearning;
  /** Weather of the file sources. */
  weather: WeatherSeries;
}

/** Load and PV of the simulated site; without measurements the load of the settings is used. */
export interface BacktestSite {
  measured: EnergyStep[];
  name: string;
  /** Measured PV energy; absent without PV. */
  pv?: { measured: EnergyStep[]; name: string };
}

/** Inputs of a backtest that its report names. */
export interface BacktestView {
  siteId: string;
  zone: string;
  /** Descriptions of prices and load. */
  prices: string;
  load: string;
  loadKwh: number;
  /** Origin of the PV, or "none". */
  pv: string;
  pvKwh: number;
  /** Hours without a measured load, for which the usual load was used. */
  loadHoursEstimated: number;
}

/** The stored load and PV, each only where it is long enough for a simulation; `measured` is empty otherwise. */
export function measuredSite({ measured, measuredPv }: HeldData): BacktestSite {
  const isLong = (steps: readonly EnergyStep[]) =>
    steps.reduce((sum, { start, end }) => sum + end.getTime() - start.getTime(), 0) >=
    LEAST_MEASURED_DAYS * DAY_MS;
  return {
    measured: isLong(measured) ? measured : [],
    name: "telemetry",
    ...(isLong(measuredPv) && { pv: { measured: measuredPv, name: "telemetry" } }),
  };
}

/** The hours with both prices and load within the requested period; by default the newest year. */
export function periodOf(
  wanted: { from?: Date; to?: Date },
  held: HeldData,
  site: BacktestSite,
  advice = "Choose --from and --to in this period.",
): Interval | string {
  const first = site.measured[0];
  const startMs = Math.max(held.series.startMs, first?.start.getTime() ?? 0);
  const endMs = Math.min(held.series.endMs, site.measured.at(-1)?.end.getTime() ?? Infinity);
  const toMs = floorTo(Math.min(endMs, wanted.to?.getTime() ?? Infinity), HOUR_MS);
  const fromMs =
    Math.ceil(Math.max(startMs, wanted.from?.getTime() ?? toMs - LONGEST_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS;
  if (toMs - fromMs >= DAY_MS) return { start: new Date(fromMs), end: new Date(toMs) };
  const iso = (ms: number) => new Date(ms).toISOString();
  return endMs > startMs
    ? `At least one day with both prices and load is needed; both exist from ${iso(startMs)} to ${iso(endMs)}. ${advice}`
    : "Prices and load do not overlap in time; use other files with --prices and --load.";
}

/** Input of the simulation of a plant over a period, and the description of it in the report. */
export function simulationOf(
  plant: PlantSettings,
  held: HeldData,
  { measured, name, pv }: BacktestSite,
  { start, end, stepMinutes }: Interval & { stepMinutes: 60 | 15 },
): { input: SimulationInput; view: BacktestView } {
  const { series, prices } = held;
  const { timezone: zone } = plant;
  const settings: LoadProfile = { dailyKwh: plant.load.daily_kwh, profile: plant.load.profile ?? undefined };
  const count = (end.getTime() - start.getTime()) / QUARTER_MS;
  const quarters = quartersOf({ start, end });
  const used = measured.length === 0 ? [] : quarterLoad(measured, start, count);
  const known = used.filter((kwh) => kwh !== undefined);
  const usedKwh = known.reduce((sum, kwh) => sum + kwh, 0);
  const usual = known.length > 0 ? { ...settings, dailyKwh: (96 * usedKwh) / known.length } : settings;
  const actualLoadKwh = expectedLoad(quarters, usual, zone).map((kwh, t) => used[t] ?? kwh);
  const simulatedPv = pvOf(plant, held, pv, { start, end });
  return {
    input: {
      plant,
      series,
      stepMinutes,
      from: start,
      to: end,
      tariff: plant.tariff ? compileTariff(plant.tariff, zone) : undefined,
      actualLoadKwh,
      ...simulatedPv?.pv,
      hoursAt: rollingForecast(series),
      ...(measured.length > 0 && { loadModelAt: rollingLoad(measured, zone, settings) }),
    },
    view: {
      siteId: plant.id,
      zone,
      prices,
      load: name,
      loadKwh: actualLoadKwh.reduce((sum, kwh) => sum + kwh, 0),
      pv: simulatedPv?.name ?? "none",
      pvKwh: simulatedPv?.pv.actualPvKwh.reduce((sum, kwh) => sum + kwh, 0) ?? 0,
      loadHoursEstimated: measured.length === 0 ? 0 : (count - known.length) / 4,
    },
  };
}

/** Measured PV, and what the arrays yield in the recorded weather; undefined with neither. */
function pvOf(
  plant: PlantSettings,
  held: HeldData,
  measured: BacktestSite["pv"],
  period: Interval,
): { pv: SimulatedPv; name: string } | undefined {
  const count = (period.end.getTime() - period.start.getTime()) / QUARTER_MS;
  const modelled = modelledPlant(plant, held, period);
  if (modelled === undefined) {
    return measured && { pv: recordedPv(measured.measured, period.start, count), name: measured.name };
  }
  const pv = weatherPv({ ...modelled, measured: measured?.measured ?? [] }, period.start, count);
  return { pv, name: measured?.name ?? "arrays of the settings and recorded weather" };
}
