import type { PlantSettings } from "../../config/settings.js";
import { dueSchedule, type OverrideRequest, overrideOf } from "./override.js";
import { type DeviceOverrideCost, overrideCost } from "./override-cost.js";
import { planSlot, type SlotContext, slotRequest } from "./plan-slot.js";
import { FlexInputError } from "./request.js";
import { withSurplus } from "./slot-costs.js";
import { isPlannedByCost, type SlotState, setOverride } from "./slot-state.js";

/** What a slot is planned with at a moment. */
interface SlotMoment {
  now: Date;
  plant: PlantSettings;
  /** Undefined before the first prices. */
  context: SlotContext | undefined;
}

/** Sets the override that a request makes in the state of a slot. Throws FlexInputError. */
export function applyOverride(
  slot: number,
  state: SlotState,
  request: OverrideRequest,
  { now, plant, context }: SlotMoment,
): void {
  const override = overrideOf(request, state.result, now);
  const due = override?.action === "full" && context !== undefined ? slotRequest(state, context) : undefined;
  if (override?.action === "full" && due === undefined)
    throw new FlexInputError("override", `Slot ${slot} has no demand to be met; send run instead.`);
  const allocation = isPlannedByCost(state, plant) ? "cost" : due?.allocation;
  setOverride(state, override, due && dueSchedule({ ...due, allocation }, override!, now));
}

/** See `FlexService.overrideCost`. */
export function costOfOverride(
  slot: number,
  state: SlotState,
  request: OverrideRequest,
  moment: SlotMoment,
): DeviceOverrideCost | undefined {
  const { now, context } = moment;
  const changed = { ...state };
  applyOverride(slot, changed, request, moment);
  const result = context && planSlot(changed, context);
  const costs = context?.costs;
  const after = result === undefined || costs === undefined ? result : withSurplus(result, costs);
  return overrideCost(changed.override, { now, before: state.result, after });
}
