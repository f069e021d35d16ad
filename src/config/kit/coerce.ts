import { isRecord } from "../../core/net/json.js";
import { numberFromText } from "../../core/number-text.js";
import { isZone } from "../../core/time/zone.js";
import { type SchemaNode, typesOf } from "./node.js";

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
 * A value of a form, a query or a controller as the schema wants it: texts become numbers and booleans, unknown members are
 * dropped. What does not fit stays as it is, so that the check of the schema says what is allowed.
 */
export function coerce(node: SchemaNode, value: unknown): unknown {
  const types = typesOf(node);
  // `auto` is the only text in place of a number; other texts beside numbers are lists such as "2,1".
  if (typeof value === "string" && (!types.includes("string") || node.format === "auto"))
    return fromText(types, value);
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
  if (isRecord(value) && node.properties !== undefined) {
    const known: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(node.properties)) {
      if (Object.hasOwn(value, name)) known[name] = coerce(member, value[name]);
    }
    return known;
  }
  return value;
}

function fromText(types: readonly string[], text: string): unknown {
  const number = types.includes("number") || types.includes("integer") ? numberFromText(text) : undefined;
  return number ?? (types.includes("boolean") ? (BOOLEANS.get(text.trim()) ?? text) : text);
}
