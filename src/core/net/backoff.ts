/** Wait after the first failure; doubled with each further one. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Upper limit for Retry-After. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * Waiting time after the `failures`-th consecutive failure (1 = the first), ms: exponential from 5 s to 15 min, the upper
 * half randomized by `random` (0 to 1), and at least the server's Retry-After (up to 24 h).
 */
export function backoffMs(failures: number, random: () => number, retryAfterMs = 0): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS);
  const jittered = full / 2 + (full / 2) * random();
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)));
}

/**
 * Parses a Retry-After header, seconds or HTTP date (RFC 9110, 10.2.3), as ms from `nowMs`; undefined when it is
 * neither.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts many other formats; an HTTP date always begins with the name of a weekday.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
