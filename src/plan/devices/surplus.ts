import { HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";

/** Limits and times of a device that follows the PV surplus. */
export interface FollowerRules {
  minPowerKw: number;
  /** Below the least power the import limit does not have it: it is off. */
  maxPowerKw: number;
}

/** What is known at one tick. */
export interface FollowerInput {
  nowMs: number;
  /** PV power that the device may take, kW; below 0: the site lacks power without it. */
  surplusKw: number;
  /** Power that the plan gives the device in any case, kW; 0: none. */
  plannedKw: number;
  /** False: the device is full, not plugged in, or switched off by an override. */
  wanted: boolean;
}

/** State of a follower; plain data. */
export interface FollowerState {
  powerKw: number;
  /** Since when the surplus has been enough for the least power without interruption; undefined: it is not. */
  enoughSinceMs: number | undefined;
  /** Since when the surplus has been short; it ends when the surplus has been enough for START_AFTER_MS. */
  shortSinceMs: number | undefined;
  /** Since when the import limit has left the least power without interruption; undefined: it does not. */
  roomSinceMs: number | undefined;
  /** Last start without a plan. */
  startedAtMs: number;
}

/** The surplus, or what the import limit leaves again, has to last this long before a start. */
export const START_AFTER_MS = MINUTE_MS;
/** A device stops once the surplus has been short for this long. */
export const STOP_AFTER_MS = 3 * MINUTE_MS;
/** Least time between two starts by surplus: contactors and on-board chargers wear with each. */
export const BETWEEN_STARTS_MS = 10 * MINUTE_MS;
/** Resolution of set-points. */
const STEPS_PER_KW = 10;
/** The surplus has to exceed a set-point by this before it is raised, kW. */
const RAISE_KW = 0.2;

/** A follower that has not started yet. */
export const IDLE_FOLLOWER: FollowerState = {
  powerKw: 0,
  enoughSinceMs: undefined,
  shortSinceMs: undefined,
  roomSinceMs: Number.NEGATIVE_INFINITY,
  startedAtMs: Number.NEGATIVE_INFINITY,
};

/**
 * The next state of a device that follows the surplus: it starts after START_AFTER_MS of enough surplus, follows it between
 * its least and its greatest power, and stops after STOP_AFTER_MS without. It takes no less than the plan gives it, as far as its greatest power allows. Pure.
 */
export function followSurplus(
  before: FollowerState,
  { nowMs, surplusKw, plannedKw, wanted }: FollowerInput,
  { minPowerKw, maxPowerKw }: FollowerRules,
): FollowerState {
  const isEnough = surplusKw >= minPowerKw - TOLERANCE_KW;
  const enoughSinceMs = isEnough ? (before.enoughSinceMs ?? nowMs) : undefined;
  const lasts = enoughSinceMs !== undefined && nowMs - enoughSinceMs >= START_AFTER_MS;
  const shortSinceMs = lasts ? undefined : isEnough ? before.shortSinceMs : (before.shortSinceMs ?? nowMs);
  const roomSinceMs = maxPowerKw < minPowerKw ? undefined : (before.roomSinceMs ?? nowMs);
  const hasRoom = roomSinceMs !== undefined && nowMs - roomSinceMs >= START_AFTER_MS;
  const next = { ...before, enoughSinceMs, shortSinceMs, roomSinceMs };
  if (!wanted || !hasRoom) return { ...next, powerKw: 0 };
  const followedKw = Math.min(
    maxPowerKw,
    Math.max(minPowerKw, modulated(before.powerKw, surplusKw), Math.min(plannedKw, maxPowerKw)),
  );
  if (plannedKw > 0) return { ...next, powerKw: followedKw };
  if (before.powerKw > 0) {
    const isOver = shortSinceMs !== undefined && nowMs - shortSinceMs >= STOP_AFTER_MS;
    return { ...next, powerKw: isOver ? 0 : followedKw };
  }
  if (!lasts || nowMs - before.startedAtMs < BETWEEN_STARTS_MS) return { ...next, powerKw: 0 };
  return { ...next, powerKw: followedKw, startedAtMs: nowMs };
}

/** The surplus as a set-point, rounded down; small rises keep the last one. */
function modulated(beforeKw: number, surplusKw: number): number {
  if (surplusKw >= beforeKw && surplusKw < beforeKw + RAISE_KW) return beforeKw;
  return Math.floor(surplusKw * STEPS_PER_KW + 1e-6) / STEPS_PER_KW;
}

const TOLERANCE_KW = 1e-6;

/** Powers of a site without the device that follows, kW. */
export interface SitePowers {
  /** PV power less the load without vehicles. */
  surplusKw: number;
  /** Set-points of the other wallboxes. */
  othersKw: number;
  /** Charging is positive; undefined where it is not measured. */
  batteryKw: number | undefined;
  /** What the device itself takes. */
  ownKw: number;
}

/** What the battery may take before a device does. */
export interface BatteryShare {
  /** The largest power that the battery took while the site exported, kW; undefined: not seen. */
  seenKw: number | undefined;
  seenAtMs: number;
}

export const UNSEEN_BATTERY: BatteryShare = { seenKw: undefined, seenAtMs: Number.NEGATIVE_INFINITY };

/** Above this export the battery takes all that it can, kW. */
const EXPORT_KW = 0.2;
/** How long a seen limit of the battery applies. */
const SEEN_MS = HOUR_MS / 4;

/**
 * What the battery was seen to take: near full or in the cold it takes less than its settings say, and the rest is
 * exported. Pure.
 */
export function observeBattery(before: BatteryShare, powers: SitePowers, nowMs: number): BatteryShare {
  const { batteryKw } = powers;
  if (batteryKw === undefined) return UNSEEN_BATTERY;
  const exportKw = powers.surplusKw - powers.othersKw - powers.ownKw - batteryKw;
  if (exportKw > EXPORT_KW) return { seenKw: Math.max(0, batteryKw), seenAtMs: nowMs };
  const isOld = nowMs - before.seenAtMs > SEEN_MS;
  return isOld || (before.seenKw !== undefined && batteryKw > before.seenKw + EXPORT_KW)
    ? UNSEEN_BATTERY
    : before;
}

/**
 * PV power that a device may take, kW: all of the surplus where the plan gives it energy (`isFirst`), else what the battery
 * leaves. The battery never discharges for it.
 */
export function surplusFor(
  powers: SitePowers,
  { isFirst, batteryMostKw, seen }: { isFirst: boolean; batteryMostKw: number; seen: BatteryShare },
): number {
  const surplusKw = powers.surplusKw - powers.othersKw;
  return isFirst ? surplusKw : surplusKw - Math.min(batteryMostKw, seen.seenKw ?? Number.POSITIVE_INFINITY);
}
