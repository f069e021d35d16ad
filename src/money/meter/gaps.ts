import { DAY_MS, MINUTE_MS } from "../../core/domain/interval.js";
import type { MeterWarning } from "../../core/domain/meter.js";
import { localDate, VIENNA } from "../../core/time/zone.js";

/** A longer time without values is pointed out. */
const LONG_GAP_MS = 60 * DAY_MS;

/** Remarks about times without values between the first and the last one. */
export function gapWarnings(starts: Float64Array, stepMinutes: number): MeterWarning[] {
  const expected = (starts.at(-1)! - starts[0]!) / (stepMinutes * MINUTE_MS) + 1;
  const count = Math.round(expected - starts.length);
  const gap = longestGap(starts);
  return [...(count > 0 ? [{ code: "gaps", count } as const] : []), ...(gap === undefined ? [] : [gap])];
}

/** The longest time without values, if it suggests that files of different periods were put together. */
function longestGap(starts: Float64Array): MeterWarning | undefined {
  let at = 0;
  for (let index = 1; index < starts.length; index++)
    if (starts[index]! - starts[index - 1]! > (starts[at + 1] ?? 0) - (starts[at] ?? 0)) at = index - 1;
  const [fromMs, toMs] = [starts[at]!, starts[at + 1] ?? starts[at]!];
  if (toMs - fromMs < LONG_GAP_MS) return undefined;
  const dateOf = (ms: number) => localDate(new Date(ms), VIENNA);
  return { code: "long_gap", from: dateOf(fromMs), to: dateOf(toMs) };
}
