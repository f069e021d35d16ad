import { floorTo, QUARTER_MS } from "../time/interval.js";
import type { TimedValue } from "./counter.js";
import type { Reading } from "./sample.js";

/** How long history keeps every reading as it came, days; after that, quarter-hour means. */
export const RAW_DAYS = 90;

const COUNTERS: ReadonlySet<Reading> = new Set<Reading>(["import_kwh", "export_kwh"]);

/**
 * What stays of the readings of one quarter-hour (at least one, in order of time) once they are old:
 * - powers and SOC: their mean, dated to the start of the quarter-hour;
 * - counters: the last reading, and both sides of every fall, so that the energy between what stays is what it was;
 * - `ev_connected`: the last reading, since half a plug means nothing.
 * Applied to its own result it changes nothing.
 */
export function thinQuarter(reading: Reading, readings: readonly TimedValue[]): TimedValue[] {
  const last = readings.at(-1);
  if (last === undefined) return [];
  if (reading === "ev_connected") return [last];
  if (COUNTERS.has(reading)) {
    return readings.filter(
      ({ value }, index) =>
        index === readings.length - 1 ||
        readings[index + 1]!.value < value ||
        (index > 0 && readings[index - 1]!.value > value),
    );
  }
  const start = new Date(floorTo(last.at.getTime(), QUARTER_MS));
  const mean = readings.reduce((sum, { value }) => sum + value, 0) / readings.length;
  return [{ at: start, value: mean }];
}
