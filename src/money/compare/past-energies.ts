import type { PlantSettings } from "../../config/settings.js";
import {
  DAY_MS,
  type EnergyStep,
  floorTo,
  HOUR_MS,
  type Interval,
  QUARTER_MS,
} from "../../core/domain/interval.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { hourlyEnergies, learningFromJson } from "../../forecast/pv/learning.js";
import type { Store } from "../../store/store.js";
import { DailyHistory } from "../../telemetry/daily-history.js";
import { LEARNING_DAYS } from "../../telemetry/learned-load.js";
import { plausibleReadings } from "../../telemetry/plausible-history.js";
import { readingLimits } from "../../telemetry/reading-limits.js";
import type { HeldData } from "./past-site.js";

/** Days of telemetry that are read by default: the newest year, and what a load model learns from before it. */
export const DEFAULT_DAYS = 365 + LEARNING_DAYS;

/**
 * Load and PV that are stored of a plant while prices are known, from `from` (default: a year) and the days before it that a load
 * model learns from.
 */
export async function pastEnergies(
  store: Pick<Store, "samples" | "meter" | "documents">,
  plant: PlantSettings,
  { series, from }: { series: PriceSeries; from?: Date | undefined },
): Promise<Pick<HeldData, "measured" | "measuredPv" | "pvLearning">> {
  const endMs = floorTo(series.endMs, DAY_MS);
  const fromMs = from === undefined ? endMs - DEFAULT_DAYS * DAY_MS : from.getTime() - LEARNING_DAYS * DAY_MS;
  const startMs = Math.max(series.startMs, fromMs);
  return {
    measured: await measuredHistory(store, plant, startMs, endMs),
    measuredPv: await measuredPvOf(store, plant, startMs, endMs),
    pvLearning: learningFromJson(await store.documents.get(`pv/${plant.id}`)),
  };
}

/** The whole hours of which energies can be stored of a plant, by default those of the newest year. */
export async function pastStretch(
  { samples, meter }: Pick<Store, "samples" | "meter">,
  { id }: PlantSettings,
  from?: Date,
): Promise<Interval> {
  const imported = meter
    .list(id)
    .flatMap(({ series }) => series.map(({ lastStart }) => Date.parse(lastStart)));
  const read = Object.values(await samples.latest(id)).flatMap((reading) => reading?.at.getTime() ?? []);
  const endMs = Math.ceil(Math.max(0, ...imported.map((ms) => ms + QUARTER_MS), ...read) / HOUR_MS) * HOUR_MS;
  return { start: new Date((from?.getTime() ?? endMs) - DEFAULT_DAYS * DAY_MS), end: new Date(endMs) };
}

type PastStore = Pick<Store, "samples" | "meter">;

/** PV by imported quarter-hour, else by hour of telemetry. */
async function measuredPvOf(
  store: PastStore,
  plant: PlantSettings,
  fromMs: number,
  endMs: number,
): Promise<EnergyStep[]> {
  const { id: siteId } = plant;
  const limits = readingLimits(plant).get("pv_power_kw");
  const imported = await store.meter.energy(siteId, "generation", new Date(fromMs), new Date(endMs));
  if (imported.length > 0) return imported.map(({ start, end, kwh }) => ({ start, end, kwh }));
  if ((await store.samples.latest(siteId)).pv_power_kw === undefined) return [];
  const measured: EnergyStep[] = [];
  for (let dayMs = floorTo(fromMs, DAY_MS); dayMs < endMs; dayMs += DAY_MS) {
    const readings = await store.samples.range(
      siteId,
      "pv_power_kw",
      new Date(dayMs),
      new Date(dayMs + DAY_MS),
    );
    hourlyEnergies(plausibleReadings(readings, limits), dayMs, 24).forEach((kwh, hour) => {
      const startMs = dayMs + hour * HOUR_MS;
      if (kwh !== undefined) {
        measured.push({ start: new Date(startMs), end: new Date(startMs + HOUR_MS), kwh });
      }
    });
  }
  return measured;
}

async function measuredHistory(store: PastStore, plant: PlantSettings, fromMs: number, endMs: number) {
  const live = await store.samples.latest(plant.id);
  const history = new DailyHistory(
    {
      telemetry: { live: () => live, readings: (...range) => store.samples.range(...range) },
      meter: store.meter,
    },
    { id: plant.id, accountId: "", plant },
  );
  const measured: EnergyStep[] = [];
  for (let dayMs = floorTo(fromMs, DAY_MS); dayMs < endMs; dayMs += DAY_MS) {
    measured.push(...(await history.measured({ start: new Date(dayMs), end: new Date(dayMs + DAY_MS) })));
  }
  return measured;
}
