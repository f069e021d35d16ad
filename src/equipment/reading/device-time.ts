import type { Evaluated } from "./evaluate.js";
import { momentMs } from "./text-place.js";

/** How far a time is ahead; 0 if it is none. */
export function aheadS(time: number | string | undefined, now: Date): number {
  const atMs = typeof time === "string" ? momentMs(time) : (time ?? Number.NaN) * 1000;
  return Number.isFinite(atMs) ? (atMs - now.getTime()) / 1000 : 0;
}

/** Values of one poll have one time; one that the device measured before it keeps its own. */
export function agedAt({ atMs }: Evaluated, at: Date, pollMs: number): Date {
  return atMs !== undefined && at.getTime() - atMs > pollMs ? new Date(atMs) : at;
}
