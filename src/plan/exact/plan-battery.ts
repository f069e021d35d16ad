import { hoursOf, type Interval } from "../../core/domain/interval.js";
import { type Action, explain, type StepReason } from "../explain.js";
import type { InverterFlows } from "../physics/inverter.js";
import { expectedTerminalValue } from "../terminal-value.js";
import type { PlanBatteryInput, PlannerBattery } from "./battery-input.js";
import { checkInput } from "./check-input.js";
import { type PlanProblem, solve } from "./solve.js";
import type { Step } from "./step.js";

export type { PlanBatteryInput, PlannerBattery };

export interface PlannedStep extends Interval, InverterFlows {
  /** Worth of one more stored kWh at the end of the step, ct. */
  valueCtKwh: number;
  action: Action;
  reason: StepReason;
}

export interface PlanBatteryResult {
  /** Money over the steps: import less export plus wear, ct. */
  costCt: number;
  /** costCt less the worth of the energy stored at the end, ct. */
  objectiveCt: number;
  /** No plan within the rules has a lower objective, ct. */
  boundCt: number;
  /** objectiveCt less boundCt: 0 up to rounding. */
  optimalityGapCt: number;
  /** Import over the limit that nothing could avoid, kWh; contained in the imports. */
  importLimitExceededKwh: number;
  steps: PlannedStep[];
}

/**
 * The exact least-cost plan of one battery for given prices, load and PV (dynamic programming on piecewise-linear value
 * functions, docs/planner.md). Throws a RangeError that names the first invalid field.
 *
 * @example
 * const plan = planBattery({
 *   start: new Date("2026-01-15T00:00:00Z"), stepMinutes: 60,
 *   importPriceCtKwh: [10, 40], exportPriceCtKwh: [5, 5], loadKwh: [0.5, 2], pvKwh: [0, 0],
 *   battery: { capacityKwh: 10, socKwh: 0, minSocKwh: 0, maxSocKwh: 10, maxChargePowerKw: 5,
 *     maxDischargePowerKw: 5, chargeEfficiency: 0.95, dischargeEfficiency: 0.95 },
 *   terminalValueCtKwh: 0,
 * });
 * plan.steps[0].action; // "grid_charge"
 */
export function planBattery(input: PlanBatteryInput): PlanBatteryResult {
  checkInput(input);
  const bounds = stepBounds(input.start, input.stepMinutes, input.importPriceCtKwh.length);
  const problem = problemOf(input, bounds);
  const solution = solve(problem);
  let socStartKwh = input.battery.socKwh;
  const steps = solution.steps.map((step, t): PlannedStep => {
    const { action, reason } = explain(problem, t, { ...step, hours: hoursOf(bounds[t]!) }, socStartKwh);
    socStartKwh = step.socEndKwh;
    // Written out: spreading 672 objects would take longer than solving for them.
    const { start, end } = bounds[t]!;
    return {
      start,
      end,
      chargeKwh: step.chargeKwh,
      dischargeKwh: step.dischargeKwh,
      importKwh: step.importKwh,
      exportKwh: step.exportKwh,
      curtailedKwh: step.curtailedKwh,
      socEndKwh: step.socEndKwh,
      valueCtKwh: step.valueCtKwh,
      action,
      reason,
    };
  });
  const { costCt, objectiveCt, boundCt, importLimitExceededKwh } = solution;
  return {
    costCt,
    objectiveCt,
    boundCt,
    optimalityGapCt: objectiveCt - boundCt,
    importLimitExceededKwh,
    steps,
  };
}

/** Steps on the UTC grid of `stepMinutes`; the first lasts from `start` to the next grid line. */
export function stepBounds(start: Date, stepMinutes: number, count: number): { start: Date; end: Date }[] {
  const stepMs = stepMinutes * 60_000;
  const grid = Math.floor(start.getTime() / stepMs) * stepMs;
  return Array.from({ length: count }, (_, t) => ({
    start: t === 0 ? start : new Date(grid + t * stepMs),
    end: new Date(grid + (t + 1) * stepMs),
  }));
}

function problemOf(input: PlanBatteryInput, bounds: { start: Date; end: Date }[]): PlanProblem {
  const { battery, grid = {} } = input;
  const hours = bounds.map(hoursOf);
  const steps = hours.map(
    (length, t): Step => ({
      importPriceCtKwh: input.importPriceCtKwh[t]!,
      exportPriceCtKwh: input.exportPriceCtKwh[t]!,
      loadKwh: input.loadKwh[t]!,
      pvKwh: input.pvKwh[t]!,
      maxChargeKwh: battery.maxChargePowerKw * length,
      minChargeKwh: (battery.minChargePowerKw ?? 0) * length,
      maxDischargeKwh: battery.maxDischargePowerKw * length,
      importLimitKwh: grid.importLimitKw === undefined ? Infinity : grid.importLimitKw * length,
      exportLimitKwh: grid.exportLimitKw === undefined ? Infinity : grid.exportLimitKw * length,
    }),
  );
  const rules = {
    chargeEfficiency: battery.chargeEfficiency,
    dischargeEfficiency: battery.dischargeEfficiency,
    wearCtKwh: battery.wearCtKwh ?? 0,
    gridChargeAllowed: battery.gridChargeAllowed ?? true,
    exportAllowed: battery.exportAllowed ?? true,
    curtailmentAllowed: grid.curtailmentAllowed ?? false,
  };
  const band = { minKwh: battery.minSocKwh, maxKwh: battery.maxSocKwh };
  const given = input.terminalValueCtKwh;
  const terminal =
    typeof given === "number"
      ? [{ kwh: Number.MAX_VALUE, ctKwh: given }]
      : (given ?? expectedTerminalValue(lastDay(steps, hours), rules, band));
  return { steps, rules, band, socKwh: battery.socKwh, terminal };
}

/** The steps of the last 24 hours, or all of a shorter horizon. */
function lastDay(steps: readonly Step[], hours: readonly number[]): Step[] {
  let from = steps.length;
  for (let sum = 0; from > 0 && sum < 24 - 1e-9; ) sum += hours[--from]!;
  return steps.slice(from);
}
