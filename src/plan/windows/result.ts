import { contains, type Interval, minutesUntil } from "../../core/domain/interval.js";
import type { PricedSlot } from "./prices.js";
import type { FlexAllocation, FlexRole } from "./request.js";
import type { ResolvedWindow } from "./window.js";
import type { Consecutive, WindowMode } from "./windows-request.js";

/** A chosen slot; rank 1 has the best price of the chosen ones. */
export interface ChosenSlot extends PricedSlot {
  rank: number;
  /** Undefined without a known power. */
  energyKwh: number | undefined;
  /** Power of a device that can be set to one, kW; left out: full power. */
  setPointKw?: number;
  /** Planned for PV surplus: less surplus than expected is not replaced by import. */
  fromSurplus?: boolean;
  /** Part of `energyKwh` that the expected PV surplus covers; left out where it is not known. */
  surplusKwh?: number;
}

/** Adjoining chosen slots as one window. */
export interface ChosenWindow extends Interval {
  rank: number;
  hours: number;
  averageCtKwh: number;
  energyKwh: number | undefined;
  /** Number of the segment of its first slot, from 1; undefined without segments. */
  segment: number | undefined;
}

/** A segment of the demand; start and end are those of its remaining part, undefined if done or not placed. */
export interface SegmentState {
  /** From 1, in the order of the request. */
  segment: number;
  hours: number;
  completedHours: number;
  start: Date | undefined;
  end: Date | undefined;
}

/** The answer to a windows request. */
export interface FlexResult {
  mode: WindowMode;
  role: FlexRole;
  consecutive: Consecutive;
  allocation: FlexAllocation;
  deadlineStrict: boolean;
  repeatDaily: boolean;
  /** 0: not plugged in. */
  plugged: number;
  zone: string;
  gridMinutes: 60 | 15;
  window: ResolvedWindow;
  /** What the device is expected to take. */
  powerKw: number | undefined;
  /** What it is asked for where it takes less, kW; left out: `powerKw`. */
  askedKw?: number | undefined;
  batterySharePct: number | undefined;
  /** Less what is completed, in whole slots. */
  demandHours: number;
  demandEnergyKwh: number | undefined;
  batteryEnergyKwh: number | undefined;
  unmetHours: number;
  /** Part of `unmetHours` for which the import limit leaves too little; left out: none. */
  overLimitHours?: number;
  /** In order of time. */
  slots: ChosenSlot[];
  /** In order of rank. */
  windows: ChosenWindow[];
  segments: SegmentState[];
  /** Means of the ranking price over the chosen slots and over all candidates; undefined without any. */
  averageCtKwh: number | undefined;
  windowAverageCtKwh: number | undefined;
}

/** State of a result at a moment. */
export interface FlexMoment {
  chargeNow: 0 | 1;
  /** Power of the device now, kW: 0 while it does not run, undefined where its power is not known. */
  powerKw: number | undefined;
  /** Start of the next window after now. */
  nextStart: Date | undefined;
  /** 0 while charging, -1 without a later start. */
  minutesToStart: number;
}

/** The state of a result at `now`. An unplugged device does not charge, but keeps its windows. */
export function momentOf(
  {
    slots,
    windows,
    plugged,
    powerKw: tookKw,
    askedKw: fullKw = tookKw,
  }: Pick<FlexResult, "slots" | "windows" | "plugged" | "powerKw" | "askedKw">,
  now: Date,
): FlexMoment {
  const running = plugged === 0 ? undefined : slots.find((slot) => contains(slot, now));
  const chargeNow = running === undefined ? 0 : 1;
  const powerKw = running === undefined ? 0 : (running.setPointKw ?? fullKw);
  let nextStart: Date | undefined;
  for (const { start } of windows)
    if (start > now && (nextStart === undefined || start < nextStart)) nextStart = start;
  const minutesToStart = chargeNow === 1 ? 0 : nextStart === undefined ? -1 : minutesUntil(nextStart, now);
  return { chargeNow, powerKw, nextStart, minutesToStart };
}

/** Share of the asked power that the device is expected to take. */
export function slowness({
  powerKw = 1,
  askedKw = powerKw,
}: Pick<FlexResult, "powerKw" | "askedKw">): number {
  return powerKw / askedKw;
}
