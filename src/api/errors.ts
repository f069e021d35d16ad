/** Error codes of docs/spec/http-api.md section 2 with their HTTP status; stable, documented in docs/errors.md. */
export const ERROR_STATUS = {
  not_available: 200,
  plant_not_configured: 200,
  invalid_parameter: 400,
  conflicting_parameters: 400,
  invalid_json: 400,
  malformed_request: 400,
  not_found: 404,
  slot_not_assigned: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  misdirected_request: 421,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_ready: 503,
  storage_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export interface ErrorDetail {
  field: string;
  message: string;
}

/** An error for the caller: a stable code, a sentence that says what to do, and every invalid field. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetail[];
  /** Further top-level members of the answer, such as the reduced data of a basic caller or the limit of a 429. */
  readonly extra: Record<string, unknown>;
  /** Seconds for a Retry-After header. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetail[]; extra?: Record<string, unknown>; retryAfter?: number } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = options.details ?? [];
    this.extra = options.extra ?? {};
    this.retryAfter = options.retryAfter;
  }
}

/** The error for a slot without a device. */
export function slotNotAssigned(slot: number): ApiError {
  return new ApiError(
    "slot_not_assigned",
    `Slot ${slot} is not assigned to a device: set it up in the plant's EMS settings first.`,
    { details: [{ field: "slot_id", message: `Slot ${slot} is not assigned.` }] },
  );
}
