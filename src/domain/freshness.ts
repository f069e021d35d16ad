import { MINUTE_MS } from "./interval.js";

/** Up to which age a reading is taken as it is, and from which one it is of no use any more; minutes. */
export interface FreshnessLimits {
  staleMinutes: number;
  lostMinutes: number;
}

/** A reading that is dated further ahead of the clock than this was dated by another clock, ms. */
export const MAX_AHEAD_MS = 5 * MINUTE_MS;

/** `stale`: carried forward by the plan and flagged; `lost`: the fail-safe holds. */
export type Freshness = "fresh" | "stale" | "lost";

/**
 * How far a reading taken at `takenAt` can be relied on at `now`. A limit itself still belongs to the better state; a
 * reading that was never taken is lost, one dated a little ahead of the clock is fresh. One further ahead was taken before the
 * clock was set back, nobody knows when: it is lost.
 */
export function freshness(takenAt: Date | undefined, now: Date, limits: FreshnessLimits): Freshness {
  if (takenAt === undefined) return "lost";
  const ageMinutes = (now.getTime() - takenAt.getTime()) / MINUTE_MS;
  if (ageMinutes > limits.lostMinutes || ageMinutes < -MAX_AHEAD_MS / MINUTE_MS) return "lost";
  return ageMinutes > limits.staleMinutes ? "stale" : "fresh";
}
