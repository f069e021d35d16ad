import type { FromSchema } from "json-schema-to-ts";
import { closedObject } from "../../core/domain/json-schema.js";

/** JSON Schema of one reading of a template (docs/devices.md, "Readings"); its parts are checked one by one. */

const expression = { type: "string", maxLength: 4000 } as const;
const amount = { type: ["number", "string"] } as const;
const scalar = { type: ["string", "number", "boolean"] } as const;
const wanted = { anyOf: [scalar, { type: "array", minItems: 1, items: scalar }] } as const;
const parts = { type: "array", minItems: 1, maxItems: 40, items: { type: "object" } } as const;

export const REGISTER_TYPES = [
  "u16",
  "i16",
  "u32",
  "i32",
  "u64",
  "i64",
  "f32",
  "f64",
  "string",
  "bitfield",
] as const;
export type RegisterType = (typeof REGISTER_TYPES)[number];

/** Names of other documents for the same types. */
const TYPE_ALIASES = ["uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"] as const;

export const SIGNS = [
  "+import",
  "+export",
  "+charging",
  "+discharging",
  "+production",
  "+consumption",
  "-import",
  "-export",
  "-charging",
  "-discharging",
  "-production",
  "-consumption",
] as const;

/** Keys that say how a raw value is read; parts of a sum take them from the reading around them. */
export const FORMAT_SCHEMA = {
  type: { type: "string", enum: [...REGISTER_TYPES, ...TYPE_ALIASES] },
  words: { type: "integer", minimum: 1, maximum: 64 },
  order: { type: "string", enum: ["be", "le"] },
  swap_bytes: { type: "boolean" },
  nan: {
    anyOf: [
      { type: "string", enum: ["none"] },
      { type: "array", items: amount },
    ],
  },
  scale: amount,
  offset: amount,
  scale_from: amount,
  unit: { type: "string", maxLength: 10 },
  unit_id: amount,
} as const;

const format = {
  ...FORMAT_SCHEMA,
  url: expression,
  method: { type: "string", enum: ["GET", "POST"] },
  headers: { type: "object", additionalProperties: { type: "string" } },
  body: expression,
  topic: expression,
  ask: closedObject({ topic: expression }, { payload: expression }),
  send: expression,
} as const;

export const FORMAT_KEYS = Object.keys(format) as (keyof typeof format)[];

export const readingSchema = closedObject(
  {},
  {
    ...format,
    holding: amount,
    input: amount,
    sunspec: {
      type: "array",
      minItems: 2,
      maxItems: 3,
      items: { anyOf: [{ type: ["string", "integer"] }, { type: "array", items: { type: "integer" } }] },
    },
    mask: { type: "integer", minimum: 1 },
    pointer: { anyOf: [{ type: "string" }, { type: "array", minItems: 1, items: { type: "string" } }] },
    regex: { type: "string", maxLength: 200 },
    unit_pointer: { type: "string" },
    time_pointer: { type: "string" },
    null_as: { type: "number" },
    rct: { type: "integer", minimum: 0, maximum: 0xffff_ffff },
    obis: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" },
    value: scalar,
    reading: { type: "string" },
    map: { type: "object", additionalProperties: amount },
    sum: parts,
    difference: { ...parts, minItems: 2, maxItems: 2 },
    product: parts,
    first: parts,
    when: { anyOf: [expression, { type: "object" }] },
    equals: wanted,
    not_equals: wanted,
    above: { type: "number" },
    below: { type: "number" },
    sign: {
      anyOf: [
        { type: "string", enum: SIGNS },
        { type: "integer", enum: [1, -1] },
      ],
    },
    abs: { type: "boolean" },
    at_least: { type: "number" },
    at_most: { type: "number" },
    min: { type: "number" },
    max: { type: "number" },
    max_age_s: amount,
    monotonic: { type: "boolean" },
    optional: { type: "boolean" },
    sleeps: { type: "boolean" },
  },
);

type Flat = FromSchema<typeof readingSchema>;

/** One reading of a template, with its parts. */
export interface TemplateReadingSpec extends Omit<Flat, "sum" | "difference" | "product" | "first" | "when"> {
  sum?: TemplateReadingSpec[];
  difference?: TemplateReadingSpec[];
  product?: TemplateReadingSpec[];
  first?: TemplateReadingSpec[];
  /** An expression of parameters, or a reading with equals, not_equals, above or below. */
  when?: string | TemplateReadingSpec;
}

/** Where a part may get its value; each has exactly one. */
export const SOURCE_KEYS = [
  "holding",
  "input",
  "sunspec",
  "url",
  "topic",
  "send",
  "obis",
  "rct",
  "value",
  "reading",
  "sum",
  "difference",
  "product",
  "first",
] as const;

/** What a template reads of its device. */
export interface TemplateReads {
  readings?: Readonly<Record<string, TemplateReadingSpec>>;
  facts?: Readonly<Record<string, TemplateReadingSpec>>;
  identity?: Readonly<Record<string, string | TemplateReadingSpec>>;
  /** Whether the device is off at night. */
  sleeps?: boolean;
  /** A reading with equals, not_equals, above or below: true while the device sleeps. */
  asleep?: TemplateReadingSpec;
}
