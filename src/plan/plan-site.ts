import type { Interval } from "../domain/interval.js";
import { dayOf, localDate } from "../time/zone.js";
import { baseline } from "./baseline.js";
import { type ChargeStep, chargeRuns, clipRuns } from "./charge-runs.js";
import { explain } from "./explain.js";
import { planDays, type ScheduledStep } from "./plan-days.js";
import { planScalars } from "./plan-scalars.js";
import { previousPlanOf } from "./previous-plan.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";
import { siteProblem } from "./site-problem.js";
import { type PlanProblem, type Solution, type SolvedStep, solve } from "./solve.js";
import type { Flows } from "./step.js";
import { type TerminalTranche, terminalWorthCt } from "./terminal-value.js";

/** Energies below this are rounding, kWh. */
const TOLERANCE_KWH = 1e-6;

/**
 * The plan of a site: the exact least-cost schedule (docs/planner.md) and everything that is read off it. Pure: the
 * same input gives the same plan, but for `solver.ms`, which `stopwatch` (ms) measures.
 */
export function planSite(input: SiteInput, stopwatch: () => number = () => 0): SitePlan {
  const startedMs = stopwatch();
  const asked = siteProblem(input);
  const incumbent = previousPlanOf(input, asked);
  const problem: PlanProblem = { ...asked, ...(incumbent !== undefined && { incumbent }) };
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
    scalars: planScalars(input, problem, { steps, runs, today, prefixEnd }),
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

/**
 * Steps in which the load is worth the battery's energy: discharging brings more than a stored kWh costs at the
 * cheapest of the same local day.
 */
function worthUsing({ steps, rules }: PlanProblem, { prices, zone }: SiteInput): boolean[] {
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

function baselineOf({ steps, rules, band, socKwh }: PlanProblem) {
  const anyStored = { ...band, topKwh: Math.max(band.maxKwh, socKwh) };
  return baseline(steps, { ...rules, breachPenaltyCtKwh: 0 }, anyStored, socKwh);
}

function schedule(
  input: SiteInput,
  problem: PlanProblem,
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
    const heldBack = explained.action === "discharge" && givesLess;
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
      heldBack,
      // Held back for dearer hours, whole or in part, or run dry before the last one in which it is worth using.
      uncovered:
        (worth[t]! || heldBack || explained.action === "hold") && flows.dischargeKwh < wanted - TOLERANCE_KWH,
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

/**
 * True when what is to be done today hangs on what the energy left at the end of the horizon is taken to be worth: the
 * plan with all of it at the lowest worth differs today from the one with all of it at the highest.
 */
function horizonBinding(problem: PlanProblem, steps: readonly ChargeStep[], today: Interval): boolean {
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
