import { ApiError } from "./errors.js";

/** The error for a caller without a valid key, status 200; `reduced` is the data it gets nevertheless. */
export function notAvailable(feature: string, reduced: Record<string, unknown> = {}): ApiError {
  return new ApiError(
    "not_available",
    `${feature} needs an access of community or higher: send a valid key in the X-API-Key header.`,
    { extra: reduced },
  );
}

/** The error before the first forecast run after the start. */
export function notReady(): ApiError {
  return new ApiError(
    "not_ready",
    "The gateway has just started and has no forecast yet; repeat the request in a few seconds.",
    { retryAfter: 5 },
  );
}
