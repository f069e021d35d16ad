import { ApiError } from "./errors.js";

/** The refusal of a caller without a valid key, status 200; `reduced` is what it gets all the same. */
export function notAvailable(feature: string, reduced: Record<string, unknown> = {}): ApiError {
  return new ApiError(
    "not_available",
    `${feature} needs an access of community or higher: send a valid key in the X-API-Key header.`,
    { extra: reduced },
  );
}

/** The refusal in the moments before the first forecast run at start. */
export function notReady(): ApiError {
  return new ApiError(
    "not_ready",
    "The gateway has just started and has no forecast yet; ask again in a few seconds.",
    { retryAfter: 5 },
  );
}
