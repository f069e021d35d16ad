import { MINUTE_MS } from "../time/interval.js";

/** Up to which age a reading is taken as it is, and from which one it is of no use any more; minutes. */
export interface FreshnessLimits {
  staleMinutes: number;
  lostMinutes: number;
}

/** `stale`: carried forward by the plan and flagged; `lost`: the fail-safe holds. */
export type Freshness = "fresh" | "stale" | "lost";

/**
 * How far a reading taken at `takenAt` can be relied on at `now`. A limit itself still belongs to the better state; a
 * reading that was never taken is lost, one dated a little ahead of the clock is fresh.
 */
export function freshness(takenAt: Date | undefined, now: Date, limits: FreshnessLimits): Freshness {
  if (takenAt === undefined) return "lost";
  const ageMinutes = (now.getTime() - takenAt.getTime()) / MINUTE_MS;
  if (ageMinutes > limits.lostMinutes) return "lost";
  return ageMinutes > limits.staleMinutes ? "stale" : "fresh";
}
