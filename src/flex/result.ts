import type { Allocation, Consecutive, WindowMode } from "../decision/windows-request.js";
import { contains, type Interval, minutesUntil } from "../domain/interval.js";
import type { PricedSlot } from "./prices.js";
import type { FlexRole } from "./request.js";
import type { ResolvedWindow } from "./window.js";

/** A chosen slot; rank 1 is the best of the chosen ones by the price that was ranked by. */
export interface ChosenSlot extends PricedSlot {
  rank: number;
  /** Undefined where no power is known. */
  energyKwh: number | undefined;
}

/** Adjoining chosen slots in one. */
export interface ChosenWindow extends Interval {
  rank: number;
  hours: number;
  averageCtKwh: number;
  energyKwh: number | undefined;
  /** Number of the segment of its first slot, from 1; undefined without segments. */
  segment: number | undefined;
}

/** A segment of the demand; start and end are of what is left of it, undefined when done or not placed. */
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
  allocation: Allocation;
  deadlineStrict: boolean;
  repeatDaily: boolean;
  /** 0: not plugged in. */
  plugged: number;
  zone: string;
  gridMinutes: 60 | 15;
  window: ResolvedWindow;
  powerKw: number | undefined;
  batterySharePct: number | undefined;
  /** Net of what is completed, in whole slots. */
  demandHours: number;
  demandEnergyKwh: number | undefined;
  batteryEnergyKwh: number | undefined;
  unmetHours: number;
  /** In order of time. */
  slots: ChosenSlot[];
  /** The best first. */
  windows: ChosenWindow[];
  segments: SegmentState[];
  /** Means of the price ranked by, over the chosen slots and over all candidates; undefined for none. */
  averageCtKwh: number | undefined;
  windowAverageCtKwh: number | undefined;
}

/** What a result says at a moment. */
export interface FlexMoment {
  chargeNow: 0 | 1;
  /** Start of the next window after now. */
  nextStart: Date | undefined;
  /** 0 while charging, -1 when no start is ahead. */
  minutesToStart: number;
}

/** Reads a result at `now`. Not plugged in, nothing charges, though the plan stands. */
export function momentOf(
  { slots, windows, plugged }: Pick<FlexResult, "slots" | "windows" | "plugged">,
  now: Date,
): FlexMoment {
  const chargeNow = plugged !== 0 && slots.some((slot) => contains(slot, now)) ? 1 : 0;
  let nextStart: Date | undefined;
  for (const { start } of windows)
    if (start > now && (nextStart === undefined || start < nextStart)) nextStart = start;
  const minutesToStart = chargeNow === 1 ? 0 : nextStart === undefined ? -1 : minutesUntil(nextStart, now);
  return { chargeNow, nextStart, minutesToStart };
}
