import type { Action } from "./explain.js";
import type { SiteInput } from "./site-input.js";
import type { DischargeReason } from "./site-plan.js";

/** Above this power the wallbox counts as charging, kW. */
export const EV_CHARGES_KW = 0.5;

/** What the cap is decided from, beside the input of the plan. */
export interface CapFacts {
  /** The present step charges from the grid. */
  chargingNow: boolean;
  /** What the plan does in the present step, and how long that still is, h. */
  action: Action;
  plannedDischargeKwh: number;
  /** What the battery could give into the load of the step, kWh. */
  possibleDischargeKwh: number;
  stepHours: number;
  /** The load of the step, kW. */
  loadPowerKw: number;
  /** A recharge is planned before the next dear block begins. */
  rechargeBeforeNextDearBlock: boolean;
}

/** A discharge held back by more than this is meant, not rounding, kWh. */
const TOLERANCE_KWH = 1e-6;

/**
 * The discharge cap O12 and its reason, in the precedence of decisions.md section 9: telemetry_lost, charge hours
 * (full), ev_*, near_min_soc, cheap_hold, full.
 */
export function dischargeCap(
  input: SiteInput,
  facts: CapFacts,
): { powerKw: number; reason: DischargeReason } {
  const { battery, soc, ev } = input;
  const fullKw = battery.maxDischargePowerKw;
  if (soc.lost) return { powerKw: fullKw, reason: "telemetry_lost" };
  if (facts.chargingNow) return { powerKw: fullKw, reason: "full" };
  if (ev.powerKw > EV_CHARGES_KW) {
    if (ev.batterySharePct <= 0) return { powerKw: 0, reason: "ev_charge_block" };
    const forHouse = Math.max(0, input.housePowerKw ?? facts.loadPowerKw);
    const forCar = (ev.powerKw * ev.batterySharePct) / 100;
    return { powerKw: Math.min(fullKw, forHouse + forCar), reason: "ev_charge_limit" };
  }
  if (soc.pct < battery.minSocPct + battery.reservePct && !facts.rechargeBeforeNextDearBlock) {
    return { powerKw: 0, reason: "near_min_soc" };
  }
  if (facts.action === "hold") return { powerKw: 0, reason: "cheap_hold" };
  const heldBack = facts.possibleDischargeKwh - facts.plannedDischargeKwh > TOLERANCE_KWH;
  if (facts.action === "discharge" && heldBack) {
    return { powerKw: facts.plannedDischargeKwh / facts.stepHours, reason: "cheap_hold" };
  }
  return { powerKw: fullKw, reason: "full" };
}
