import type { Access } from "../accounts/access.js";
import type { QuotaClass } from "../accounts/quota-class.js";

/** A JSON document as it goes out; scalars stand before the first object or array (docs/spec/http-api.md section 1). */
export type Document = Record<string, unknown>;

/** Who calls, and when. */
export interface Caller {
  access: Access;
  now: Date;
}

/** One call of an operation, whatever carried it here. `input` has passed the operation's schema. */
export interface Call<Input> extends Caller {
  input: Input;
  /** The caller is past its telemetry softcap: the reading counts, the history is thinned (docs/spec/http-api.md section 4). */
  softcapExceeded?: boolean;
}

/**
 * One operation of the interface, independent of the transport: HTTP serves it under `path`, MQTT as a request.
 * Validation happens against `schema` before `run`; the same schema is the operation's page in openapi.json.
 */
export interface Operation<Input = Record<string, unknown>> {
  method: "GET" | "POST";
  path: string;
  /** One sentence; stands in /v1/status and in openapi.json. */
  purpose: string;
  /** JSON Schema 2020-12 of the parameters (GET: query, POST: body), an object without `required`-by-default. */
  schema: object;
  /** JSON Schema of the answer. */
  response: object;
  /** JSON Schema of what a basic caller gets with the error `not_available`; left out: all callers get `response`. */
  reduced?: object;
  quotaClass(input: Input): QuotaClass;
  /** The answer; throws ApiError. */
  run(call: Call<Input>): Document | Promise<Document>;
  /**
   * Reads the input itself where a schema cannot (telemetry keeps good fields beside bad ones); throws ApiError. Left
   * out: `schema` decides. What is refused here is counted against no quota.
   */
  read?(raw: Record<string, unknown>, caller: Caller): Input;
  /** HTTP status of an answer that is no ApiError and yet not always 200 (health). */
  status?(document: Document): number;
  /**
   * Where the answer depends on little (tier, zone, hour): a text that is equal whenever the answer is. The transport
   * then keeps the serialised bytes. Undefined for a call that changes something, or whose answer may not be kept.
   */
  cacheKey?(call: Call<Input>): string | undefined;
  /** The keys hold the second of the call: only a few answers are worth keeping. */
  perSecondCache?: boolean;
}
