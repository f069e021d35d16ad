import { DAY_MS, HOUR_MS, hoursOf } from "../core/domain/interval.js";
import { sumOfAll } from "../core/numbers.js";
import { dayOf, localDate } from "../core/time/zone.js";
import { chargeRuns, clipRuns } from "./charge-runs.js";
import { commandOf, commandSince } from "./command.js";
import type { PlanProblem } from "./exact/solve.js";
import { actionRange, type Flows, type Rules } from "./exact/step.js";
import { acEnergy, storedChange } from "./exact/value-function.js";
import { explain } from "./explain.js";
import { planDays, type ScheduledStep } from "./plan-days.js";
import { planScalars } from "./plan-scalars.js";
import { chooseImportTarget, targetAt } from "./policy/import-target.js";
import { dependsOnTerminal, planPolicy } from "./policy/plan-policy.js";
import type { PolicyInput } from "./policy/policy-input.js";
import type { PolicySolver } from "./policy/policy-solver.js";
import type { PathStep, Simulation } from "./policy/simulate-policy.js";
import type { Policy } from "./policy/solved-policy.js";
import { withPriceAhead } from "./price-ahead.js";
import type { SiteInput } from "./site-input.js";
import { forcedMode } from "./site-input.js";
import type { PlanDay, PlanExpectation, SitePlan } from "./site-plan.js";
import { sitePolicyInput, unservedKwh } from "./site-policy.js";
import { siteProblem, worthUsing } from "./site-problem.js";
import { terminalWorthCt } from "./terminal-value.js";

/** Energies below this are rounding, kWh. */
const TOLERANCE_KWH = 1e-6;

export interface PlanSiteOptions {
  /** Time of a running clock, ms. */
  stopwatch?: () => number;
  /** No loads are sampled: expectation, band, bound and `horizonBinding` come from `expectationFrom`, else are rough. */
  commandOnly?: boolean;
  expectationFrom?: SitePlan | undefined;
  /** The policy of the input, where it is solved already. */
  policy?: Policy;
  /** Left out: `planPolicy`. */
  solver?: Pick<PolicySolver, "solve"> | undefined;
  /** Number of loads sampled; default 100. */
  samples?: number;
}

/**
 * The plan of a site: the current command of the policy (docs/planner.md) and its expected course over the horizon.
 * Pure: the same input gives the same plan, except for `solver.ms`, which `stopwatch` (ms) measures.
 */
export function planSite(input: SiteInput, options: PlanSiteOptions = {}): SitePlan {
  const { stopwatch = () => 0, commandOnly = false, expectationFrom: earlier, samples = 100 } = options;
  const startedMs = stopwatch();
  const problem = siteProblem(input);
  const policyInput = withImportTarget(input, problem, earlier);
  const policy = options.policy ?? options.solver?.solve(policyInput) ?? planPolicy(policyInput);
  const solverMs = stopwatch() - startedMs;
  const command = commandOf(input, problem, policy);
  const course = policy.simulate({
    socKwh: problem.socKwh,
    first: command,
    forced: input.soc.lost ? undefined : forcedMode(input),
    samples: commandOnly || earlier !== undefined ? 0 : samples,
    unservedKwh: input.prices.map((_, t) => unservedKwh(input, t)),
  });

  const steps = schedule({ input, problem, path: course.path, earlier });
  const today = dayOf(input.now, input.zone);
  const prefixEnd = prefixEndOf(steps, today.end);
  const runs = chargeRuns(steps, input, prefixEnd);
  const storedEur =
    (terminalWorthCt(problem.terminal, course.path.at(-1)?.expected.socEndKwh ?? problem.socKwh) -
      terminalWorthCt(problem.terminal, baselineEndKwh(problem))) /
    100;
  const sampled = earlier?.expectation ?? expectationOf(course, input);
  const days = planDays(steps, input, sampled.savingByDay);
  const expectation = ofDays(sampled, days);
  const proof =
    earlier?.solver ?? proofOf(policy, problem.socKwh, commandOnly ? 0 : Math.min(BOUND_SAMPLES, samples));
  return {
    siteId: input.siteId,
    issuedAt: input.now,
    scalars: planScalars(input, {
      steps,
      runs,
      today,
      prefixEnd,
      command,
      importTarget: policyInput.grid?.importTarget,
    }),
    chargeHours: runs,
    chargeHoursToday: clipRuns(runs, today),
    days,
    steps: steps.map(({ price: { start, end }, action, reason, socEndPct, socP10Pct, socP90Pct }) => {
      const course = { start, end, action, socEndPct, socP10Pct, socP90Pct };
      return start.getTime() < input.now.getTime() + HOUR_MS ? { ...course, reason } : course;
    }),
    command,
    commandSince: commandSince(input, command),
    ...(input.override !== undefined && { override: input.override }),
    expectation,
    savingsEur: expectation.savingEur,
    savingsStoredEur: storedEur,
    horizonBinding:
      earlier?.horizonBinding ??
      (!commandOnly &&
        dependsOnTerminal(
          policyInput,
          problem.terminal.map(({ ctKwh }) => ctKwh),
          { socKwh: problem.socKwh, until: today.end },
        )),
    solver: { ...proof, ms: solverMs },
    material: false,
  };
}

/** The policy problem of the site, with the import worth paying for: chosen when loads are sampled, kept in between. */
function withImportTarget(
  input: SiteInput,
  { socKwh }: PlanProblem,
  earlier: SitePlan | undefined,
): PolicyInput {
  const site = sitePolicyInput(input);
  const { peak, previous } = input;
  if (peak === undefined) return site;
  const keptKw = earlier?.scalars.importTargetKw ?? undefined;
  const importTarget =
    keptKw === undefined
      ? chooseImportTarget({
          site,
          socKwh: Math.max(0, socKwh),
          price: peak,
          previousKw: previous?.scalars.importTargetKw ?? undefined,
        })
      : targetAt(peak, keptKw);
  return importTarget === undefined ? site : { ...site, grid: { ...site.grid, importTarget } };
}

/** Most samples for which the bound is computed; each needs a solve of its own. */
const BOUND_SAMPLES = 5;

/** Expected cost less the worth of the energy left, and its lower bound for any policy; EUR. */
function proofOf(policy: Policy, socKwh: number, samples: number) {
  if (samples === 0) return { objectiveEur: 0, boundEur: 0 };
  const { objectiveCt, boundCt } = policy.bound({ socKwh, samples });
  return { objectiveEur: objectiveCt / 100, boundEur: boundCt / 100 };
}

function expectationOf({ bill, path }: Simulation, { now, zone }: SiteInput): PlanExpectation {
  const savingByDay: Record<string, number> = {};
  let savingDayEur = 0;
  for (const [t, { start }] of path.entries()) {
    const date = localDate(start, zone);
    const eur = bill.savingCt[t]! / 100;
    savingByDay[date] = (savingByDay[date] ?? 0) + eur;
    if (start.getTime() < now.getTime() + DAY_MS) savingDayEur += eur;
  }
  return {
    at: now,
    costEur: bill.costCt / 100,
    costP10Eur: bill.bandCt[0] / 100,
    costP90Eur: bill.bandCt[1] / 100,
    savingEur: sumOfAll(Object.values(savingByDay)),
    savingDayEur,
    savingByDay,
  };
}

/** The expectation with the cost and the saving of the days that are shown; the band keeps its distance. */
function ofDays(sampled: PlanExpectation, days: readonly PlanDay[]): PlanExpectation {
  const costEur = sumOfAll(days.map((day) => day.costEur));
  return {
    ...sampled,
    costEur,
    costP10Eur: costEur + Math.min(0, sampled.costP10Eur - sampled.costEur),
    costP90Eur: costEur + Math.max(0, sampled.costP90Eur - sampled.costEur),
    savingEur: sumOfAll(days.map(({ date }) => sampled.savingByDay[date] ?? 0)),
  };
}

/**
 * Self-consumption without grid charging: the battery stores PV surplus and serves the load while it has energy
 * (docs/spec/outputs-and-plan.md section 1, baseline). The energy stored at the end, kWh.
 */
function baselineEndKwh({ steps, band, socKwh, rules }: PlanProblem): number {
  const selfConsumption: Rules = {
    ...rules,
    gridChargeAllowed: false,
    exportAllowed: false,
    breachPenaltyCtKwh: 0,
  };
  let soc = socKwh;
  for (const step of steps) {
    const range = actionRange(step, selfConsumption);
    const charge = Math.min(range.highest, acEnergy(selfConsumption, Math.max(0, band.maxKwh - soc)));
    const discharge = Math.min(-range.lowest, -acEnergy(selfConsumption, -Math.max(0, soc - band.minKwh)));
    const ac = charge > 0 && charge >= range.chargeFrom ? charge : -discharge;
    soc += storedChange(selfConsumption, ac);
  }
  return soc;
}

/** The expected course of the policy per step. */
function schedule({
  input,
  problem,
  path,
  earlier,
}: {
  input: SiteInput;
  problem: PlanProblem;
  path: readonly PathStep[];
  /** The plan whose SOC band applies. */
  earlier: SitePlan | undefined;
}): ScheduledStep[] {
  const bands = new Map(earlier?.steps.map((step) => [step.end.getTime(), step]));
  const { rules } = problem;
  const worth = worthUsing(problem, input);
  const percent = (kwh: number) => (100 * kwh) / input.battery.capacityKwh;
  const needsEnergy = (t: number) => problem.steps[t]!.loadKwh > problem.steps[t]!.pvKwh;
  return path.map((planned, t) => {
    const step = problem.steps[t]!;
    const socStartKwh = t === 0 ? problem.socKwh : path[t - 1]!.expected.socEndKwh;
    const importKwh = planned.expected.importKwh + unservedKwh(input, t);
    // All properties are named: an object spread takes many times as long, and this runs for each step of each plan.
    const { chargeKwh, dischargeKwh, exportKwh, socEndKwh, curtailedKwh } = planned.expected;
    const flows: Flows = {
      chargeKwh,
      dischargeKwh,
      importKwh,
      exportKwh,
      curtailedKwh,
      importLimitExceededKwh: Math.max(0, importKwh - step.importLimitKwh),
      costCt: step.importPriceCtKwh * importKwh - step.exportPriceCtKwh * exportKwh,
    };
    const socEndPct = percent(socEndKwh);
    const band = bands.get(input.prices[t]!.end.getTime());
    const { mode, valueCtKwh, keptValueCtKwh } = planned;
    const { action, reason } = explain(
      problem,
      t,
      {
        chargeKwh,
        dischargeKwh,
        hours: hoursOf(input.prices[t]!),
        mode,
        valueCtKwh,
        lastKwhValueCt: valueCtKwh,
        keptValueCtKwh,
        againstBreach: false,
      },
      socStartKwh,
    );
    const wanted = Math.min(step.maxDischargeKwh, Math.max(0, step.loadKwh - step.pvKwh));
    const heldKwh = Math.max(0, socStartKwh - problem.band.minKwh) * rules.dischargeEfficiency;
    const heldBack = action === "hold" && dischargeKwh < Math.min(wanted, heldKwh) - TOLERANCE_KWH;
    return {
      price: input.prices[t]!,
      mode,
      loadKwh: step.loadKwh,
      pvKwh: step.pvKwh,
      chargeKwh,
      flows,
      action,
      reason: planned.forced
        ? { code: "override", figures: {} }
        : withPriceAhead(reason, t, { prices: input.prices, needsEnergy }),
      socEndPct,
      socP10Pct: Math.min(socEndPct, band?.socP10Pct ?? percent(planned.socKwh.p10)),
      socP90Pct: Math.max(socEndPct, band?.socP90Pct ?? percent(planned.socKwh.p90)),
      worthUsing: worth[t]!,
      // Energy is kept for more expensive hours, or runs out before the last hour in which it is worth using.
      uncovered: (worth[t]! || heldBack) && dischargeKwh < wanted - TOLERANCE_KWH,
    };
  });
}

/** Start of the first step in which PV surplus charges the battery, at the latest the end of today. */
function prefixEndOf(steps: readonly ScheduledStep[], endOfToday: Date): Date {
  const refill = steps.find(
    (step) => step.chargeKwh > TOLERANCE_KWH && step.pvKwh > step.loadKwh + TOLERANCE_KWH,
  );
  return refill !== undefined && refill.price.start < endOfToday ? refill.price.start : endOfToday;
}
