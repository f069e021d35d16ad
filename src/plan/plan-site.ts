import { HOUR_MS, type Interval } from "../time/interval.js";
import { dayOf, localDate } from "../time/zone.js";
import { baseline } from "./baseline.js";
import { type ChargeStep, chargeRuns, clipRuns, hoursFor, isGridFed, planHash } from "./charge-runs.js";
import { dischargeCap } from "./discharge-cap.js";
import { explain } from "./explain.js";
import { incumbentOf } from "./incumbent.js";
import { planDays, type ScheduledStep } from "./plan-days.js";
import type { SiteInput } from "./site-input.js";
import type { ChargeRun, PlanScalars, SitePlan } from "./site-plan.js";
import { type Problem, type Solution, type SolvedStep, solve } from "./solve.js";
import { actionRange, type Flows, type Step } from "./step.js";
import { expectedTerminalValue, type TerminalTranche, terminalWorthCt } from "./terminal-value.js";

/** Energies below this are rounding, kWh. */
const TOLERANCE_KWH = 1e-6;

/**
 * The plan of a site: the exact least-cost schedule (docs/planner.md) and everything that is read off it. Pure: the
 * same input gives the same plan, but for `solver.ms`, which `stopwatch` (ms) measures.
 */
export function planSite(input: SiteInput, stopwatch: () => number = () => 0): SitePlan {
  const startedMs = stopwatch();
  const asked = siteProblem(input);
  const incumbent = incumbentOf(input, asked);
  const problem: Problem = { ...asked, ...(incumbent !== undefined && { incumbent }) };
  const solution = solve(problem);
  const solverMs = stopwatch() - startedMs;

  const without = baselineOf(problem);
  const steps = schedule(input, problem, solution, without.flows);
  const today = dayOf(input.now, input.zone);
  const prefixEnd = prefixEndOf(steps, today.end);
  const runs = chargeRuns(steps, input, prefixEnd);
  const days = planDays(steps, input);
  const costEur = days.reduce((sum, day) => sum + day.costEur, 0);
  const baselineEur = days.reduce((sum, day) => sum + day.baselineCostEur, 0);
  return {
    siteId: input.siteId,
    issuedAt: input.now,
    scalars: scalarsOf(input, problem, steps, runs, today, prefixEnd),
    chargeHours: runs,
    chargeHoursToday: clipRuns(runs, today),
    days,
    steps: steps.map(({ price, action, socEndPct, heldBack }) => ({
      heldBack,
      start: price.start,
      end: price.end,
      action,
      socEndPct,
    })),
    savingsEur: baselineEur - costEur,
    savingsStoredEur:
      (terminalWorthCt(problem.terminal, solution.steps.at(-1)?.socEndKwh ?? problem.socKwh) -
        terminalWorthCt(problem.terminal, without.socEndKwh)) /
      100,
    horizonBinding: horizonBinding(asked, steps, today),
    solver: { objectiveEur: solution.objectiveCt / 100, boundEur: solution.boundCt / 100, ms: solverMs },
    material: false,
  };
}

/** The planning problem of a site in the units of the solver. */
export function siteProblem({
  battery,
  grid,
  prices,
  loadKwh,
  pvKwh,
  soc,
  dischargeLimitKwh,
}: SiteInput): Problem {
  const share = (pct: number) => (battery.capacityKwh * pct) / 100;
  const steps = prices.map((price, t): Step => {
    const hours = hoursOf(price);
    return {
      importPriceCtKwh: price.importCtKwh,
      exportPriceCtKwh: price.exportCtKwh,
      loadKwh: loadKwh[t] ?? 0,
      pvKwh: pvKwh[t] ?? 0,
      maxChargeKwh: battery.maxChargePowerKw * hours,
      minChargeKwh: 0,
      maxDischargeKwh: Math.min(battery.maxDischargePowerKw * hours, dischargeLimitKwh?.[t] ?? Infinity),
      importLimitKwh: grid.importLimitKw === undefined ? Infinity : grid.importLimitKw * hours,
      exportLimitKwh: grid.exportLimitKw === undefined ? Infinity : grid.exportLimitKw * hours,
    };
  });
  const oneWay = Math.sqrt(battery.efficiencyPct / 100);
  const rules = {
    chargeEfficiency: oneWay,
    dischargeEfficiency: oneWay,
    wearCtKwh: battery.wearCtKwh,
    gridChargeAllowed: battery.gridChargeAllowed,
    exportAllowed: battery.exportAllowed,
    curtailmentAllowed: false,
  };
  const band = { minKwh: share(battery.minSocPct), maxKwh: share(battery.maxSocPct) };
  const lastDay = steps.filter(
    (_, t) => prices.at(-1)!.end.getTime() - prices[t]!.start.getTime() <= 24 * HOUR_MS,
  );
  return {
    steps,
    rules,
    band,
    socKwh: share(soc.pct),
    terminal: expectedTerminalValue(lastDay, rules, band),
  };
}

function hoursOf(interval: Interval): number {
  return (interval.end.getTime() - interval.start.getTime()) / HOUR_MS;
}

/**
 * Steps in which the load is worth the battery's energy: discharging brings more than a stored kWh costs at the
 * cheapest of the same local day.
 */
function worthUsing({ steps, rules }: Problem, { prices, zone }: SiteInput): boolean[] {
  const dates = prices.map((price) => localDate(price.start, zone));
  const cheapest = new Map<string, number>();
  steps.forEach((step, t) => {
    const refill = [
      cheapest.get(dates[t]!) ?? Infinity,
      ...(rules.gridChargeAllowed ? [step.importPriceCtKwh] : []),
      ...(step.pvKwh > step.loadKwh ? [step.exportPriceCtKwh] : []),
    ];
    cheapest.set(dates[t]!, Math.min(...refill));
  });
  return steps.map((step, t) => {
    const refill = cheapest.get(dates[t]!)!;
    // Where nothing refills the battery that day, its energy is only worth more elsewhere, never too cheap to use.
    const costCt = refill === Infinity ? 0 : refill / rules.chargeEfficiency;
    const bringsCt = step.importPriceCtKwh * rules.dischargeEfficiency - rules.wearCtKwh;
    return bringsCt > costCt && step.loadKwh > step.pvKwh;
  });
}

function baselineOf({ steps, rules, band, socKwh }: Problem) {
  const anyStored = { ...band, topKwh: Math.max(band.maxKwh, socKwh) };
  return baseline(steps, { ...rules, breachPenaltyCtKwh: 0 }, anyStored, socKwh);
}

function schedule(
  input: SiteInput,
  problem: Problem,
  solution: Solution,
  without: readonly Flows[],
): ScheduledStep[] {
  const { rules, band } = problem;
  const worth = worthUsing(problem, input);
  return solution.steps.map((flows, t) => {
    const step = problem.steps[t]!;
    const socStartKwh = t === 0 ? problem.socKwh : solution.steps[t - 1]!.socEndKwh;
    const wanted = Math.min(step.maxDischargeKwh, Math.max(0, step.loadKwh - step.pvKwh));
    const explained = explain(problem, t, flows, socStartKwh);
    const heldKwh = Math.max(0, socStartKwh - band.minKwh) * rules.dischargeEfficiency;
    const givesLess = flows.dischargeKwh < Math.min(wanted, heldKwh) - TOLERANCE_KWH;
    return {
      price: input.prices[t]!,
      loadKwh: step.loadKwh,
      pvKwh: step.pvKwh,
      chargeKwh: flows.chargeKwh,
      flows,
      ...explained,
      socEndPct: (100 * flows.socEndKwh) / input.battery.capacityKwh,
      baselineCostCt: without[t]!.costCt,
      worthUsing: worth[t]!,
      heldBack: explained.action === "discharge" && givesLess,
      // Held back for dearer hours, or run dry before the last one in which it is worth using.
      uncovered: (worth[t]! || explained.action === "hold") && flows.dischargeKwh < wanted - TOLERANCE_KWH,
    };
  });
}

/** Start of the first step in which PV surplus refills the battery, at most the end of today. */
function prefixEndOf(steps: readonly ScheduledStep[], endOfToday: Date): Date {
  const refill = steps.find(
    (step) => step.chargeKwh > TOLERANCE_KWH && step.pvKwh > step.loadKwh + TOLERANCE_KWH,
  );
  return refill !== undefined && refill.price.start < endOfToday ? refill.price.start : endOfToday;
}

function scalarsOf(
  input: SiteInput,
  problem: Problem,
  steps: readonly ScheduledStep[],
  runs: readonly ChargeRun[],
  today: Interval,
  prefixEnd: Date,
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

/** Whole minutes until `at`, rounded up. */
export function minutesUntil(at: Date, now: Date): number {
  return Math.ceil((at.getTime() - now.getTime()) / 60_000);
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
function chargePowerKw(problem: Problem, steps: readonly ScheduledStep[]): number {
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
  problem: Problem,
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

/**
 * True when what is to be done today hangs on what the energy left at the end of the horizon is taken to be worth: the
 * plan with all of it at the lowest worth differs today from the one with all of it at the highest.
 */
function horizonBinding(problem: Problem, steps: readonly ChargeStep[], today: Interval): boolean {
  const todaySteps = steps.filter((step) => step.price.start < today.end).length;
  const worths = problem.terminal.map((tranche) => tranche.ctKwh);
  const at = (ctKwh: number): readonly SolvedStep[] => {
    const terminal: TerminalTranche[] = [{ kwh: problem.band.maxKwh, ctKwh }];
    return solve({ ...problem, terminal }).steps.slice(0, todaySteps);
  };
  const low = at(Math.min(...worths));
  const high = at(Math.max(...worths));
  return low.some((step, t) => Math.abs(step.socEndKwh - high[t]!.socEndKwh) > TOLERANCE_KWH);
}
