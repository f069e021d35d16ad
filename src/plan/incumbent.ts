import type { SiteInput } from "./site-input.js";
import type { PlanStep } from "./site-plan.js";
import type { Problem } from "./solve.js";
import { actionRange } from "./step.js";
import type { Incumbent } from "./trajectory.js";

/** What a better action must gain before it replaces the one that stands, ct for a battery of 10 kWh. */
const REGRET_CT = 0.5;
/** Within a step the decision stands more firmly than from step to step. */
const WITHIN_STEP_FACTOR = 4;
/** A SOC off the planned one by more says that something has changed, percent. */
const SOC_THRESHOLD_PCT = 2;

/**
 * What the plan before does at this moment, as an action for the present step: planner.md, Calm. A noisy forecast or a
 * reading that jitters then changes nothing unless it is worth it. Undefined where there is nothing to keep, and in the
 * fail-safe, which bypasses it.
 */
export function incumbentOf(input: SiteInput, problem: Omit<Problem, "incumbent">): Incumbent | undefined {
  const { previous, now, soc } = input;
  if (previous === undefined || previous.issuedAt > now) return undefined;
  // What a plan in the fail-safe shows was not done.
  if (soc.lost || previous.scalars.dischargeReason === "telemetry_lost") return undefined;
  const standing = previous.steps.find((step) => step.start <= now && now < step.end);
  if (standing === undefined) return undefined;
  const acKwh = actionNow(standing, input, problem);
  if (acKwh === undefined) return undefined;
  const sameStep = previous.steps[0] === standing;
  const asPlanned = Math.abs(soc.pct - expectedPct(standing, input)) <= SOC_THRESHOLD_PCT;
  const factor = sameStep && asPlanned ? WITHIN_STEP_FACTOR : 1;
  return { acKwh, toleranceCt: (factor * REGRET_CT * input.battery.capacityKwh) / 10 };
}

/** SOC that the standing step expects now; it moves evenly from where its plan began. */
function expectedPct(standing: PlanStep, { previous, now }: SiteInput): number {
  const fromPct = previous?.days[0]?.socStartPct ?? standing.socEndPct;
  const length = standing.end.getTime() - standing.start.getTime();
  return fromPct + ((now.getTime() - standing.start.getTime()) / length) * (standing.socEndPct - fromPct);
}

/** The standing action with the SOC, load and PV of now; undefined where it is done or no longer possible. */
function actionNow(
  standing: PlanStep,
  input: SiteInput,
  problem: Omit<Problem, "incumbent">,
): number | undefined {
  const step = problem.steps[0];
  if (step === undefined) return undefined;
  const { band, socKwh } = problem;
  // Outside its band the battery follows its rules, not a habit.
  if (socKwh < band.minKwh || socKwh > band.maxKwh) return undefined;
  const rules = { ...problem.rules, breachPenaltyCtKwh: 0 };
  const range = actionRange(step, rules);
  const mostCharge = Math.min(range.highest, (band.maxKwh - socKwh) / rules.chargeEfficiency);
  const surplusKwh = Math.max(0, step.pvKwh - step.loadKwh);
  const deficitKwh = Math.max(0, step.loadKwh - step.pvKwh);
  switch (standing.action) {
    case "grid_charge": {
      const targetKwh = (input.battery.capacityKwh * standing.socEndPct) / 100;
      const acKwh = Math.min(mostCharge, (targetKwh - socKwh) / rules.chargeEfficiency);
      return acKwh > 1e-9 && acKwh >= range.chargeFrom ? acKwh : undefined;
    }
    case "pv_charge": {
      const acKwh = Math.min(mostCharge, surplusKwh);
      return acKwh > 1e-9 && acKwh >= range.chargeFrom ? acKwh : undefined;
    }
    case "discharge": {
      const held = (socKwh - band.minKwh) * rules.dischargeEfficiency;
      const acKwh = Math.min(-range.lowest, deficitKwh, held);
      return acKwh > 1e-9 ? -acKwh : undefined;
    }
    case "hold":
      return 0;
    default:
      return undefined;
  }
}
