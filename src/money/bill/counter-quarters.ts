import type { TimedValue } from "../../core/domain/counter.js";
import { type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { counterSteps } from "../../telemetry/plausible-history.js";
import type { ReadingLimits } from "../../telemetry/reading-limits.js";

/**
 * Energy of the quarter-hours of a stretch on the UTC grid by the readings of a counter, kWh: evenly spread between readings
 * at most 65 minutes apart. A quarter-hour that they do not cover whole is undefined. Readings beyond `limits` are left out.
 */
export function counterQuarters(
  readings: readonly TimedValue[],
  stretch: Interval,
  limits?: ReadingLimits,
): (number | undefined)[] {
  const startMs = stretch.start.getTime();
  const count = Math.round((stretch.end.getTime() - startMs) / QUARTER_MS);
  const energy = new Float64Array(count);
  const coveredMs = new Float64Array(count);
  for (const { start, end, kwh, isLong } of counterSteps(readings, limits)) {
    if (isLong) continue;
    const lengthMs = end.getTime() - start.getTime();
    const first = Math.max(0, Math.floor((start.getTime() - startMs) / QUARTER_MS));
    for (let t = first; t < count && startMs + t * QUARTER_MS < end.getTime(); t++) {
      const from = Math.max(start.getTime(), startMs + t * QUARTER_MS);
      const to = Math.min(end.getTime(), startMs + (t + 1) * QUARTER_MS);
      if (to <= from) continue;
      energy[t]! += (kwh * (to - from)) / lengthMs;
      coveredMs[t]! += to - from;
    }
  }
  // A device's clock may be a second off.
  return Array.from(energy, (kwh, t) => (coveredMs[t]! >= QUARTER_MS - 2_000 ? kwh : undefined));
}
