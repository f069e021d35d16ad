import { hoursOf } from "../../core/domain/interval.js";
import { sumOfAll } from "../../core/numbers.js";
import type { ChosenSlot, ChosenWindow } from "./result.js";

/** Adjoining slots, which are in order of time, as windows in order of their mean import price. */
export function adjoining(slots: readonly ChosenSlot[]): ChosenWindow[] {
  const runs: ChosenSlot[][] = [];
  for (const slot of slots) {
    const run = runs.at(-1);
    if (run?.at(-1)?.end.getTime() === slot.start.getTime()) run.push(slot);
    else runs.push([slot]);
  }
  return runs
    .map((run) => ({
      rank: 0,
      start: run[0]!.start,
      end: run.at(-1)!.end,
      hours: sumOfAll(run.map(hoursOf)),
      averageCtKwh: meanImportCt(run)!,
      energyKwh: sumOfAll(run.map(({ energyKwh = 0 }) => energyKwh)),
      segment: undefined,
    }))
    .sort((a, b) => a.averageCtKwh - b.averageCtKwh)
    .map((window, index) => ({ ...window, rank: index + 1 }));
}

/** Mean import price of slots, ct/kWh; undefined without any. */
export function meanImportCt(slots: readonly ChosenSlot[]): number | undefined {
  return slots.length === 0
    ? undefined
    : sumOfAll(slots.map(({ importCtKwh }) => importCtKwh)) / slots.length;
}
