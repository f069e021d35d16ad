import type { SlotSettings } from "../../config/settings.js";
import { chargingPower, leastChargingKw } from "../../config/slot-rules.js";
import { ceilTo, DAY_MS, floorTo, HOUR_MS, hoursOf, QUARTER_MS } from "../../core/domain/interval.js";
import { sumOfAll } from "../../core/numbers.js";
import { FlexInputError, type FlexRequest, fillFromSlot } from "./request.js";
import type { ChosenSlot, ChosenWindow, FlexResult } from "./result.js";
import type { OverrideValues, SlotOverride, SlotSchedule } from "./slot-schedule.js";
import { vehicleOf } from "./vehicle.js";

export const OVERRIDE_ACTIONS = ["run", "skip", "full", "target", "surplus", "guest", "auto"] as const;

/**
 * `run`: on at once; `skip`: off; `full`: the demand by a deadline; `target`: the vehicle at a state of charge by a departure; `surplus`:
 * the vehicle from PV surplus only; `guest`: energy for another vehicle by a deadline; `auto`: the schedule applies.
 */
export type OverrideAction = (typeof OVERRIDE_ACTIONS)[number];

export interface OverrideRequest extends OverrideValues {
  action: OverrideAction;
  /**
   * End, for `full` the deadline. Left out: the end of the current window, at most 24 h ahead; for `target` and `surplus` the next departure of
   * the vehicle, for `guest` 24 h ahead.
   */
  until?: Date | undefined;
}

/** Actions whose end is a time at which something is to be reached. */
const DEADLINES: readonly OverrideAction[] = ["full", "target", "guest"];

const DEFAULT_MS = DAY_MS;
/** An override ends at most this far ahead. */
export const LONGEST_MS = 7 * DAY_MS;

/**
 * The override that a request makes for a slot with a schedule; undefined for `auto`. `leavesAt` is the next departure of its vehicle. Throws
 * FlexInputError with the field `until`.
 */
export function overrideOf(
  { action, until, ...values }: OverrideRequest,
  { result, leavesAt, now }: { result: FlexResult | undefined; leavesAt: Date | undefined; now: Date },
): SlotOverride | undefined {
  if (action === "auto") return undefined;
  const endMs = until?.getTime() ?? defaultEndMs(action, { result, leavesAt, now });
  if (action === "full" && until === undefined)
    throw new FlexInputError("until", "until is missing: full needs the time by which the device is full.");
  if (endMs <= now.getTime())
    throw new FlexInputError("until", "until must be in the future; leave it out for the current window.");
  if (endMs > now.getTime() + LONGEST_MS)
    throw new FlexInputError("until", "until must be at most 7 days ahead; send an earlier time.");
  return { action, until: endOf(action, endMs, now), ...values };
}

function defaultEndMs(
  action: OverrideAction,
  { result, leavesAt, now }: { result: FlexResult | undefined; leavesAt: Date | undefined; now: Date },
): number {
  const latestMs = now.getTime() + DEFAULT_MS;
  if (action === "guest") return latestMs;
  if (action === "target" || action === "surplus") return leavesAt?.getTime() ?? latestMs;
  const window = result?.window;
  const isOpen = window !== undefined && window.start <= now && now < window.askedEnd;
  return Math.min(latestMs, isOpen ? window.askedEnd.getTime() : Number.POSITIVE_INFINITY);
}

/** The end on a quarter-hour: a deadline is not put off, unless there is no quarter-hour before it. */
function endOf(action: SlotOverride["action"], endMs: number, now: Date): Date {
  const floorMs = floorTo(endMs, QUARTER_MS);
  const isDeadline = DEADLINES.includes(action) && floorMs > now.getTime();
  return new Date(isDeadline ? floorMs : ceilTo(endMs, QUARTER_MS));
}

/** The request of a run from the current quarter-hour to the end of an override, at full power. */
export function runRequest(settings: SlotSettings, { until }: SlotOverride, now: Date): FlexRequest {
  const run = { start: new Date(floorTo(now.getTime(), QUARTER_MS)), end: until };
  const vehicle = settings.vehicle === null ? undefined : vehicleOf(settings, settings.vehicle, undefined);
  const request: FlexRequest = {
    window: { kind: "fixed", ...run },
    count: hoursOf(run),
    consecutive: "off",
    allocation: "earliest",
    maxPowerKw: vehicle?.maxPowerKw,
    gridMinutes: 15,
  };
  return fillFromSlot(request, settings);
}

/**
 * The answer to the request of a run with no more power than the import limit leaves, but no less than the vehicle takes, and no more energy
 * than fits into it, which stays on when it is full, and the state of charge that it has then, percent; unchanged where its state of charge is not known.
 */
export function fitting(
  result: FlexResult,
  {
    settings,
    socPct,
    now,
    roomKw,
  }: {
    settings: SlotSettings;
    socPct: number | undefined;
    now: Date;
    roomKw(slot: ChosenSlot): number;
  },
): { result: FlexResult; socPct: number | undefined } {
  const { vehicle, kind, power_kw } = settings;
  if (kind !== "wallbox") return { result, socPct };
  const fullKw = result.powerKw ?? Number.POSITIVE_INFINITY;
  const pctPerKwh = vehicle === null ? 0 : vehicle.efficiency_pct / vehicle.capacity_kwh;
  const minKw = vehicle === null ? leastChargingKw(fullKw) : chargingPower(vehicle, power_kw).minKw;
  let pct = vehicle === null ? Number.NEGATIVE_INFINITY : (socPct ?? Number.NEGATIVE_INFINITY);
  const slots = result.slots.map((slot) => {
    if (slot.energyKwh === undefined) return slot;
    const share = hoursOf({ start: slot.start > now ? slot.start : now, end: slot.end }) / hoursOf(slot);
    const setPointKw = Math.min(fullKw, Math.max(minKw, roomKw(slot)));
    const drawnKwh = Math.min(slot.energyKwh, setPointKw * hoursOf(slot)) * share;
    const aheadKwh = Math.min(drawnKwh, (100 - pct) / pctPerKwh);
    pct += aheadKwh * pctPerKwh;
    return { ...slot, energyKwh: aheadKwh / share, ...(setPointKw < fullKw && { setPointKw }) };
  });
  const kwhIn = ({ start, end }: ChosenWindow) =>
    sumOfAll(slots.map((slot) => (slot.start >= start && slot.end <= end ? (slot.energyKwh ?? 0) : 0)));
  const windows = result.windows.map((window) => ({
    ...window,
    ...(window.energyKwh !== undefined && { energyKwh: kwhIn(window) }),
  }));
  return { result: { ...result, slots, windows }, socPct: socPct === undefined ? undefined : pct };
}

/** A demand as the schedule of its slot until the end of an override. */
export function dueSchedule(due: FlexRequest, { until }: SlotOverride, now: Date): SlotSchedule {
  const { plugged: _, ...ask } = due;
  return { ask: { ...ask, window: { kind: "fixed", start: now, end: until } }, until };
}

/** A schedule without what it does before the end of an override. */
export function skipping(result: FlexResult, { until }: SlotOverride): FlexResult {
  return {
    ...result,
    slots: result.slots.filter(({ start }) => start >= until),
    windows: result.windows.flatMap((window) => later(window, until)),
  };
}

/**
 * A schedule that begins with a run until the end of the override; `run` is the answer to a request for that time. Without a
 * schedule it is the run alone.
 */
export function running(
  run: FlexResult,
  planned: FlexResult | undefined,
  override: SlotOverride,
): FlexResult {
  const rest = planned === undefined ? undefined : skipping(planned, override);
  if (rest === undefined) return run;
  const slots = [...run.slots, ...rest.slots];
  return {
    ...rest,
    powerKw: rest.powerKw ?? run.powerKw,
    slots: ranked(slots),
    windows: ranked([...run.windows, ...rest.windows]),
  };
}

function later(window: ChosenWindow, until: Date): ChosenWindow[] {
  if (window.end <= until) return [];
  if (window.start >= until) return [window];
  const hours = (window.end.getTime() - until.getTime()) / HOUR_MS;
  const energyKwh = window.energyKwh === undefined ? undefined : (window.energyKwh * hours) / window.hours;
  return [{ ...window, start: until, hours, energyKwh }];
}

function ranked<Entry extends ChosenSlot | ChosenWindow>(entries: readonly Entry[]): Entry[] {
  return entries.map((entry, index) => ({ ...entry, rank: index + 1 }));
}
