import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { isZone } from "../core/time/zone.js";
import { ApiError, type ErrorDetail } from "./errors.js";
import { type ExpectedSchema, expectation } from "./expectation.js";

/** Parses a caller's values into an operation's input. Throws ApiError `invalid_parameter`. */
export type InputReader = (raw: Record<string, unknown>) => Record<string, unknown>;

/**
 * Shared by all operations, so that a schema served by HTTP and MQTT is compiled once. `verbose` adds to each error its
 * schema, from which the message is built; `strictNumbers` rejects 1e400.
 */
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strictNumbers: true,
  allowUnionTypes: true,
  // Validating our own schemas would compile the meta-schemas, which takes long. A test validates them.
  validateSchema: false,
});
ajv.addFormat("iana-zone", isZone);

/** `3`, `-2.5`, `2,5`, `1e3`: controllers send numbers as text in their locale. */
const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,3})?$/;

/** Accepted forms of a boolean. */
const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["1", true],
  [1, true],
  ["false", false],
  ["0", false],
  [0, false],
]);

/**
 * A reader for a JSON Schema. Text that represents a number or a boolean is converted; unknown members are dropped; every
 * other invalid value, including an empty one, is rejected with its field name.
 */
export function createInputReader(schema: object): InputReader {
  let validate: ReturnType<typeof ajv.compile> | undefined;
  return (raw) => {
    // Compiled at the first request, so that the start does not wait for schemas that are rarely used.
    validate ??= ajv.compile(schema);
    const input = coerce(schema, raw) as Record<string, unknown>;
    if (!validate(input)) throw invalidParameter(detailsOf(validate.errors ?? []));
    return input;
  };
}

/** The error for invalid values; `details` names each field. */
export function invalidParameter(details: ErrorDetail[]): ApiError {
  const first = details[0]?.message ?? "A value is not valid.";
  const more = details.length > 1 ? ` ${details.length - 1} more in details.` : "";
  return new ApiError("invalid_parameter", `${first}${more}`, { details });
}

function coerce(node: ExpectedSchema, value: unknown): unknown {
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  if (typeof value === "string" && !types.includes("string")) return fromText(types, value);
  if (types.includes("boolean")) return BOOLEANS.get(value) ?? value;
  if (node.format === "iana-zone" && typeof value === "string" && !isZone(value)) {
    // "Etc/GMT+5" unescaped in a query is received with a space.
    return value.replace(" ", "+");
  }
  if (Array.isArray(value) && types.includes("array") && node.items !== undefined) {
    const { items, maxItems = value.length } = node;
    // One entry above the maximum is enough for the error; the rest is not converted.
    return value.slice(0, maxItems + 1).map((item) => coerce(items, item));
  }
  if (isObject(value) && node.properties !== undefined) {
    const known: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(node.properties)) {
      if (Object.hasOwn(value, name)) known[name] = coerce(member, value[name]);
    }
    return known;
  }
  return value;
}

function fromText(types: readonly string[], text: string): unknown {
  const trimmed = text.trim();
  if ((types.includes("number") || types.includes("integer")) && NUMBER.test(trimmed)) {
    return Number(trimmed.replace(",", "."));
  }
  return types.includes("boolean") ? (BOOLEANS.get(trimmed) ?? text) : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One sentence for each invalid field, in the order of the schema. */
function detailsOf(errors: readonly ErrorObject[]): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const error of errors) {
    const missing = error.keyword === "required" ? `/${String(error.params.missingProperty)}` : "";
    const field = fieldName(error.instancePath + missing);
    if (details.has(field)) continue;
    const node = (missing ? {} : error.parentSchema) as ExpectedSchema;
    details.set(field, {
      field,
      message: missing ? `${field} is missing.` : sentence(field, node, error.data),
    });
  }
  return [...details.values()];
}

function sentence(field: string, node: ExpectedSchema, value: unknown): string {
  const wanted = expectation(node);
  if (value === "" || value === null) return `${field} is empty: send ${wanted}, or omit it.`;
  if (Array.isArray(value) && node.type !== "array")
    return `${field} was given more than once or as a list: send ${wanted}.`;
  return `${field} must be ${wanted}.`;
}

/** The JSON pointer `/load/hourly_kwh/3` as a field name: `load.hourly_kwh[3]`. */
function fieldName(instancePath: string): string {
  return instancePath
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`),
      "",
    );
}
