import { HOUR_MS, hoursOf, type Interval, minutesUntil } from "../domain/interval.js";
import { hoursFor, isGridFed, planHash } from "./charge-runs.js";
import { dischargeCap } from "./discharge-cap.js";
import type { ScheduledStep } from "./plan-days.js";
import type { SiteInput } from "./site-input.js";
import type { ChargeRun, PlanScalars } from "./site-plan.js";
import type { PlanProblem } from "./solve.js";
import { actionRange } from "./step.js";

/** Energies below this are rounding, kWh. */
const TOLERANCE_KWH = 1e-6;

/** A solved schedule with what has been read off it already. */
interface ReadSchedule {
  steps: readonly ScheduledStep[];
  runs: readonly ChargeRun[];
  today: Interval;
  /** Where PV surplus begins to refill the battery, at most the end of today. */
  prefixEnd: Date;
}

/** The figures of a plan that hold now or stand for all of it. */
export function planScalars(
  input: SiteInput,
  problem: PlanProblem,
  { steps, runs, today, prefixEnd }: ReadSchedule,
): PlanScalars {
  const { battery, now, soc } = input;
  const first = steps[0]!;
  const chargingNow = isGridFed(first) && first.price.source === "day_ahead" && !soc.lost;
  const chargedBefore = (end: Date) =>
    steps
      .filter((step) => isGridFed(step) && step.price.start < end)
      .reduce((sum, step) => sum + step.chargeKwh, 0);
  const hours = (energyKwh: number) => hoursFor(energyKwh, battery.maxChargePowerKw);
  const energyChargeKwh = steps.filter(isGridFed).reduce((sum, step) => sum + step.chargeKwh, 0);
  const next = runs.find((run) => run.start > now);
  const cap = dischargeCap(input, capFacts(problem, steps, chargingNow));
  return {
    hoursNeeded: hours(energyChargeKwh),
    hoursNeededToday: hours(chargedBefore(today.end)),
    energyChargeKwh,
    prefixHoursNeededToday: hours(chargedBefore(prefixEnd)),
    prefixPeriodHoursToday: (prefixEnd.getTime() - now.getTime()) / HOUR_MS,
    prefixEnergyChargeKwh: chargedBefore(prefixEnd),
    chargeNow: chargingNow ? 1 : 0,
    chargeStopSocPct: chargeStopSocPct(input, steps, runs),
    dischargePowerKw: cap.powerKw,
    dischargeReason: cap.reason,
    // In the fail-safe nobody adapts the cap: the battery is on its own.
    adaptiveDischarge: !soc.lost,
    minSocPct: battery.minSocPct,
    chargePowerKw: chargingNow ? chargePowerKw(problem, steps) : 0,
    gridChargeAllowed: battery.gridChargeAllowed,
    planHash: planHash([...runs]),
    socAgeMinutes: soc.ageMinutes,
    socStale: soc.stale ?? false,
    minutesToChargeStart: chargingNow ? 0 : next === undefined ? -1 : minutesUntil(next.start, now),
    currentQuartile: input.currentQuartile,
    currentPriceCtKwh: first.price.importCtKwh,
  };
}

/**
 * Planned SOC at the end of the present run of charging, else the next; without any the upper end of the band, so that
 * a controller that heeds it for PV too is not held back.
 */
function chargeStopSocPct(
  input: SiteInput,
  steps: readonly ScheduledStep[],
  runs: readonly ChargeRun[],
): number {
  const end = runs[0]?.end;
  const last =
    end === undefined ? undefined : steps.find((step) => step.price.end.getTime() === end.getTime());
  return last?.socEndPct ?? input.battery.maxSocPct;
}

/**
 * Power while charging: the full power in the last step of a run, where being done early harms nobody; the planned one
 * where dearer steps of a run are to carry only a part, or where PV surplus would be lost by charging fast.
 */
function chargePowerKw(problem: PlanProblem, steps: readonly ScheduledStep[]): number {
  const first = steps[0]!;
  const hours = hoursOf(first.price);
  const planned = first.chargeKwh / hours;
  const runGoesOn = steps[1] !== undefined && isGridFed(steps[1]);
  const surplusLost = steps
    .slice(0, steps.findIndex((step) => !isGridFed(step)) + 1)
    .some((step) => step.flows.curtailedKwh > TOLERANCE_KWH);
  if (runGoesOn || surplusLost) return planned;
  const rules = { ...problem.rules, breachPenaltyCtKwh: 0 };
  return Math.max(planned, actionRange(problem.steps[0]!, rules).highest / hours);
}

function capFacts(
  problem: PlanProblem,
  steps: readonly ScheduledStep[],
  chargingNow: boolean,
): Parameters<typeof dischargeCap>[1] {
  const first = steps[0]!;
  const stepHours = hoursOf(first.price);
  // The block that is running is not the next one: what comes after it decides whether to keep the reserve.
  const afterThisBlock = Math.max(
    0,
    steps.findIndex((step) => !step.worthUsing),
  );
  const nextBlock = steps.findIndex((step, t) => t >= afterThisBlock && step.worthUsing);
  const untilThen = nextBlock < 0 ? steps : steps.slice(0, nextBlock);
  const wanted = Math.min(problem.steps[0]!.maxDischargeKwh, Math.max(0, first.loadKwh - first.pvKwh));
  return {
    chargingNow,
    action: first.action,
    givesLittle: first.heldBack && first.flows.dischargeKwh < wanted / 2,
    heldBack: first.heldBack,
    loadPowerKw: first.loadKwh / stepHours,
    rechargeBeforeNextDearBlock: untilThen.some((step) => step.chargeKwh > TOLERANCE_KWH),
  };
}
