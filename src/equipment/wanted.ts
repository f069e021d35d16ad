import type { PlanScalars } from "../core/domain/plan-field-lists.js";
import {
  isByHand as isSwitchedByHand,
  type SlotPlan,
  sgStateOf,
  slotMoment,
} from "../plan/windows/slot-schedule.js";
import type { ActuatorState } from "./states.js";

/** The state that the plan asks of a device. */
export interface Wanted {
  state: ActuatorState;
  /** Power of the state, kW; 0 if it has none. */
  powerKw: number;
  /** State of charge at which charging ends, %; 100 for other states. */
  socStopPct: number;
  /** PV surplus is not to be stored either: a device that has a state of its own for that is set to it. */
  isResting: boolean;
  /** The state protects the device or the connection: it does not wait for the shortest time between two changes. */
  isUrgent: boolean;
  /** Somebody has asked for it: it does not wait, and neither does what follows it. */
  isByHand: boolean;
}

/** A state without further values. */
export function wantedState(state: ActuatorState, more: Partial<Wanted> = {}): Wanted {
  return { state, powerKw: 0, socStopPct: 100, isResting: false, isUrgent: false, isByHand: false, ...more };
}

type BatteryScalars = Pick<
  PlanScalars,
  | "chargeNow"
  | "chargePowerKw"
  | "chargeStopSocPct"
  | "dischargeSetKw"
  | "dischargePowerKw"
  | "dischargeReason"
  | "chargeCapKw"
  | "chargeCapReason"
  | "adaptiveDischarge"
>;

/** The state of the battery by O1, O2, O9, O12, O14 and O16; undefined while its state of charge is lost. */
export function wantedOfBattery(scalars: BatteryScalars): Wanted | undefined {
  if (!scalars.adaptiveDischarge || scalars.dischargeReason === "telemetry_lost") return undefined;
  if (scalars.chargeNow === 1)
    return wantedState("charge", {
      powerKw: scalars.chargePowerKw,
      socStopPct: scalars.chargeStopSocPct,
    });
  if (scalars.dischargeSetKw > 0) return wantedState("discharge", { powerKw: scalars.dischargeSetKw });
  // A discharge cap of 0, as at a negative import price, comes before the block, which would serve the load.
  const isBlocked = scalars.chargeCapReason !== "full" && scalars.chargeCapKw === 0;
  if (isBlocked && scalars.dischargePowerKw > 0) return wantedState("block");
  if (scalars.dischargeReason === "full") return wantedState("free");
  if (scalars.dischargePowerKw === 0)
    return wantedState("hold", {
      isResting: isBlocked,
      isUrgent: scalars.dischargeReason === "near_min_soc",
    });
  return wantedState("cap", { powerKw: scalars.dischargePowerKw });
}

/** The state of the feed-in by O15. */
export function wantedOfFeedIn({ feedInLimitKw }: Pick<PlanScalars, "feedInLimitKw">): Wanted {
  return feedInLimitKw === null
    ? wantedState("unlimited")
    : wantedState("limit", { powerKw: feedInLimitKw, isUrgent: true });
}

/** The state of a slot's device by its schedule; off without one. */
export function wantedOfSlot(plan: SlotPlan, now: Date): Wanted {
  const moment = slotMoment(plan, now);
  const isByHand = isSwitchedByHand(plan);
  if (moment?.chargeNow !== 1) return wantedState("off", { isByHand });
  return wantedState("on", { powerKw: moment.powerKw ?? plan.settings.power_kw ?? 0, isByHand });
}

/** The SG Ready state of a heat pump: the planned one, without `sg_ready` in its settings by whether it is to run. */
export function wantedOfSgReady(plan: SlotPlan, now: Date): Wanted {
  const state = sgStateOf(plan, now);
  const isByHand = isSwitchedByHand(plan);
  if (state !== undefined) return wantedState(state, { isByHand });
  return wantedState(wantedOfSlot(plan, now).state === "on" ? "encourage" : "normal", { isByHand });
}
