/** Wait after the first failure; doubled with each further one. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** A server that asks for more than this is not believed for longer. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * How long to wait after the `failures`-th failure in a row (1 = the first), ms: exponential from 5 s to 15 min, of
 * which the upper half is drawn by `random` (0 to 1), and never less than the server's own Retry-After.
 */
export function backoffMs(failures: number, random: () => number, retryAfterMs = 0): number {
  const full = Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), LONGEST_WAIT_MS);
  const jittered = full / 2 + (full / 2) * random();
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)));
}

/**
 * Reads a Retry-After header, seconds or HTTP date (RFC 9110, 10.2.3), into ms from `nowMs`; undefined when it is
 * neither.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse takes many things for a date; an HTTP date always begins with the name of a weekday.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
