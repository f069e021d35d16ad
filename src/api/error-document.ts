import { type Access, accessDocument } from "../accounts/access.js";
import { scalarsFirst } from "../documents/scalars-first.js";
import { PlanInputError } from "../plan/overrides.js";
import { ApiError } from "./errors.js";
import type { Document } from "./operation.js";

/**
 * The body of a refusal (docs/spec/http-api.md section 2): further scalars first, then `error` and `access`, then what else the
 * answer holds, such as the reduced data of a basic caller.
 */
export function errorDocument(error: ApiError, access: Access): Document {
  return scalarsFirst({
    error: { code: error.code, message: error.message, details: error.details },
    access: accessDocument(access),
    ...error.extra,
  });
}

/**
 * Any thrown value as the refusal that the caller is told. What nobody foresaw becomes `internal_error`, which tells
 * nothing of the inside; logging the original is the transport's affair.
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
      "The gateway cannot write to its data folder, so nothing was stored; free disk space or repair the folder, then send the request again.",
      { retryAfter: 30 },
    );
  }
  return new ApiError(
    "internal_error",
    "The gateway failed to answer this request; the gateway's log names the cause under the request id in X-Request-Id.",
  );
}

/** The store marks its failures by a code; the edge needs no more of it. */
function isStorageFailure(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    "code" in thrown &&
    typeof thrown.code === "string" &&
    thrown.code.startsWith("storage_")
  );
}
