import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { isZone } from "../time/zone.js";
import { ApiError, type ErrorDetail } from "./errors.js";
import { type ExpectedSchema, expectation } from "./expectation.js";

/** Reads what a caller sent into an operation's input; throws ApiError `invalid_parameter`. */
export type InputReader = (raw: Record<string, unknown>) => Record<string, unknown>;

/**
 * Compiles the schemas; one for all, so that a schema served by HTTP and MQTT is compiled once. verbose gives each error
 * its schema, from which the sentence is made; strictNumbers refuses 1e400.
 */
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strictNumbers: true,
  allowUnionTypes: true,
  // Checking our own schemas would compile the meta-schemas first: longer than all else here. A test checks them.
  validateSchema: false,
});
ajv.addFormat("iana-zone", isZone);

/** `3`, `-2.5`, `2,5`, `1e3`: controllers send numbers as text, in their own locale. */
const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,3})?$/;

/** The words for a boolean. */
const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["1", true],
  [1, true],
  ["false", false],
  ["0", false],
  [0, false],
]);

/**
 * A reader for a JSON Schema. Text that stands for a number or a boolean is taken as such; unknown members are dropped;
 * everything else that does not fit, an empty value included, is refused with every offending field named.
 */
export function createInputReader(schema: object): InputReader {
  let validate: ReturnType<typeof ajv.compile> | undefined;
  return (raw) => {
    // At the first request: a house asks for few of the operations, and the start does not wait for any.
    validate ??= ajv.compile(schema);
    const input = coerce(schema, raw) as Record<string, unknown>;
    if (!validate(input)) throw invalidParameter(detailsOf(validate.errors ?? []));
    return input;
  };
}

/** The refusal of values that do not fit; `details` names each field. */
export function invalidParameter(details: ErrorDetail[]): ApiError {
  const first = details[0]?.message ?? "A value does not fit.";
  const more = details.length > 1 ? ` ${details.length - 1} more in details.` : "";
  return new ApiError("invalid_parameter", `${first}${more}`, { details });
}

function coerce(node: ExpectedSchema, value: unknown): unknown {
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? []);
  if (typeof value === "string" && !types.includes("string")) return fromText(types, value);
  if (types.includes("boolean")) return BOOLEANS.get(value) ?? value;
  if (node.format === "iana-zone" && typeof value === "string" && !isZone(value)) {
    // "Etc/GMT+5" unescaped in a query arrives with a space.
    return value.replace(" ", "+");
  }
  if (Array.isArray(value) && types.includes("array") && node.items !== undefined) {
    const { items, maxItems = value.length } = node;
    // One entry too many is enough to be refused; the rest need not be looked at.
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

/** One sentence for each field that does not fit, in the order of the schema. */
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
  if (value === "" || value === null) return `${field} is empty: send ${wanted}, or leave it out.`;
  if (Array.isArray(value) && node.type !== "array")
    return `${field} was given more than once or as a list: send ${wanted}.`;
  return `${field} must be ${wanted}.`;
}

/** `/load/hourly_kwh/3` as callers write it: `load.hourly_kwh[3]`. */
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
