import { ApiError } from "./errors.js";
import type { QuotaVerdict } from "./services.js";

/** A 429 with the verdict for its headers; the body repeats their values (docs/spec/http-api.md section 4). */
export class QuotaExceededError extends ApiError {
  readonly verdict: QuotaVerdict;

  constructor(verdict: QuotaVerdict, message = usedUp(verdict)) {
    const { limit, scope } = verdict;
    const retryAfter = retryAfterOf(verdict);
    super("rate_limit_exceeded", message, {
      retryAfter,
      extra: { limit, remaining: 0, reset: resetSeconds(verdict), scope, retry_after: retryAfter },
    });
    this.verdict = verdict;
  }
}

/** The error for a call beyond those that may be computed or wait at a time; `limit` of them. */
export function tooManyAtOnce(
  message: string,
  { limit, scope, seconds, now }: Pick<QuotaVerdict, "limit" | "scope"> & { seconds: number; now: Date },
): QuotaExceededError {
  const resetAt = new Date(now.getTime() + 1000 * seconds);
  return new QuotaExceededError(
    {
      allowed: false,
      limit,
      remaining: 0,
      resetAt,
      scope,
      retryAfterSeconds: seconds,
      softcapExceeded: false,
    },
    message,
  );
}

function usedUp(verdict: QuotaVerdict): string {
  return `The limit of ${verdict.limit} calls is used up: wait ${retryAfterOf(verdict)} seconds before the next call.`;
}

function retryAfterOf({ retryAfterSeconds = 1 }: QuotaVerdict): number {
  return Math.max(1, Math.ceil(retryAfterSeconds));
}

/** The verdict of a call that is allowed. Throws QuotaExceededError. */
export function requireAllowed(verdict: QuotaVerdict): QuotaVerdict {
  if (!verdict.allowed) throw new QuotaExceededError(verdict);
  return verdict;
}

/** Epoch seconds when the window resets. */
export function resetSeconds({ resetAt }: QuotaVerdict): number {
  return Math.ceil(resetAt.getTime() / 1000);
}
