import { HOUR_MS } from "../domain/interval.js";
import type { SiteInput } from "./site-input.js";
import type { PlanStep } from "./site-plan.js";
import type { PlanProblem } from "./solve.js";
import { actionRange, type Rules } from "./step.js";
import type { PreviousActions } from "./trajectory.js";

/** What a better plan must gain before it replaces the one that stands, ct for a battery of 10 kWh. */
const REGRET_CT = 0.5;
/** Within a step the decision stands more firmly than from step to step. */
const WITHIN_STEP_FACTOR = 4;
const NEAR_MS = 48 * HOUR_MS;
/** A SOC off the planned one by more says that something has changed, percent. */
const SOC_THRESHOLD_PCT = 2;

/**
 * The plan before as something to hold on to: docs/spec/outputs-and-plan.md section 5. Each of its actions is done again with the SOC, load and
 * PV of now, so that a noisy forecast or a reading that jitters changes nothing unless it is worth it. Undefined where
 * there is nothing to keep, and in the fail-safe, which bypasses it.
 */
export function previousPlanOf(
  input: SiteInput,
  problem: Omit<PlanProblem, "incumbent">,
): PreviousActions | undefined {
  const { previous, now, soc, prices } = input;
  if (previous === undefined || previous.issuedAt > now) return undefined;
  // What a plan in the fail-safe shows was not done.
  if (soc.lost || previous.scalars.dischargeReason === "telemetry_lost") return undefined;
  const first = previous.steps.findIndex((step) => step.start <= now && now < step.end);
  const standing = previous.steps[first];
  if (standing === undefined) return undefined;
  const sameStep = first === 0;
  const asPlanned = Math.abs(soc.pct - expectedPct(standing, input)) <= SOC_THRESHOLD_PCT;
  const factor = sameStep && asPlanned ? WITHIN_STEP_FACTOR : 1;
  return {
    nearSteps: prices.filter((price) => price.start.getTime() - now.getTime() < NEAR_MS).length,
    toleranceCt: (factor * REGRET_CT * input.battery.capacityKwh) / 10,
    choose: (t, socKwh) => {
      const step = previous.steps[first + t];
      // Another step length, or a gap: nothing stands there.
      if (step === undefined || prices[t]?.end.getTime() !== step.end.getTime()) return undefined;
      const again = actionAgain(step, t, socKwh, input.battery.capacityKwh, problem);
      const next = previous.steps[first + 1];
      // A battery that is a little ahead in the middle of a run charges on: pausing until the next step helps nobody.
      return t === 0 && sameStep && step.action === "grid_charge" && next?.action === "grid_charge"
        ? atItsPower(again, input, problem)
        : again;
    },
  };
}

/** A charge that goes on in the next step, at the power that it has, AC kWh; more where `again` says so. */
function atItsPower(
  again: number | undefined,
  { previous, now, prices, soc, battery }: SiteInput,
  { steps, rules, band }: Omit<PlanProblem, "incumbent">,
): number | undefined {
  const step = steps[0];
  const end = prices[0]?.end;
  const was = previous?.scalars;
  if (again === undefined || step === undefined || end === undefined || was === undefined) return again;
  const range = actionRange(step, { ...rules, breachPenaltyCtKwh: 0 });
  const hours = (end.getTime() - now.getTime()) / HOUR_MS;
  const stopKwh = Math.min(band.maxKwh, (battery.capacityKwh * was.chargeStopSocPct) / 100);
  const missingKwh = (stopKwh - (battery.capacityKwh * soc.pct) / 100) / rules.chargeEfficiency;
  const acKwh = Math.min(range.highest, was.chargePowerKw * hours, missingKwh);
  return acKwh >= range.chargeFrom ? Math.max(again, acKwh) : again;
}

/** SOC that the standing step expects now; it moves evenly from where its plan began. */
function expectedPct(standing: PlanStep, { previous, now }: SiteInput): number {
  const fromPct = previous?.days[0]?.socStartPct ?? standing.socEndPct;
  const length = standing.end.getTime() - standing.start.getTime();
  return fromPct + ((now.getTime() - standing.start.getTime()) / length) * (standing.socEndPct - fromPct);
}

/** A planned action with the SOC, load and PV of now, AC kWh; undefined where it is no longer possible. */
function actionAgain(
  planned: PlanStep,
  t: number,
  socKwh: number,
  capacityKwh: number,
  problem: Omit<PlanProblem, "incumbent">,
): number | undefined {
  const step = problem.steps[t];
  if (step === undefined) return undefined;
  const { band } = problem;
  // Outside its band the battery follows its rules, not a habit.
  if (socKwh < band.minKwh - 1e-9 || socKwh > band.maxKwh + 1e-9) return undefined;
  const rules: Rules = { ...problem.rules, breachPenaltyCtKwh: 0 };
  const range = actionRange(step, rules);
  const targetKwh = (capacityKwh * planned.socEndPct) / 100;
  const roomKwh = (band.maxKwh - socKwh) / rules.chargeEfficiency;
  switch (planned.action) {
    case "grid_charge": {
      const missingKwh = (targetKwh - socKwh) / rules.chargeEfficiency;
      const acKwh = Math.min(range.highest, roomKwh, missingKwh);
      if (acKwh <= 1e-9) return 0;
      return acKwh >= range.chargeFrom ? acKwh : undefined;
    }
    case "pv_charge": {
      const acKwh = Math.min(range.highest, roomKwh, Math.max(0, step.pvKwh - step.loadKwh));
      if (acKwh <= 1e-9) return 0;
      return acKwh >= range.chargeFrom ? acKwh : undefined;
    }
    case "discharge": {
      // A step that gives only a part keeps what it meant to keep; any other follows the load.
      const floorKwh = planned.heldBack ? Math.max(band.minKwh, targetKwh) : band.minKwh;
      const heldKwh = Math.max(0, socKwh - floorKwh) * rules.dischargeEfficiency;
      const deficitKwh = Math.max(0, step.loadKwh - step.pvKwh);
      return -Math.min(-range.lowest, deficitKwh, heldKwh);
    }
    case "export":
      return undefined;
    default:
      return 0;
  }
}
