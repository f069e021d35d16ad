import type { OutgoingHttpHeaders } from "node:http";
import { ApiError } from "../api/errors.js";
import type { QuotaVerdict } from "../api/services.js";

/** The rate-limit headers of docs/spec/http-api.md section 4. */
export function rateLimitHeaders(verdict: QuotaVerdict): OutgoingHttpHeaders {
  return {
    "X-RateLimit-Limit": verdict.limit,
    "X-RateLimit-Remaining": verdict.allowed ? Math.max(0, verdict.remaining) : 0,
    "X-RateLimit-Reset": resetSeconds(verdict),
    "X-RateLimit-Scope": verdict.scope,
  };
}

/** The error for a call above its limit; the body repeats the values of the headers (docs/spec/http-api.md section 4). */
export function rateLimitExceeded(verdict: QuotaVerdict): ApiError {
  const retryAfter = Math.max(1, Math.ceil(verdict.retryAfterSeconds ?? 1));
  return new ApiError(
    "rate_limit_exceeded",
    `The limit of ${verdict.limit} calls is used up: wait ${retryAfter} seconds before the next call.`,
    {
      retryAfter,
      extra: {
        limit: verdict.limit,
        remaining: 0,
        reset: resetSeconds(verdict),
        scope: verdict.scope,
        retry_after: retryAfter,
      },
    },
  );
}

function resetSeconds(verdict: QuotaVerdict): number {
  return Math.ceil(verdict.resetAt.getTime() / 1000);
}
