import { writeFileSync } from "node:fs";

/**
 * Makes Linux end this process before the gateway itself when memory runs out. Processes with a higher score (at most 1000)
 * are ended first. Has no effect on other systems.
 */
export function volunteerForOutOfMemory(score: number): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", String(score));
  } catch {
    // Not on Linux.
  }
}
