import type { Access } from "../accounts/access.js";
import type { QuotaClass } from "../accounts/quota-class.js";
import type { Contract } from "./contract.js";

/** A JSON document of an answer; scalars precede the first object or array (docs/spec/http-api.md section 1). */
export type Document = Record<string, unknown>;

/** The caller's access and the time of the call. */
export interface Caller {
  access: Access;
  now: Date;
}

/** One call of an operation, independent of the transport. `input` conforms to the operation's schema. */
export interface Call<Input> extends Caller {
  input: Input;
  /** The caller exceeds its telemetry softcap: the live state is updated, the history is thinned (docs/spec/http-api.md section 4). */
  softcapExceeded?: boolean;
}

/**
 * One operation of the interface, independent of the transport: HTTP serves it under `path`, MQTT as a request. The input is
 * validated against `schema` before `run`; openapi.json contains the same schema.
 */
export interface Operation<Input = Record<string, unknown>> {
  method: "GET" | "POST";
  path: string;
  /** One sentence for /v1/status and openapi.json. */
  purpose: string;
  /** JSON Schema 2020-12 of the parameters (GET: query, POST: body), an object without `required`-by-default. */
  schema: object;
  /** What openapi.json says beyond `schema`. */
  contract: Contract;
  /** JSON Schema of the answer. */
  response: object;
  /** JSON Schema of the answer of another operation that this one can also give. */
  otherResponse?: object;
  /** JSON Schema of the answer to a basic caller with the error `not_available`; omitted: all callers get `response`. */
  reduced?: object;
  quotaClass(input: Input): QuotaClass;
  /** The answer; throws ApiError. */
  run(call: Call<Input>): Document | Promise<Document>;
  /**
   * Parses the input if a schema is not sufficient (telemetry keeps valid fields next to invalid ones). Throws ApiError.
   * Omitted: `schema` is used. A call that is rejected here is not counted.
   */
  read?(raw: Record<string, unknown>, caller: Caller): Input;
  /** HTTP status of an answer that is not an ApiError and not always 200 (health). */
  status?(document: Document): number;
  /**
   * Cache key: equal for calls with equal answers. The transport then caches the serialised bytes. Undefined for a call that
   * changes state or whose answer must not be cached.
   */
  cacheKey?(call: Call<Input>): string | undefined;
  /** The cache keys contain the second of the call, so a small cache is sufficient. */
  perSecondCache?: boolean;
}
