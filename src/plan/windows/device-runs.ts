import type { Interval } from "../../core/domain/interval.js";
import type { ChosenSlot, ChosenWindow } from "./result.js";
import type { SlotPlan } from "./slot-schedule.js";

/** The planned runs of a device that end after `now` and begin before `end`. */
export function deviceRuns({ result, later, plugged }: SlotPlan, now: Date, end: Date): ChosenWindow[] {
  if (plugged === 0 || result === undefined) return [];
  return [result, ...later]
    .flatMap(({ windows }) => windows)
    .filter((window) => window.end > now && window.start < end)
    .sort((a, b) => a.start.getTime() - b.start.getTime());
}

/** The chosen slots of runs of a device. */
export function slotsOfRuns({ result, later }: SlotPlan, runs: readonly Interval[]): ChosenSlot[] {
  return [result, ...later]
    .flatMap((one) => one?.slots ?? [])
    .filter(({ start, end }) => runs.some((run) => start >= run.start && end <= run.end));
}

/** Energy that a text with one decimal shows. */
const LEAST_SHOWN_KWH = 0.05;

/** Energy of runs of a device and the part that the expected PV surplus covers, kWh; undefined if it is not known, or none. */
export function coveredBySurplus(
  plan: SlotPlan,
  runs: readonly Interval[],
): { energyKwh: number; surplusKwh: number } | undefined {
  const sums = { energyKwh: 0, surplusKwh: 0 };
  for (const { energyKwh, surplusKwh } of slotsOfRuns(plan, runs)) {
    if (energyKwh === undefined || surplusKwh === undefined) return undefined;
    sums.energyKwh += energyKwh;
    sums.surplusKwh += surplusKwh;
  }
  return sums.surplusKwh < LEAST_SHOWN_KWH ? undefined : sums;
}
