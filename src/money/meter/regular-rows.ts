import type { MeterWarning } from "../../core/domain/meter.js";
import type { ReadRows } from "./counter-readings.js";
import { summedRows, sumStep, USABLE_STEPS } from "./finer-steps.js";
import { withoutHours } from "./hour-rows.js";

/** Rows of one usable step. */
export interface RegularRows extends ReadRows {
  stepMinutes: number;
  /** Times are the ends of the intervals. */
  isEnd: boolean;
  warnings: MeterWarning[];
}

/** Rows of 15, 30 or 60 minutes, of rows with a finer step or with hours among them; undefined for any other step. */
export function regularRows(
  read: ReadRows & { stepMinutes: number },
  { isEnd, isPower }: { isEnd: boolean; isPower: boolean },
): RegularRows | undefined {
  const { stepMinutes } = read;
  if (!USABLE_STEPS.includes(stepMinutes)) {
    const toMinutes = sumStep(stepMinutes);
    if (toMinutes === undefined) return undefined;
    const summed = summedRows(read, { fromMinutes: stepMinutes, toMinutes, isEnd, isPower });
    const warnings: MeterWarning[] = [{ code: "summed", minutes: stepMinutes, toMinutes }];
    return summed && { ...summed, stepMinutes: toMinutes, isEnd: false, warnings };
  }
  if (stepMinutes !== 15) return { ...read, isEnd, warnings: [] };
  const { hours, ...rows } = withoutHours(read, { isEnd, isPower });
  return { ...rows, stepMinutes, isEnd, warnings: hours === 0 ? [] : [{ code: "hours", count: hours }] };
}
