import type { EnergyStep } from "../domain/interval.js";
import { DAY_MS, floorTo, HOUR_MS } from "../domain/interval.js";
import type { LoadProfile } from "../plan/load-profile.js";
import { LEARNING_DAYS, learnWeekProfile } from "./load-profile.js";

/**
 * What would have been learnt of a house at instants of the past: once a UTC day, from what was measured before it. To
 * be asked in order of time. Before a day's worth is measured it is what the settings say.
 */
export function rollingLoad(
  measured: readonly EnergyStep[],
  zone: string,
  settings: LoadProfile,
): (now: Date) => LoadProfile {
  const ordered = [...measured].sort((a, b) => a.start.getTime() - b.start.getTime());
  let from = 0;
  let to = 0;
  let learntMs = Number.NaN;
  let model = settings;
  return (now) => {
    const dayMs = floorTo(now.getTime(), DAY_MS);
    if (dayMs === learntMs) return model;
    learntMs = dayMs;
    const oldestMs = dayMs - LEARNING_DAYS * DAY_MS;
    while (from < ordered.length && ordered[from]!.start.getTime() < oldestMs) from++;
    while (to < ordered.length && ordered[to]!.end.getTime() <= dayMs) to++;
    const known = ordered.slice(from, Math.max(from, to));
    model = learnWeekProfile(known, { now: new Date(dayMs), zone, prior: settings }) ?? settings;
    return model;
  };
}

/** Use of each hour from `from` (a full hour), kWh; undefined where less than the whole hour was measured. */
export function hourlyUse(
  measured: readonly EnergyStep[],
  from: Date,
  count: number,
): (number | undefined)[] {
  const kwh = new Float64Array(count);
  const knownMs = new Float64Array(count);
  for (const { start, end, kwh: used } of measured) {
    const lengthMs = end.getTime() - start.getTime();
    const index = Math.floor((start.getTime() - from.getTime()) / HOUR_MS);
    if (lengthMs > HOUR_MS || index < 0 || index >= count) continue;
    kwh[index]! += used;
    knownMs[index]! += lengthMs;
  }
  return Array.from(kwh, (sum, index) => (knownMs[index] === HOUR_MS ? Math.max(0, sum) : undefined));
}
