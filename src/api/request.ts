import type { Access } from "../accounts/access.js";
import { errorDocument, toApiError } from "./error-document.js";
import { createInputReader } from "./input.js";
import type { Call, Caller, Document, Operation } from "./operation.js";
import { QuotaExceededError } from "./quota-exceeded.js";
import type { QuotaVerdict } from "./services.js";

/** An answer before it is serialised for a transport. */
export interface Answer {
  status: number;
  document: Document;
  /** Seconds for a Retry-After header. */
  retryAfter?: number | undefined;
  /** The limit that refused the call, with status 429. */
  verdict?: QuotaVerdict | undefined;
}

/** Parses a caller's values into the operation's input. Throws ApiError. The schema is compiled at the first call. */
export function inputReader(operation: Operation) {
  const read = operation.read?.bind(operation);
  if (read !== undefined) return read;
  const bySchema = createInputReader(operation.schema);
  return (raw: Record<string, unknown>, _caller: Caller) => bySchema(raw);
}

/** Runs an operation; errors become answers. `onFailure` is called with unexpected errors. */
export async function runOperation(
  operation: Operation,
  call: Call<Record<string, unknown>>,
  onFailure: (thrown: unknown) => void,
): Promise<Answer> {
  try {
    const document = await operation.run(call);
    return { status: operation.status?.(document) ?? 200, document };
  } catch (thrown) {
    return refusalAnswer(thrown, call.access, onFailure);
  }
}

/** The answer for a thrown value. */
export function refusalAnswer(thrown: unknown, access: Access, onFailure: (thrown: unknown) => void): Answer {
  const error = toApiError(thrown);
  if (error.status >= 500 && error.code !== "not_ready") onFailure(thrown);
  return {
    status: error.status,
    document: errorDocument(error, access),
    retryAfter: error.retryAfter,
    verdict: error instanceof QuotaExceededError ? error.verdict : undefined,
  };
}

/**
 * Creates the handler of an operation for a transport without quotas (MQTT): parses the input, runs the operation and
 * always answers. Created once per operation.
 */
export function createRequestHandler(operation: Operation, onFailure: (thrown: unknown) => void) {
  const read = inputReader(operation);
  return async (raw: Record<string, unknown>, caller: Caller): Promise<Answer> => {
    let input: Record<string, unknown>;
    try {
      input = read(raw, caller);
    } catch (thrown) {
      return refusalAnswer(thrown, caller.access, onFailure);
    }
    return runOperation(operation, { ...caller, input }, onFailure);
  };
}
