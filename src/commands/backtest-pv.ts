import { DAY_MS, type EnergyStep, type Interval, QUARTER_MS } from "../domain/interval.js";
import { quarterLoad } from "../telemetry/learned-load.js";

/** Days that the expected PV energy is the mean of. */
const PERSISTENCE_DAYS = 7;

/**
 * PV of a file by quarter-hour from `start`, kWh, and the expectation of it at an instant, where past weather forecasts
 * are not held: the mean of the same quarter-hour of the seven days measured last. Nothing after the instant is used.
 */
export function recordedPv(pv: readonly EnergyStep[], start: Date, count: number) {
  const firstMs = start.getTime() - PERSISTENCE_DAYS * DAY_MS;
  const ahead = (PERSISTENCE_DAYS * DAY_MS) / QUARTER_MS;
  const measured = quarterLoad(pv, new Date(firstMs), ahead + count);
  const quarterAt = (at: Date) => Math.round((at.getTime() - firstMs) / QUARTER_MS);
  const expected = (now: number, quarter: number): number => {
    const days = Math.max(1, Math.ceil((quarter + 1 - now) / 96));
    const known = Array.from(
      { length: PERSISTENCE_DAYS },
      (_, day) => measured[quarter - 96 * (days + day)],
    ).filter((kwh) => kwh !== undefined);
    return known.reduce((sum, kwh) => sum + kwh, 0) / Math.max(1, known.length);
  };
  return {
    actualPvKwh: measured.slice(ahead).map((kwh) => kwh ?? 0),
    expectedPvKwh: (now: Date, steps: readonly Interval[]) =>
      steps.map((step) => {
        let kwh = 0;
        for (let quarter = quarterAt(step.start); quarter < quarterAt(step.end); quarter++)
          kwh += expected(quarterAt(now), quarter);
        return kwh;
      }),
  };
}
