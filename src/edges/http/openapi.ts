import { ERROR_STATUS } from "../../api/errors.js";
import type { Operation } from "../../api/operation.js";
import { accessSchema, errorSchema, objectOf } from "../../api/schemas.js";

/** Error codes of any operation, by status. */
function refusals(): Map<number, string[]> {
  const byStatus = new Map<number, string[]>();
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    // No operation answers with not_found for its path.
    if (status === 200 || code === "not_found") continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** Version of the interface (docs/spec/http-api.md section 12), independent of the program's version. */
const INTERFACE_VERSION = "1.0.0";

/** Whether an operation can answer with this status: a GET has no body, /health has no quota. */
function applies(status: number, operation: Operation): boolean {
  if (status === 413 || status === 415) return operation.method === "POST";
  if (status === 404) return "slot_id" in propertiesOf(operation);
  if (status === 405) return false;
  return status !== 429 || operation.quotaClass({}) !== "status";
}

const rateLimitHeaders = {
  "X-RateLimit-Limit": { schema: { type: "integer" }, description: "Limit for this call type." },
  "X-RateLimit-Remaining": { schema: { type: "integer" }, description: "Calls left in the window." },
  "X-RateLimit-Reset": { schema: { type: "integer" }, description: "Epoch seconds when the window resets." },
  "X-RateLimit-Scope": {
    schema: { type: "string", enum: ["ip", "api_key", "api_key_day", "account"] },
    description: "What the limit applies to.",
  },
};

const retryAfter = {
  "Retry-After": { schema: { type: "integer" }, description: "Seconds to wait before the next call." },
};

/** `/v1/decision/hours-demand` as a name: `V1DecisionHoursDemand`. */
function nameOf(path: string): string {
  return path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function json(schema: object) {
  return { "application/json": { schema } };
}

function propertiesOf({ schema }: Operation): Record<string, object> {
  return (schema as { properties?: Record<string, object> }).properties ?? {};
}

function operationEntry(operation: Operation): Record<string, unknown> {
  const name = `${operation.method === "GET" ? "Get" : "Post"}${nameOf(operation.path)}`;
  const full = { $ref: `#/components/schemas/${name}Answer` };
  const reduced = { $ref: `#/components/schemas/${name}Reduced` };
  const responses: Record<string, unknown> = {
    200: {
      description:
        operation.reduced === undefined
          ? "The answer."
          : "The answer; without a valid key the reduced data with error not_available.",
      ...(operation.path.startsWith("/v1/") ? { headers: rateLimitHeaders } : {}),
      content: json(operation.reduced === undefined ? full : { anyOf: [full, reduced] }),
    },
  };
  for (const [status, codes] of refusals()) {
    if (!applies(status, operation)) continue;
    const limited = status === 429;
    responses[status] = {
      description: `Refused: ${codes.join(", ")}.`,
      ...(limited ? { headers: { ...rateLimitHeaders, ...retryAfter } } : {}),
      content: json({ $ref: `#/components/schemas/${limited ? "RateLimitExceeded" : "Refusal"}` }),
    };
  }
  if (operation.status !== undefined) {
    responses[503] = {
      description: "A vital component is down.",
      content: json({ anyOf: [full, { $ref: "#/components/schemas/Refusal" }] }),
    };
  }
  return {
    operationId: name.charAt(0).toLowerCase() + name.slice(1),
    summary: operation.purpose,
    ...(operation.method === "GET"
      ? {
          parameters: Object.entries(propertiesOf(operation)).map(([parameter, schema]) => ({
            name: parameter,
            in: "query",
            required: false,
            schema,
          })),
        }
      : { requestBody: { required: false, content: json({ $ref: `#/components/schemas/${name}Request` }) } }),
    responses,
  };
}

function schemasOf(operation: Operation): Record<string, object> {
  const name = `${operation.method === "GET" ? "Get" : "Post"}${nameOf(operation.path)}`;
  return {
    [`${name}Answer`]: operation.response,
    ...(operation.reduced === undefined ? {} : { [`${name}Reduced`]: operation.reduced }),
    ...(operation.method === "POST" ? { [`${name}Request`]: operation.schema } : {}),
  };
}

/** The OpenAPI 3.1 document of the given operations. */
export function openApiDocument(operations: readonly Operation[], baseUrl: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = operationEntry(operation);
    paths[operation.path] = path;
  }
  const integer = { type: "integer" };
  return {
    openapi: "3.1.0",
    info: {
      title: "hourgate",
      version: INTERFACE_VERSION,
      description: "Electricity price forecast and decision service of an on-premises energy gateway.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    // A call without a key succeeds with reduced data, so the empty requirement is listed too.
    security: [{ ApiKey: [] }, {}],
    paths,
    components: {
      securitySchemes: {
        ApiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "A key of one plant. Without one, or with an invalid one, calls answer as tier basic.",
        },
      },
      schemas: {
        Access: accessSchema,
        Error: errorSchema,
        Refusal: objectOf({
          error: { $ref: "#/components/schemas/Error" },
          access: { $ref: "#/components/schemas/Access" },
        }),
        RateLimitExceeded: objectOf({
          limit: integer,
          remaining: integer,
          reset: integer,
          scope: { type: "string" },
          retry_after: integer,
          error: { $ref: "#/components/schemas/Error" },
          access: { $ref: "#/components/schemas/Access" },
        }),
        ...Object.assign({}, ...operations.map(schemasOf)),
      },
    },
  };
}
