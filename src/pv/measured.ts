import type { TimedValue } from "../domain/counter.js";
import { HOUR_MS, MINUTE_MS } from "../domain/interval.js";

/** A power counts until the next one is told, but no longer than this. */
const HELD_MS = 15 * MINUTE_MS;
/** So much of an hour must be covered by readings for its energy to count. */
const LEAST_COVER = 0.8;

/** Energy of each whole hour from `startMs` on, kWh, from readings of a power in order of time; undefined where too few are. */
export function hourlyEnergies(
  readings: readonly TimedValue[],
  startMs: number,
  count: number,
): (number | undefined)[] {
  const energyKwh = new Array<number>(count).fill(0);
  const coverMs = new Array<number>(count).fill(0);
  readings.forEach(({ at, value }, index) => {
    const fromMs = at.getTime();
    const nextMs = readings[index + 1]?.at.getTime() ?? Number.POSITIVE_INFINITY;
    const toMs = Math.min(nextMs, fromMs + HELD_MS);
    const first = Math.max(0, Math.floor((fromMs - startMs) / HOUR_MS));
    for (let hour = first; hour < count && startMs + hour * HOUR_MS < toMs; hour++) {
      const hourMs = startMs + hour * HOUR_MS;
      const share = Math.max(0, Math.min(toMs, hourMs + HOUR_MS) - Math.max(fromMs, hourMs));
      energyKwh[hour]! += (Math.max(0, value) * share) / HOUR_MS;
      coverMs[hour]! += share;
    }
  });
  return energyKwh.map((kwh, hour) => {
    const cover = coverMs[hour]! / HOUR_MS;
    return cover >= LEAST_COVER ? kwh / cover : undefined;
  });
}
