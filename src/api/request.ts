import type { Access } from "../accounts/access.js";
import { errorDocument, toApiError } from "./error-document.js";
import { createInputReader } from "./input.js";
import type { Call, Caller, Document, Operation } from "./operation.js";

/** An answer before it is written down for a transport. */
export interface Answer {
  status: number;
  document: Document;
  /** Seconds for a Retry-After header. */
  retryAfter?: number | undefined;
}

/** Reads what a caller sent into the operation's input; throws ApiError. The schema is compiled once, at the first call. */
export function inputReader(operation: Operation) {
  const read = operation.read?.bind(operation);
  if (read !== undefined) return read;
  const bySchema = createInputReader(operation.schema);
  return (raw: Record<string, unknown>, _caller: Caller) => bySchema(raw);
}

/** Runs an operation; what it throws becomes an answer. `onFailure` learns of what nobody foresaw. */
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

/** The answer to anything thrown. */
export function refusalAnswer(thrown: unknown, access: Access, onFailure: (thrown: unknown) => void): Answer {
  const error = toApiError(thrown);
  if (error.status >= 500 && error.code !== "not_ready") onFailure(thrown);
  return { status: error.status, document: errorDocument(error, access), retryAfter: error.retryAfter };
}

/**
 * Serves requests of a transport that counts no quotas (MQTT): reads the input, runs the operation, and answers
 * whatever happens. Created once per operation.
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
