import { SchemaCheck, type SchemaFault } from "../config/kit/check.js";
import { coerce } from "../config/kit/coerce.js";
import { allowedText, type Wording } from "../config/kit/describe.js";
import { type KeyPath, type SchemaNode, typesOf } from "../config/kit/node.js";
import { textsOf } from "../texts/index.js";
import { ApiError, type ErrorDetail } from "./errors.js";

/** Parses a caller's values into an operation's input. Throws ApiError `invalid_parameter`. */
export type InputReader = (raw: Record<string, unknown>) => Record<string, unknown>;

/** One check for each schema, also if it is served by HTTP and MQTT. */
const checks = new WeakMap<object, SchemaCheck<Record<string, unknown>>>();

/**
 * A reader for a JSON Schema. Text that represents a number or a boolean is converted; unknown members are dropped; every
 * other invalid value, including an empty one, is rejected with its field name.
 */
export function createInputReader(schema: SchemaNode): InputReader {
  const check = checks.get(schema) ?? new SchemaCheck<Record<string, unknown>>(schema);
  checks.set(schema, check);
  return (raw) => {
    const input = coerce(schema, raw);
    if (check.fits(input)) return input;
    throw invalidParameter(check.faults(input).map(detailOf));
  };
}

/** The error for invalid values; `details` names each field. */
export function invalidParameter(details: ErrorDetail[]): ApiError {
  const first = details[0]?.message ?? "A value is not valid.";
  const more = details.length > 1 ? ` ${details.length - 1} more in details.` : "";
  return new ApiError("invalid_parameter", `${first}${more}`, { details });
}

const { allowed } = textsOf("en").config;
const WORDING: Wording = {
  or: " or ",
  allowed: {
    ...allowed,
    section: "an object",
    list: (least = 0, most) =>
      `a list of ${most === undefined ? `at least ${least}` : `${least} to ${most}`} values`,
  },
};

function detailOf({ kind, path, node, value }: SchemaFault): ErrorDetail {
  const field = fieldName(path);
  return { field, message: kind === "missing" ? `${field} is missing.` : sentence(field, node, value) };
}

function sentence(field: string, node: SchemaNode, value: unknown): string {
  const wanted = allowedText(node, WORDING);
  if (value === "" || value === null) return `${field} is empty: send ${wanted}, or omit it.`;
  if (Array.isArray(value) && !typesOf(node).includes("array"))
    return `${field} was given more than once or as a list: send ${wanted}.`;
  return `${field} must be ${wanted}.`;
}

/** The place `load`, `hourly_kwh`, `3` as a field name: `load.hourly_kwh[3]`. */
function fieldName(path: KeyPath): string {
  return path.reduce(
    (name, key) => (/^\d+$/.test(key) ? `${name}[${key}]` : name === "" ? key : `${name}.${key}`),
    "",
  );
}
