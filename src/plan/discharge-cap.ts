import type { DischargeReason } from "../domain/discharge-reason.js";
import type { Action } from "./explain.js";
import type { SiteInput } from "./site-input.js";

/** Above this power the wallbox counts as charging, kW. */
export const EV_CHARGES_KW = 0.5;

/** What the cap is decided from, beside the input of the plan. */
export interface CapFacts {
  /** The present step charges from the grid. */
  chargingNow: boolean;
  /** What the plan does in the present step. */
  action: Action;
  /** It gives the house less than it could, and less than half of that. */
  heldBack: boolean;
  givesLittle: boolean;
  /** The load of the step, kW. */
  loadPowerKw: number;
  /** A recharge is planned before the next dear block begins. */
  rechargeBeforeNextDearBlock: boolean;
}

/** Once near the minimum, the reserve counts as refilled this much above its edge, percent. */
const RESERVE_HYSTERESIS_PCT = 1;

/**
 * The discharge cap O12 and its reason, in the precedence of docs/spec/outputs-and-plan.md section 2: telemetry_lost, charge hours
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
  const wasNearMin = input.previous?.scalars.dischargeReason === "near_min_soc";
  const reservePct = battery.minSocPct + battery.reservePct + (wasNearMin ? RESERVE_HYSTERESIS_PCT : 0);
  if (soc.pct < reservePct && !facts.rechargeBeforeNextDearBlock) {
    return { powerKw: 0, reason: "near_min_soc" };
  }
  if (facts.action === "hold") return { powerKw: 0, reason: "cheap_hold" };
  if (facts.heldBack && (holdsAlready(input) ?? facts.givesLittle)) {
    return { powerKw: 0, reason: "cheap_hold" };
  }
  return { powerKw: fullKw, reason: "full" };
}

/**
 * Whether the cap was closed already in this step; undefined at its start. A step that gives a part of its load is at
 * the break-even price: to give all or nothing of it costs next to nothing, to change one's mind costs the calm.
 */
function holdsAlready({ previous, now }: SiteInput): boolean | undefined {
  const current = previous?.steps[0];
  if (previous === undefined || current === undefined || now >= current.end) return undefined;
  const { dischargeReason } = previous.scalars;
  return dischargeReason === "full" || dischargeReason === "cheap_hold"
    ? dischargeReason === "cheap_hold"
    : undefined;
}
