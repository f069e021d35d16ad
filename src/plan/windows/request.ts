import type { SlotSettings } from "../../config/settings.js";
import { fixedBatteryShare } from "../../config/slot-rules.js";
import type { Allocation, Consecutive, WindowMode } from "./windows-request.js";

/** When a device may run: between two instants, or daily between two clock hours (equal hours: 24 h). */
export type FlexWindow =
  | { kind: "fixed"; start?: Date | undefined; end?: Date | undefined }
  | { kind: "daily"; startHour: number; endHour: number };

/** How the slots are chosen; `cost`: by what a kWh costs the site, where that is known, else by price. */
export type FlexAllocation = Allocation | "cost";

export type FlexRole = "consume" | "export";

/** A windows request; missing values are undefined. Hours are at full power. */
export interface FlexRequest {
  window?: FlexWindow | undefined;
  mode?: WindowMode | undefined;
  role?: FlexRole | undefined;
  /** Demand: the first one given of segments (hours each), count (hours) and energy. */
  segments?: readonly number[] | undefined;
  count?: number | undefined;
  energyKwh?: number | undefined;
  /** Part of `energyKwh` that is due at once, at any price: a vehicle below its least state of charge. */
  atOnceKwh?: number | undefined;
  maxPowerKw?: number | undefined;
  consecutive?: Consecutive | undefined;
  hoursCompleted?: number | undefined;
  energyDeliveredKwh?: number | undefined;
  /** Share of the energy that the battery of the site provides, percent. */
  batterySharePct?: number | undefined;
  /** Latest clock hour in which a slot may start, inclusive. */
  deadlineHour?: number | undefined;
  deadlineStrict?: boolean | undefined;
  repeatDaily?: boolean | undefined;
  /** 0: not plugged in. */
  plugged?: number | undefined;
  allocation?: FlexAllocation | undefined;
  /** Zone of clock hours and local days; left out: the plant's. */
  zone?: string | undefined;
  /** Length of the slots: 60 for windows_v1, 15 for windows_v1.1. */
  gridMinutes: 60 | 15;
}

/** A request field is invalid; `field` is its name in the request. */
export class FlexInputError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = "FlexInputError";
    this.field = field;
  }
}

/** Whether the request states a demand. */
export function namesDemand(request: FlexRequest): boolean {
  return request.segments !== undefined || request.count !== undefined || request.energyKwh !== undefined;
}

/**
 * The request completed by the slot's settings. Window and demand are each taken as a whole: a request with hours
 * does not also get the slot's energy.
 */
export function fillFromSlot(request: FlexRequest, slot: SlotSettings): FlexRequest {
  const demand = namesDemand(request)
    ? {}
    : {
        segments: slot.segments ?? undefined,
        count: slot.hours ?? undefined,
        energyKwh: slot.energy_kwh ?? undefined,
      };
  return {
    ...request,
    ...demand,
    window: request.window ?? windowOf(slot),
    maxPowerKw: request.maxPowerKw ?? slot.power_kw ?? undefined,
    consecutive: request.consecutive ?? slot.segment_consecutive,
    deadlineStrict: request.deadlineStrict ?? slot.deadline_strict,
    batterySharePct: request.batterySharePct ?? fixedBatteryShare(slot),
  };
}

function windowOf({ window_start_hour: start, window_end_hour: end }: SlotSettings): FlexWindow | undefined {
  return start === null || end === null ? undefined : { kind: "daily", startHour: start, endHour: end };
}

/** The request that a slot's settings make, for the local day if they have no window; undefined without a demand. */
export function requestOfSettings(slot: SlotSettings): FlexRequest | undefined {
  const request = fillFromSlot({ gridMinutes: 15 }, slot);
  if (!namesDemand(request)) return undefined;
  return { ...request, window: request.window ?? { kind: "daily", startHour: 0, endHour: 0 } };
}

/** The power of a request: its own or its slot's; for a demand in energy, else that of the plant's battery. */
export function powerOf(request: FlexRequest, plantPowerKw: number | undefined): number | undefined {
  return request.maxPowerKw ?? (request.energyKwh === undefined ? undefined : plantPowerKw);
}

/** How to correct a demand in energy without a power. */
export const NO_POWER =
  "max_power_kw is missing: energy_kwh needs a power, and neither the slot nor the plant has one in its settings. Send max_power_kw or hours.";
