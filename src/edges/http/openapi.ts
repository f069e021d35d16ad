import { TAGS } from "../../api/contract.js";
import { ERROR_STATUS } from "../../api/errors.js";
import type { Operation } from "../../api/operation.js";
import { accessSchema, errorSchema, objectOf, timezoneSchema } from "../../api/schemas.js";
import { recipeSchema } from "../../api/windows-schema.js";

/** Schemas that have a name of their own wherever they are used. */
const SHARED: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [accessSchema, "Access"],
  [errorSchema, "Error"],
  [timezoneSchema, "TimeZone"],
  [recipeSchema, "DeviceSchedule"],
]);

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A schema in which the shared ones are references. */
function documented(schema: unknown): unknown {
  const name = SHARED.get(schema);
  return name === undefined ? membersOf(schema) : ref(name);
}

function membersOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, documented(value)]));
}

function sharedSchemas(): Record<string, unknown> {
  const named = Object.fromEntries([...SHARED].map(([schema, name]) => [name, membersOf(schema)]));
  return { ...named, TimeZone: { ...timezoneSchema, minLength: 1, pattern: zonePattern() } };
}

/** The names of the time zones as a pattern. */
function zonePattern(): string {
  const names = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((name) => name.replaceAll("+", "\\+"));
  return `^(?:${[...new Set(names)].join("|")})$`;
}

/** The members of an operation's input, each with what the operation checks itself. */
function inputMembers({ schema, contract }: Operation): [name: string, schema: unknown][] {
  const { properties = {} } = schema as { properties?: Record<string, object> };
  return Object.entries(properties).map(([name, member]) => {
    const more = contract.members?.[name];
    return [name, more === undefined ? documented(member) : documented({ ...member, ...more })];
  });
}

function bodySchema(operation: Operation): object {
  const { properties: _, ...rest } = operation.schema as { properties?: object };
  return {
    ...(documented(rest) as object),
    properties: Object.fromEntries(inputMembers(operation)),
    ...operation.contract.keywords,
  };
}

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

function propertiesOf({ schema }: Operation): Record<string, { description?: string }> {
  return (schema as { properties?: Record<string, object> }).properties ?? {};
}

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

function json(schema: unknown, example?: unknown) {
  return { "application/json": { schema, ...(example !== undefined && { example }) } };
}

/** The name of an operation, and the first part of the names of its schemas. */
function operationName({ method, path }: Operation): string {
  return `${method === "GET" ? "Get" : "Post"}${nameOf(path)}`;
}

/** The answers with status 200: its own, that of another operation, the reduced one. */
function answerSchema(operation: Operation, operations: readonly Operation[]): object {
  const name = operationName(operation);
  const other = operations.find(({ response }) => response === operation.otherResponse);
  const answers = [
    ref(`${name}Answer`),
    ...(other === undefined ? [] : [ref(`${operationName(other)}Answer`)]),
    ...(operation.reduced === undefined ? [] : [ref(`${name}Reduced`)]),
  ];
  return answers.length === 1 ? answers[0]! : { anyOf: answers };
}

function operationEntry(operation: Operation, operations: readonly Operation[]): Record<string, unknown> {
  const name = operationName(operation);
  const { contract } = operation;
  const responses: Record<string, unknown> = {
    200: {
      description:
        operation.reduced === undefined
          ? "The answer."
          : "The answer; without a valid key the reduced data with error not_available.",
      ...(operation.path.startsWith("/v1/") ? { headers: rateLimitHeaders } : {}),
      content: json(answerSchema(operation, operations), contract.answer),
    },
  };
  for (const [status, codes] of refusals()) {
    if (!applies(status, operation)) continue;
    const limited = status === 429;
    responses[status] = {
      description: `Refused: ${codes.join(", ")}.`,
      ...(limited ? { headers: { ...rateLimitHeaders, ...retryAfter } } : {}),
      content: json(ref(limited ? "RateLimitExceeded" : "Refusal")),
    };
  }
  if (operation.status !== undefined) {
    responses[503] = {
      description: "A vital component is down.",
      content: json({ anyOf: [ref(`${name}Answer`), ref("Refusal")] }),
    };
  }
  return {
    operationId: name.charAt(0).toLowerCase() + name.slice(1),
    tags: [contract.tag],
    summary: operation.purpose,
    description: contract.description ?? operation.purpose,
    ...(operation.method === "GET"
      ? { parameters: parametersOf(operation) }
      : { requestBody: bodyOf(operation) }),
    responses,
  };
}

function parametersOf(operation: Operation) {
  const { example } = operation.contract;
  return inputMembers(operation).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    description: propertiesOf(operation)[name]?.description ?? "",
    schema,
    ...(Object.hasOwn(example, name) && { example: example[name] }),
  }));
}

function bodyOf(operation: Operation) {
  const { required = [], minProperties = 0 } = bodySchema(operation) as {
    required?: string[];
    minProperties?: number;
  };
  return {
    required: required.length + minProperties > 0,
    content: json(ref(`${operationName(operation)}Request`), operation.contract.example),
  };
}

function schemasOf(operation: Operation): Record<string, unknown> {
  const name = operationName(operation);
  return {
    [`${name}Answer`]: documented(operation.response),
    ...(operation.reduced === undefined ? {} : { [`${name}Reduced`]: documented(operation.reduced) }),
    ...(operation.method === "POST" ? { [`${name}Request`]: bodySchema(operation) } : {}),
  };
}

/** The OpenAPI 3.1 document of the given operations. */
export function openApiDocument(operations: readonly Operation[], baseUrl: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = operationEntry(operation, operations);
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
      contact: { name: "hourgate", url: "https://github.com/hourgate/hourgate/issues" },
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
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
        ...sharedSchemas(),
        Refusal: objectOf({ error: ref("Error"), access: ref("Access") }),
        RateLimitExceeded: objectOf({
          limit: integer,
          remaining: integer,
          reset: integer,
          scope: { type: "string" },
          retry_after: integer,
          error: ref("Error"),
          access: ref("Access"),
        }),
        ...Object.assign({}, ...operations.map(schemasOf)),
      },
    },
  };
}
