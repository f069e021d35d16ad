import type { PlantSettings } from "../../config/settings.js";
import { fixedBatteryShare } from "../../config/slot-rules.js";
import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { answerFlex } from "./answer.js";
import { dueSchedule, LONGEST_MS, type OverrideRequest, overrideOf, runRequest } from "./override.js";
import { type DeviceOverrideCost, firstKwh, overrideCost, type RunCost } from "./override-cost.js";
import { planSlot, type SlotContext, slotRequest } from "./plan-slot.js";
import { FlexInputError, type FlexRequest } from "./request.js";
import { withSurplus } from "./slot-costs.js";
import type { SlotPlan } from "./slot-schedule.js";
import { isPlannedByCost, type SlotState, setOverride, slotPlan } from "./slot-state.js";
import { departuresOf } from "./vehicle.js";
import { checkVehicleOverride, isOwnRequest } from "./vehicle-override.js";

/** What a slot is planned with at a moment. */
interface SlotMoment {
  now: Date;
  plant: PlantSettings;
  /** Undefined before the first prices. */
  contextOf(state: SlotState): SlotContext | undefined;
}

/** A slot as an override would plan it. */
export interface TriedOverride {
  plan: SlotPlan;
  isByCost: boolean;
  /** Undefined before the first prices, or where the power of the device is not known. */
  cost: DeviceOverrideCost | undefined;
}

/** Sets the override that a request makes in the state of a slot. Throws FlexInputError, and then changes nothing. */
export function applyOverride(
  slot: number,
  state: SlotState,
  request: OverrideRequest,
  { now, plant, contextOf }: SlotMoment,
): void {
  // Without the override in force, which may have changed the settings of the vehicle.
  const base = { ...state };
  if (state.settings !== state.usual) setOverride(base, undefined, undefined);
  const { usual } = state;
  const context = contextOf(base);
  checkVehicleOverride(request, { slot, settings: usual, plant, socPct: context?.device?.socPct });
  const until = new Date(now.getTime() + LONGEST_MS);
  const [leavesAt] =
    usual.vehicle === null ? [] : departuresOf(usual.vehicle, { now, until, zone: plant.timezone });
  const override = overrideOf(request, { result: state.result, leavesAt, now });
  if (override === undefined || !isOwnRequest(override)) {
    setOverride(state, override, undefined);
    return;
  }
  const due =
    request.action === "guest" ? guestRequest(base, request) : context && slotRequest(base, context);
  if (due === undefined)
    throw new FlexInputError("override", `Slot ${slot} has no demand to be met; send run instead.`);
  const allocation = isPlannedByCost(base, plant) ? "cost" : due.allocation;
  setOverride(state, override, dueSchedule({ ...due, allocation }, override, now));
}

/** The demand of another vehicle at a wallbox, in few pieces. */
function guestRequest({ usual }: SlotState, { energyKwh }: OverrideRequest): FlexRequest {
  return {
    energyKwh,
    consecutive: "soft",
    batterySharePct: fixedBatteryShare(usual),
    gridMinutes: 15,
  };
}

/** See `SiteSlots.tryOverride`. */
export function tryOverride(
  slot: number,
  state: SlotState,
  request: OverrideRequest,
  moment: SlotMoment,
): TriedOverride {
  const { now, plant } = moment;
  const changed = { ...state };
  applyOverride(slot, changed, request, moment);
  const context = moment.contextOf(changed);
  const after = context && planSlot(changed, context);
  const priced = after && context?.costs ? withSurplus(after, context.costs) : after;
  const cost = overrideCost(changed.override, { now, before: state.result, after: priced });
  const atOnce =
    cost && context && cost.override.energyKwh > 0 && changed.override?.action !== "run"
      ? atOnceCost(changed, context, cost.override.energyKwh)
      : undefined;
  if (after === undefined) delete changed.result;
  else changed.result = after;
  return {
    plan: slotPlan(slot, changed),
    isByCost: isPlannedByCost(changed, plant),
    cost: cost && { ...cost, atOnce },
  };
}

/** What energy costs that the device takes from now on at full power. */
function atOnceCost(
  { settings }: SlotState,
  { plant, known, cache, costs }: SlotContext,
  energyKwh: number,
): RunCost | undefined {
  const { now } = known;
  const request = runRequest(settings, { action: "run", until: now }, now);
  if (request.maxPowerKw === undefined) return undefined;
  const lastMs = now.getTime() + (energyKwh / request.maxPowerKw) * HOUR_MS + QUARTER_MS;
  const run = answerFlex(
    runRequest(settings, { action: "run", until: new Date(lastMs) }, now),
    plant,
    known,
    { cache },
  );
  return firstKwh((costs === undefined ? run : withSurplus(run, costs)).slots, energyKwh, now);
}
