import { isRecord } from "../../core/net/json.js";
import { FORMATS } from "./formats.js";
import type { KeyPath, SchemaNode } from "./node.js";

/** What is wrong at one place of a value. */
export interface SchemaFault {
  /** `unknown` and `missing`: a key; `variant`: a kind that the schema does not have; `value`: anything else. */
  kind: "unknown" | "missing" | "variant" | "value";
  /** Place of the value, or of the unknown or missing key. */
  path: KeyPath;
  /** Schema of the value; of the object around an unknown or missing key. */
  node: SchemaNode;
  /** The value that was found. */
  value: unknown;
  /** What the schema asks for in technical words, such as `must be >= 0`. */
  reason: string;
}

/**
 * Finds what is wrong with a value, in the order of the schema, as far as the caller asks; several faults may be at one place.
 * `fillsDefaults`: sets absent keys to their defaults, in place.
 *
 * It reads the schema. Code made of it, as libraries make it, is faster for each value; but that for the configuration is 800 KB, which
 * took a fifth of the processor time of a start.
 */
export function* faultsIn(node: SchemaNode, value: unknown, fillsDefaults: boolean): Generator<SchemaFault> {
  const reason = wrongIn(node, value);
  if (reason !== undefined) yield { kind: "value", path: [], node, value, reason };
  if (node.anyOf?.every((one) => !fits(one, value)))
    for (const one of node.anyOf) yield* faultsIn(one, value, false);
  if (isRecord(value)) yield* faultsInObject(node, value, fillsDefaults);
  else if (Array.isArray(value) && node.items !== undefined)
    for (const [index, entry] of value.entries())
      if (!isGoodScalar(node.items, entry)) yield* faultsAt(String(index), node.items, entry, fillsDefaults);
}

const fits = (node: SchemaNode, value: unknown) => faultsIn(node, value, false).next().done === true;

/** Most values are scalars without a fault; looking for it here takes a fifth of the time. */
const isGoodScalar = (node: SchemaNode, value: unknown) =>
  (typeof value !== "object" || value === null) &&
  node.anyOf === undefined &&
  wrongIn(node, value) === undefined;

function* faultsAt(key: string, node: SchemaNode, value: unknown, fillsDefaults: boolean) {
  for (const fault of faultsIn(node, value, fillsDefaults)) yield { ...fault, path: [key, ...fault.path] };
}

function* faultsInObject(
  node: SchemaNode,
  value: Record<string, unknown>,
  fillsDefaults: boolean,
): Generator<SchemaFault> {
  const { properties = {}, required = [], propertyNames, additionalProperties: others, discriminator } = node;
  if (fillsDefaults)
    for (const [key, { default: usual }] of Object.entries(properties))
      if (value[key] === undefined && usual !== undefined) value[key] = structuredClone(usual);
  for (const key of required)
    if (value[key] === undefined) yield { kind: "missing", path: [key], node, value, reason: "is missing" };
  for (const key of Object.keys(value)) {
    if (propertyNames !== undefined) yield* faultsIn(propertyNames, key, false);
    if (others === undefined || others === true || Object.hasOwn(properties, key)) continue;
    if (others === false) yield { kind: "unknown", path: [key], node, value, reason: "is not a known key" };
    else yield* faultsAt(key, others, value[key], fillsDefaults);
  }
  for (const key of Object.keys(properties))
    if (value[key] !== undefined && !isGoodScalar(properties[key]!, value[key]))
      yield* faultsAt(key, properties[key]!, value[key], fillsDefaults);
  if (discriminator === undefined) return;
  const { propertyName } = discriminator;
  const tag = value[propertyName];
  const variant = node.oneOf?.find(({ properties: own }) => own?.[propertyName]?.const === tag);
  if (variant === undefined)
    yield { kind: "variant", path: [propertyName], node, value: tag, reason: "is not a known kind" };
  else yield* faultsIn(variant, value, fillsDefaults);
}

const IS_OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: Number.isFinite,
  integer: Number.isInteger,
  array: Array.isArray,
  object: isRecord,
};

function wrongIn(node: SchemaNode, value: unknown): string | undefined {
  const { type } = node;
  if (type === undefined) return wrongValue(node, value);
  const isOfType =
    typeof type === "string" ? IS_OF_TYPE[type]!(value) : type.some((one) => IS_OF_TYPE[one]!(value));
  return isOfType ? wrongValue(node, value) : `must be ${typeof type === "string" ? type : type.join()}`;
}

/** What is wrong with a value of the right type. */
function wrongValue(node: SchemaNode, value: unknown): string | undefined {
  const wrong =
    typeof value === "number"
      ? wrongNumber(node, value)
      : typeof value === "string"
        ? wrongText(node, value)
        : Array.isArray(value)
          ? wrongList(node, value)
          : undefined;
  if (wrong !== undefined) return wrong;
  if (node.const !== undefined && value !== node.const) return "must be equal to constant";
  if (node.enum !== undefined && !node.enum.includes(value))
    return "must be equal to one of the allowed values";
  if (node.minProperties !== undefined && isRecord(value) && Object.keys(value).length < node.minProperties)
    return `must NOT have fewer than ${node.minProperties} properties`;
  return undefined;
}

function wrongNumber(node: SchemaNode, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = node;
  if (maximum !== undefined && value > maximum) return `must be <= ${maximum}`;
  if (minimum !== undefined && value < minimum) return `must be >= ${minimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `must be < ${exclusiveMaximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `must be > ${exclusiveMinimum}`;
  return undefined;
}

/** Regular expressions by their text. */
const patterns = new Map<string, RegExp>();

function matches(pattern: string, text: string): boolean {
  const known = patterns.get(pattern) ?? new RegExp(pattern, "u");
  patterns.set(pattern, known);
  return known.test(text);
}

function wrongText({ minLength, maxLength, pattern, format }: SchemaNode, text: string): string | undefined {
  if (maxLength !== undefined && hasMore(text, maxLength))
    return `must NOT have more than ${maxLength} characters`;
  if (minLength !== undefined && !hasMore(text, minLength - 1))
    return `must NOT have fewer than ${minLength} characters`;
  if (pattern !== undefined && !matches(pattern, text)) return `must match pattern "${pattern}"`;
  if (format !== undefined && !FORMATS[format as keyof typeof FORMATS].valid(text))
    return `must match format "${format}"`;
  return undefined;
}

/** Whether the text has more characters of Unicode than that. */
function hasMore(text: string, count: number): boolean {
  // A character has one or two units: most texts need not be counted.
  if (text.length <= count) return false;
  return text.length > 2 * count || [...text].length > count;
}

function wrongList({ minItems, maxItems, uniqueItems }: SchemaNode, list: readonly unknown[]) {
  if (maxItems !== undefined && list.length > maxItems) return `must NOT have more than ${maxItems} items`;
  if (minItems !== undefined && list.length < minItems) return `must NOT have fewer than ${minItems} items`;
  if (uniqueItems && new Set(list).size < list.length) return "must NOT have duplicate items";
  return undefined;
}
