import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { RawRow } from "./rows.js";

/** Energy or power of intervals falls within so long a time: at night, in the evening. */
const LEAST_SPAN_MS = 20 * HOUR_MS;
const LEAST_RISES = 12;

/** Rows with the instants of their readings. */
export interface ReadRows {
  rows: readonly RawRow[];
  ms: Float64Array;
  /** 1 where clocks never showed the time. */
  skipped: Uint8Array;
}

/** Whether values are counter readings: they rise for most of a day, to `least` at least, and never fall. */
export function areReadings({ rows, ms }: ReadRows, least: number): boolean {
  const order = inOrder(ms).filter((index) => rows[index]!.value !== undefined);
  if (order.length < LEAST_RISES || ms[order.at(-1)!]! - ms[order[0]!]! < LEAST_SPAN_MS) return false;
  let rises = 0;
  for (let at = 1; at < order.length; at++) {
    const step = rows[order[at]!]!.value! - rows[order[at - 1]!]!.value!;
    if (step < 0) return false;
    if (step > 0) rises++;
  }
  return rises >= LEAST_RISES && rows[order.at(-1)!]!.value! >= least;
}

/**
 * The energy from each reading to the next one a step later; none where that one is missing or less, as after a change of the meter.
 * Readings within the quarter-hours are not needed.
 */
export function differencesOf(read: ReadRows, stepMinutes: number): ReadRows & { stepMinutes: number } {
  const usedMinutes = 15 % stepMinutes === 0 ? 15 : stepMinutes;
  const stepMs = usedMinutes * 60_000;
  const order = inOrder(read.ms).filter(
    (index) => stepMinutes === usedMinutes || read.ms[index]! % QUARTER_MS === 0,
  );
  const known = new Map<number, RawRow>();
  for (const index of order) if (!known.has(read.ms[index]!)) known.set(read.ms[index]!, read.rows[index]!);
  const starts = [...known.keys()].slice(0, -1);
  const rows = starts.map((startMs): RawRow => {
    const [from, to] = [known.get(startMs)!, known.get(startMs + stepMs)];
    const kwh = from.value === undefined || to?.value === undefined ? undefined : to.value - from.value;
    const isFall = kwh !== undefined && kwh < 0;
    return {
      ms: from.ms,
      isUtc: from.isUtc,
      value: isFall ? undefined : kwh,
      isEstimated: !isFall && kwh !== undefined && (from.isEstimated || to!.isEstimated),
    };
  });
  return {
    rows,
    ms: Float64Array.from(starts),
    skipped: new Uint8Array(rows.length),
    stepMinutes: usedMinutes,
  };
}

/** Indexes by their instants. */
function inOrder(ms: Float64Array): number[] {
  return [...ms.keys()].sort((a, b) => ms[a]! - ms[b]!);
}
