import type { SlotSettings } from "../config/settings.js";
import type { Allocation, Consecutive, WindowMode } from "../decision/windows-request.js";

/** When a device may run: between two instants, or daily between two clock hours (equal hours: 24 h). */
export type FlexWindow =
  | { kind: "fixed"; start?: Date | undefined; end?: Date | undefined }
  | { kind: "daily"; startHour: number; endHour: number };

export type FlexRole = "consume" | "export";

/** What somebody asks of the windows; what is left out is undefined. Hours are at full power. */
export interface FlexRequest {
  window?: FlexWindow | undefined;
  mode?: WindowMode | undefined;
  role?: FlexRole | undefined;
  /** Demand: the first given of segments (hours each), count (hours) and energy counts. */
  segments?: readonly number[] | undefined;
  count?: number | undefined;
  energyKwh?: number | undefined;
  maxPowerKw?: number | undefined;
  consecutive?: Consecutive | undefined;
  hoursCompleted?: number | undefined;
  energyDeliveredKwh?: number | undefined;
  /** Share of the energy that the house battery gives, percent. */
  batterySharePct?: number | undefined;
  /** Latest clock hour in which a slot may start, inclusive. */
  deadlineHour?: number | undefined;
  deadlineStrict?: boolean | undefined;
  repeatDaily?: boolean | undefined;
  /** 0: not plugged in. */
  plugged?: number | undefined;
  allocation?: Allocation | undefined;
  /** Zone of the clock hours and of the local days; left out: the plant's. */
  zone?: string | undefined;
  /** Length of the slots: 60 for windows_v1, 15 for windows_v1.1. */
  gridMinutes: 60 | 15;
}

/** What does not fit a request; `field` is the name that the caller used. */
export class FlexInputError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = "FlexInputError";
    this.field = field;
  }
}

/** Whether it says how much is wanted. */
export function namesDemand(ask: FlexRequest): boolean {
  return ask.segments !== undefined || ask.count !== undefined || ask.energyKwh !== undefined;
}

/**
 * The request with the slot's settings where it is silent. Window and demand are each taken whole: a request that names
 * hours does not also get the slot's energy.
 */
export function fillFromSlot(ask: FlexRequest, slot: SlotSettings): FlexRequest {
  const demand = namesDemand(ask)
    ? {}
    : {
        segments: slot.segments ?? undefined,
        count: slot.hours ?? undefined,
        energyKwh: slot.energy_kwh ?? undefined,
      };
  return {
    ...ask,
    ...demand,
    window: ask.window ?? windowOf(slot),
    maxPowerKw: ask.maxPowerKw ?? slot.power_kw ?? undefined,
    consecutive: ask.consecutive ?? slot.segment_consecutive,
    deadlineStrict: ask.deadlineStrict ?? slot.deadline_strict,
    batterySharePct: ask.batterySharePct ?? slot.battery_to_ev_pct ?? undefined,
  };
}

function windowOf({ window_start_hour: start, window_end_hour: end }: SlotSettings): FlexWindow | undefined {
  return start === null || end === null ? undefined : { kind: "daily", startHour: start, endHour: end };
}

/**
 * What a slot is to do without any request, from its settings alone; undefined when they name no demand. Without window
 * hours it has the local day.
 */
export function requestOfSettings(slot: SlotSettings): FlexRequest | undefined {
  const ask = fillFromSlot({ gridMinutes: 15 }, slot);
  if (!namesDemand(ask)) return undefined;
  return { ...ask, window: ask.window ?? { kind: "daily", startHour: 0, endHour: 0 } };
}

/** The power of a request: its own or its slot's; for a demand in energy else that of the plant's battery. */
export function powerOf(ask: FlexRequest, plantPowerKw: number | undefined): number | undefined {
  return ask.maxPowerKw ?? (ask.energyKwh === undefined ? undefined : plantPowerKw);
}

/** What to do about an energy without a power. */
export const NO_POWER =
  "max_power_kw is missing: energy_kwh becomes hours only with a power, and neither the slot nor the plant has one in its settings.";
