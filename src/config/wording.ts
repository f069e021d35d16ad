import { FORMATS } from "./formats.js";
import { type ConfigSchemaNode, typesOf } from "./schema/node.js";

/** Maximum length of a wrong value in a message. */
const LONGEST_QUOTE = 60;

/** The limits of a number, `from 0 to 100 (kWh)`; empty if it has none. */
function rangeText(node: ConfigSchemaNode): string {
  const low =
    node.exclusiveMinimum !== undefined
      ? `over ${node.exclusiveMinimum}`
      : node.minimum === undefined
        ? ""
        : `from ${node.minimum}`;
  const high = node.maximum === undefined ? "" : `${low.startsWith("from") ? "to" : "up to"} ${node.maximum}`;
  const unit = node.unit === undefined ? "" : `(${node.unit})`;
  return [low, high, unit].filter((part) => part !== "").join(" ");
}

function allowedOfType(node: ConfigSchemaNode, type: string): string {
  switch (type) {
    case "null":
      return "null";
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number ${rangeText(node)}`.trim();
    case "number":
      return `a number ${rangeText(node)}`.trim();
    case "array": {
      if (node.minItems !== undefined && node.minItems === node.maxItems)
        return `a list of ${node.minItems} entries`;
      const least = node.minItems === undefined ? "" : ` of at least ${node.minItems}`;
      const most =
        node.maxItems === undefined ? "" : `${least === "" ? " of" : " and"} at most ${node.maxItems}`;
      return least + most === "" ? "a list" : `a list${least}${most} entries`;
    }
    case "object":
      return "a section of keys";
    default: {
      const format = node.format === undefined ? undefined : FORMATS[node.format];
      if (format !== undefined) return format.allowed;
      if (node.minLength !== undefined)
        return `text of ${node.minLength} to ${node.maxLength ?? "any number of"} characters`;
      return node.maxLength === undefined ? "text" : `text of at most ${node.maxLength} characters`;
    }
  }
}

/** The allowed values of a node, as the end of a sentence that begins with "must be". */
export function allowedText(node: ConfigSchemaNode): string {
  if (node.const !== undefined) return String(node.const);
  const nullable = typesOf(node).includes("null");
  if (node.enum !== undefined) {
    const values = node.enum.filter((value) => value !== null);
    return `one of ${[...values, ...(nullable ? ["null"] : [])].join(", ")}`;
  }
  return typesOf(node)
    .map((type) => allowedOfType(node, type))
    .join(", or ");
}

/** The found value for a message; for a secret only its type. */
function foundText(value: unknown, node: ConfigSchemaNode): string {
  const expectsText = !typesOf(node).every((type) => type === "object" || type === "array");
  // In place of a section a text may be a misplaced secret; addresses may contain a password.
  const showable = node.writeOnly !== true && expectsText;
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value))
    return value.length === 1 ? "a list of 1 entry" : `a list of ${value.length} entries`;
  if (typeof value === "object") return "a section of keys";
  if (!showable) return typeof value === "string" ? "text" : `a ${typeof value}`;
  if (typeof value !== "string") return String(value);
  const masked = value.replace(/\/\/[^/@\s]*@/g, "//***@");
  const shown = masked.length > LONGEST_QUOTE ? `${masked.slice(0, LONGEST_QUOTE)}…` : masked;
  return `the text ${JSON.stringify(shown)}`;
}

/** `must be …; found …`, with a hint where quotes decide. */
export function mustBe(node: ConfigSchemaNode, value: unknown): string {
  const hint =
    ["number", "boolean"].includes(typeof value) &&
    typesOf(node).includes("string") &&
    node.enum === undefined
      ? " Put it in quotes."
      : "";
  return `must be ${allowedText(node)}; found ${foundText(value, node)}.${hint}`;
}
