import type { DischargeReason } from "../core/domain/battery.js";
import type { Command } from "./policy/policy-input.js";
import type { CommandInput } from "./site-input.js";

/** Above this power the wallbox counts as charging, kW. */
export const EV_CHARGES_KW = 0.5;

/** Inputs of the cap besides the input of the plan. */
export interface CapFacts {
  command: Command;
  /** The load of the step, and the same less its PV, kW. */
  loadPowerKw: number;
  netLoadKw: number;
  /** A recharge is planned before the next expensive block begins. */
  rechargeBeforeNextExpensiveBlock: boolean;
}

/** near_min_soc ends this far above the SOC at which it starts, percent. */
const RESERVE_HYSTERESIS_PCT = 1;

/**
 * The discharge cap O12 and its reason, in the precedence of docs/spec/outputs-and-plan.md section 2: telemetry_lost, charge hours
 * (full), override, ev_*, near_min_soc, cheap_hold, full. At a negative import price the battery never discharges.
 */
export function dischargeCap(
  input: CommandInput,
  facts: CapFacts,
): { powerKw: number; reason: DischargeReason } {
  const { battery, soc, ev } = input;
  const { command } = facts;
  const { controls } = battery;
  // Where stopping the discharge stops charging too, surplus is stored rather than a reserve kept that nothing draws on.
  const isStoring =
    controls.includes("standby") && !controls.includes("hold") && (input.netLoadKw ?? facts.netLoadKw) < 0;
  const fullKw = battery.maxDischargePowerKw;
  if (soc.lost) return { powerKw: fullKw, reason: "telemetry_lost" };
  if (command.reason === "negative_price" && command.dischargeCapKw <= 0 && fullKw > 0)
    return { powerKw: 0, reason: "cheap_hold" };
  if (command.mode === "charge") return { powerKw: fullKw, reason: "full" };
  if (command.reason === "override") return { powerKw: 0, reason: "override" };
  if (ev.powerKw > EV_CHARGES_KW && ev.batterySharePct !== "auto" && !isStoring) {
    if (ev.batterySharePct <= 0) return { powerKw: 0, reason: "ev_charge_block" };
    const forLoad = Math.max(0, input.sitePowerKw ?? facts.loadPowerKw);
    const forVehicle = (ev.powerKw * ev.batterySharePct) / 100;
    return { powerKw: Math.min(fullKw, forLoad + forVehicle), reason: "ev_charge_limit" };
  }
  const wasNearMin = input.previous?.scalars.dischargeReason === "near_min_soc";
  const reservePct = battery.minSocPct + battery.reservePct + (wasNearMin ? RESERVE_HYSTERESIS_PCT : 0);
  if (soc.pct < reservePct && !facts.rechargeBeforeNextExpensiveBlock && !isStoring) {
    return { powerKw: 0, reason: "near_min_soc" };
  }
  if (command.dischargeCapKw <= 0 && fullKw > 0) return { powerKw: 0, reason: "cheap_hold" };
  return { powerKw: Math.min(fullKw, command.dischargeCapKw), reason: "full" };
}
