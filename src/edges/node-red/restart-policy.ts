/** Who ran this long had started well: what ended it then is a new cause. */
const STEADY_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** After so many ends in a row, each within the first minute, the flows are not started any more. */
const SAFE_AFTER = 5;
/** Then they are tried again: what ended them may have been a device that was off. */
export const SAFE_MODE_MS = 15 * 60_000;

/** How Node-RED is to be started after it has ended. */
export interface Restart {
  /** Ends in a row, each soon after the start; 1 = the first. */
  failures: number;
  waitMs: number;
  /** Start without running the flows, so that they can be corrected in the editor. */
  safeMode: boolean;
}

/** What follows an end after `ranMs`, with `failures` of the kind before it: 1 s, doubled each time, up to 1 min. */
export function restartAfter({ ranMs, failures: before }: { ranMs: number; failures: number }): Restart {
  const failures = ranMs >= STEADY_AFTER_MS ? 1 : before + 1;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return { failures, waitMs, safeMode: failures >= SAFE_AFTER };
}
