import type { BatteryMode } from "../core/domain/battery.js";
import { floorTo, HOUR_MS } from "../core/domain/interval.js";
import { sumBy } from "../core/numbers.js";
import { localDate } from "../core/time/zone.js";
import { type ChargeStep, hoursFor, isGridFed } from "./charge-runs.js";
import type { Flows } from "./exact/step.js";
import type { Action } from "./explain.js";
import type { SiteInput } from "./site-input.js";
import type { PlanDay, PlanHour } from "./site-plan.js";

/** One step of the finished schedule. */
export interface ScheduledStep extends ChargeStep {
  flows: Flows;
  action: Action;
  mode: BatteryMode;
  socEndPct: number;
  socP10Pct: number;
  socP90Pct: number;
  /** Discharging into the step's load earns more than refilling costs. */
  worthUsing: boolean;
  /** The load is not served although that is worth its cost, or because energy is kept for more expensive hours. */
  uncovered: boolean;
}

/** Consecutive items with the same key. */
function groupBy<T>(items: readonly T[], key: (item: T) => string | number): T[][] {
  const groups: T[][] = [];
  let current: string | number | undefined;
  for (const item of items) {
    const next = key(item);
    if (groups.length === 0 || next !== current) groups.push([]);
    groups.at(-1)!.push(item);
    current = next;
  }
  return groups;
}

/** The schedule by local day and, within it, by hour, with the saving of each day, EUR. */
export function planDays(
  steps: readonly ScheduledStep[],
  input: SiteInput,
  savingByDay: Readonly<Record<string, number>>,
): PlanDay[] {
  let socStartPct = input.soc.pct;
  return groupBy(steps, (step) => localDate(step.price.start, input.zone)).map((day): PlanDay => {
    const charging = day.filter(isGridFed);
    const energyChargeKwh = sumBy(charging, (step) => step.chargeKwh);
    const date = localDate(day[0]!.price.start, input.zone);
    const costEur = sumBy(day, (step) => step.flows.costCt) / 100;
    const planned: PlanDay = {
      date,
      hoursNeeded: hoursFor(energyChargeKwh, input.battery.maxChargePowerKw),
      energyChargeKwh,
      loadKwh: sumBy(day, (step) => step.loadKwh),
      pvKwh: sumBy(day, (step) => step.pvKwh),
      importKwh: sumBy(day, (step) => step.flows.importKwh),
      exportKwh: sumBy(day, (step) => step.flows.exportKwh),
      socStartPct,
      socEndPct: day.at(-1)!.socEndPct,
      socMinPct: Math.min(socStartPct, ...day.map((step) => step.socEndPct)),
      costEur,
      baselineCostEur: costEur + (savingByDay[date] ?? 0),
      cover: day.some((step) => step.uncovered) ? "unsatisfied" : "satisfied",
      hours: groupBy(day, (step) => floorTo(step.price.start.getTime(), HOUR_MS)).map(planHour),
    };
    socStartPct = planned.socEndPct;
    return planned;
  });
}

function planHour(steps: readonly ScheduledStep[]): PlanHour {
  const first = steps[0]!;
  const last = steps.at(-1)!;
  const lengthMs = (step: ScheduledStep) => step.price.end.getTime() - step.price.start.getTime();
  const totalMs = sumBy(steps, lengthMs);
  const mean = (value: (step: ScheduledStep) => number) =>
    sumBy(steps, (step) => value(step) * lengthMs(step)) / totalMs;
  // The step with the most energy determines mode, action and reason of the hour.
  const busiest = steps.reduce((most, step) =>
    step.chargeKwh + step.flows.dischargeKwh > most.chargeKwh + most.flows.dischargeKwh ? step : most,
  );
  return {
    start: first.price.start,
    end: last.price.end,
    priceCtKwh: mean((step) => step.price.priceCtKwh),
    totalCtKwh: mean((step) => step.price.importCtKwh),
    source: first.price.source,
    loadKwh: sumBy(steps, (step) => step.loadKwh),
    pvKwh: sumBy(steps, (step) => step.pvKwh),
    chargeKwh: sumBy(steps, (step) => step.chargeKwh),
    dischargeKwh: sumBy(steps, (step) => step.flows.dischargeKwh),
    importKwh: sumBy(steps, (step) => step.flows.importKwh),
    exportKwh: sumBy(steps, (step) => step.flows.exportKwh),
    socEndPct: last.socEndPct,
    socP10Pct: last.socP10Pct,
    socP90Pct: last.socP90Pct,
    mode: busiest.mode,
    action: busiest.action,
    reason: busiest.reason,
  };
}
