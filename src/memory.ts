import { writeFileSync } from "node:fs";

/**
 * Where memory runs out, Linux shall take this process before the one that steers the battery. Of two that say so the one with
 * the higher score, of at most 1000, goes first.
 */
export function volunteerForOutOfMemory(score: number): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", String(score));
  } catch {
    // Not Linux.
  }
}
