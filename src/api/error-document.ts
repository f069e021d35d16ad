import { type Access, accessDocument } from "../accounts/access.js";
import { PlanInputError } from "../plan/overrides.js";
import { scalarsFirst } from "./documents/format.js";
import { ApiError } from "./errors.js";
import type { Document } from "./operation.js";

/**
 * The body of an error answer (docs/spec/http-api.md section 2): further scalars first, then `error` and `access`, then
 * other members such as the reduced data of a basic caller.
 */
export function errorDocument(error: ApiError, access: Access): Document {
  return scalarsFirst({
    error: { code: error.code, message: error.message, details: error.details },
    access: accessDocument(access),
    ...error.extra,
  });
}

/**
 * Maps any thrown value to the error for the caller. Unexpected errors become `internal_error`, which reveals no internal
 * details; the transport logs the original.
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof PlanInputError) {
    return new ApiError("invalid_parameter", thrown.message, {
      details: [{ field: thrown.field, message: thrown.message }],
    });
  }
  if (isStorageFailure(thrown)) {
    return new ApiError(
      "storage_unavailable",
      "The gateway cannot use its storage (a full disk, a damaged data folder, or a database that does not answer), so nothing was stored; the component store in /v1/status says which. Send the request again later.",
      { retryAfter: 30 },
    );
  }
  return new ApiError(
    "internal_error",
    "The gateway failed to answer this request; the gateway's log names the cause under the request id in X-Request-Id.",
  );
}

/** Store errors are recognised by their code, so that this module does not depend on the store. */
function isStorageFailure(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    "code" in thrown &&
    typeof thrown.code === "string" &&
    thrown.code.startsWith("storage_")
  );
}
