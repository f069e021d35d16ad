import { ApiError } from "./errors.js";
import type { QuotaVerdict } from "./services.js";

/** A 429 with the verdict for its headers; the body repeats their values (docs/spec/http-api.md section 4). */
export class QuotaExceededError extends ApiError {
  readonly verdict: QuotaVerdict;

  constructor(verdict: QuotaVerdict) {
    const { limit, scope } = verdict;
    const retryAfter = Math.max(1, Math.ceil(verdict.retryAfterSeconds ?? 1));
    super(
      "rate_limit_exceeded",
      `The limit of ${limit} calls is used up: wait ${retryAfter} seconds before the next call.`,
      {
        retryAfter,
        extra: { limit, remaining: 0, reset: resetSeconds(verdict), scope, retry_after: retryAfter },
      },
    );
    this.verdict = verdict;
  }
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
