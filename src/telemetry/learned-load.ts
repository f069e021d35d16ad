import { DAY_MS, type EnergyStep, floorTo, HOUR_MS, QUARTER_MS } from "../core/domain/interval.js";
import { learnLoad } from "../forecast/load/learn-load.js";
import type { LoadModel } from "../forecast/load/load-model.js";
import { expectedLoad, type LoadProfile } from "../forecast/load/load-profile.js";

/** Days of measurements from which a load model is learned. */
export const LEARNING_DAYS = 70;
/** With fewer days measured, the load of the settings fills the time before the first measurement. */
const PRIOR_DAYS = 14;
/** Hours of measurement that have the same weight as the daily load of the settings. */
const LEVEL_PRIOR_HOURS = 12;
/** With less than a day of measurements nothing is learned. */
const LEAST_QUARTERS = 96;
/** Power above this multiple of the 98 % quantile, and above what a connection can carry, is a metering fault. */
const OUTLIER_FACTOR = 5;
const CONNECTION_KW = 15;

/** Energy of a quarter-hour. */
interface Quarter {
  start: Date;
  kwh: number;
}

/** Inputs besides the measurements. */
export interface LearningOptions {
  now: Date;
  zone: string;
  /** Load of the settings. */
  settings: LoadProfile;
}

/**
 * Learns the load of a site from measurements in order of time. Steps of many hours are distributed by the profile of
 * the settings. `apart`: quarter-hours of devices that are measured apart, by slot. Undefined until a day of measurements exists.
 */
export function learnSiteLoad(
  measured: readonly EnergyStep[],
  options: LearningOptions,
  apart: ReadonlyMap<number, readonly EnergyStep[]> = new Map(),
): LoadModel | undefined {
  const { now, zone } = options;
  const devices = [...apart].map(([slot, steps]) => ({
    slot,
    history: steps.map(({ start, kwh }) => ({ start, kwh: Math.max(0, kwh) })),
  }));
  return learnFrom(
    measured.flatMap((stretch) => quartersOf(stretch, options)),
    { now, zone, settings: options.settings, devices },
  );
}

/** Learns from quarter-hours in order of time. */
function learnFrom(
  measured: readonly Quarter[],
  { devices, ...options }: LearningOptions & { devices?: { slot: number; history: Quarter[] }[] },
): LoadModel | undefined {
  const quarters = plausible(measured);
  if (quarters.length < LEAST_QUARTERS) return undefined;
  const history = [...priorQuarters(quarters, options), ...quarters];
  return learnLoad({ history, ...(devices && { devices }), timeZone: options.zone, now: options.now });
}

/**
 * The load model as it would have been at past instants, learned once per UTC day; call it in order of time.
 * Undefined before a day is measured.
 */
export function rollingLoad(
  measured: readonly EnergyStep[],
  zone: string,
  settings: LoadProfile,
): (now: Date) => LoadModel | undefined {
  const ordered = [...measured].sort((a, b) => a.start.getTime() - b.start.getTime());
  // Worked out once: each is part of the models of 70 days.
  const quarters: Quarter[] = [];
  const firstQuarter = [0];
  for (const step of ordered) {
    for (const quarter of quartersOf(step, { zone, settings })) quarters.push(quarter);
    firstQuarter.push(quarters.length);
  }
  let from = 0;
  let to = 0;
  let learnedMs = Number.NaN;
  let model: LoadModel | undefined;
  return (at) => {
    const dayMs = floorTo(at.getTime(), DAY_MS);
    if (dayMs === learnedMs) return model;
    learnedMs = dayMs;
    const oldestMs = dayMs - LEARNING_DAYS * DAY_MS;
    while (from < ordered.length && ordered[from]!.start.getTime() < oldestMs) from++;
    while (to < ordered.length && ordered[to]!.end.getTime() <= dayMs) to++;
    const known = quarters.slice(firstQuarter[from], firstQuarter[Math.max(from, to)]);
    model = learnFrom(known, { now: new Date(dayMs), zone, settings });
    return model;
  };
}

/** Load of each quarter-hour from `from`, kWh; undefined unless the whole measured step is known. */
export function quarterLoad(
  measured: readonly EnergyStep[],
  from: Date,
  count: number,
): (number | undefined)[] {
  const load = new Array<number | undefined>(count);
  for (const { start, end, kwh } of measured) {
    const quarters = Math.round((end.getTime() - start.getTime()) / QUARTER_MS);
    if (quarters < 1 || quarters > 4) continue;
    const first = Math.round((start.getTime() - from.getTime()) / QUARTER_MS);
    for (let t = Math.max(0, first); t < Math.min(count, first + quarters); t++)
      load[t] = Math.max(0, kwh / quarters);
  }
  return load;
}

/** A measured step in quarter-hours: evenly up to one hour, else distributed by the profile of the settings. */
function quartersOf(
  { start, end, kwh }: EnergyStep,
  { zone, settings }: Omit<LearningOptions, "now">,
): Quarter[] {
  const count = Math.max(1, Math.round((end.getTime() - start.getTime()) / QUARTER_MS));
  const starts = Array.from({ length: count }, (_, k) => new Date(start.getTime() + k * QUARTER_MS));
  const weights = count <= 4 ? starts.map(() => 1) : profileKwh(starts, zone, settings);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return starts.map((at, k) => ({
    start: at,
    kwh: Math.max(0, total > 0 ? (kwh * weights[k]!) / total : kwh / count),
  }));
}

function profileKwh(starts: readonly Date[], zone: string, settings: LoadProfile): number[] {
  const intervals = starts.map((start) => ({ start, end: new Date(start.getTime() + QUARTER_MS) }));
  return expectedLoad(intervals, settings, zone);
}

/** The load of the settings before the first measurement, scaled to the measured level. */
function priorQuarters(
  quarters: readonly Quarter[],
  { zone, settings }: Omit<LearningOptions, "now">,
): Quarter[] {
  const count = PRIOR_DAYS * 96 - quarters.length;
  if (count <= 0) return [];
  const firstMs = floorTo(quarters[0]!.start.getTime(), HOUR_MS);
  const measuredKwh = quarters.reduce((sum, { kwh }) => sum + kwh, 0);
  const measuredHours = quarters.length / 4;
  const dailyKwh =
    (24 * (measuredKwh + (LEVEL_PRIOR_HOURS * settings.dailyKwh) / 24)) / (measuredHours + LEVEL_PRIOR_HOURS);
  const starts = Array.from({ length: count }, (_, k) => new Date(firstMs - (count - k) * QUARTER_MS));
  const kwh = profileKwh(starts, zone, { ...settings, dailyKwh });
  return starts.map((start, k) => ({ start, kwh: kwh[k]! }));
}

/** Removes metering faults, such as a counter that jumped or a defective sensor. */
function plausible(quarters: readonly Quarter[]): readonly Quarter[] {
  const energies = Float64Array.from(quarters, ({ kwh }) => kwh).sort();
  const usualPeakKwh = energies[Math.floor(0.98 * (energies.length - 1))] ?? 0;
  const mostKwh = Math.max(OUTLIER_FACTOR * usualPeakKwh, CONNECTION_KW / 4);
  if (!(usualPeakKwh > 0) || energies.at(-1)! <= mostKwh) return quarters;
  return quarters.filter(({ kwh }) => kwh <= mostKwh);
}
