import { MINUTE_MS } from "./interval.js";

/** Age from which a reading is stale, and age from which it is lost; minutes. */
export interface FreshnessLimits {
  staleMinutes: number;
  lostMinutes: number;
}

/** A reading dated further ahead of the clock than this was dated by another clock, ms. */
export const MAX_AHEAD_MS = 5 * MINUTE_MS;

/** `stale`: carried forward by the plan and flagged; `lost`: the fail-safe applies. */
export type Freshness = "fresh" | "stale" | "lost";

/**
 * Freshness at `now` of a reading taken at `takenAt`. An age equal to a limit belongs to the better state. A missing
 * reading is lost; one dated slightly ahead of the clock is fresh. One dated further ahead was taken before the clock
 * was set back, at an unknown time, and is lost.
 */
export function freshness(takenAt: Date | undefined, now: Date, limits: FreshnessLimits): Freshness {
  if (takenAt === undefined) return "lost";
  const ageMinutes = (now.getTime() - takenAt.getTime()) / MINUTE_MS;
  if (ageMinutes > limits.lostMinutes || ageMinutes < -MAX_AHEAD_MS / MINUTE_MS) return "lost";
  return ageMinutes > limits.staleMinutes ? "stale" : "fresh";
}
