import type { ConfigTexts } from "../texts/index.js";
import { type ConfigSchemaNode, typesOf } from "./schema/node.js";

/** Maximum length of a wrong value in a message. */
const LONGEST_QUOTE = 60;

/** The limits of a number, `from 0 to 100 (kWh)`; empty if it has none. */
function rangeText(node: ConfigSchemaNode, { allowed }: ConfigTexts): string {
  const low =
    node.exclusiveMinimum !== undefined
      ? allowed.over(node.exclusiveMinimum)
      : node.minimum === undefined
        ? ""
        : allowed.from(node.minimum);
  const high = node.maximum === undefined ? "" : allowed.to(node.maximum);
  const unit = node.unit === undefined ? "" : `(${allowed.unit(node.unit)})`;
  if (node.exclusiveMinimum === undefined && node.minimum !== undefined && node.maximum !== undefined)
    return `${allowed.fromTo(node.minimum, node.maximum)} ${unit}`.trim();
  return [low, high, unit].filter((part) => part !== "").join(" ");
}

function allowedOfType(node: ConfigSchemaNode, type: string, texts: ConfigTexts): string {
  const { allowed } = texts;
  switch (type) {
    case "null":
      return "null";
    case "boolean":
      return allowed.boolean;
    case "integer":
      return `${allowed.integer} ${rangeText(node, texts)}`.trim();
    case "number":
      return `${allowed.number} ${rangeText(node, texts)}`.trim();
    case "array":
      return node.minItems !== undefined && node.minItems === node.maxItems
        ? allowed.listOf(node.minItems)
        : allowed.list(node.minItems, node.maxItems);
    case "object":
      return allowed.section;
    default: {
      const formats: Readonly<Record<string, string>> = allowed.formats;
      return formats[node.format ?? ""] ?? allowed.text(node.minLength, node.maxLength);
    }
  }
}

/** The allowed values of a node, for the sentence that names them. */
export function allowedText(node: ConfigSchemaNode, texts: ConfigTexts): string {
  if (node.const !== undefined) return String(node.const);
  const nullable = typesOf(node).includes("null");
  if (node.enum !== undefined) {
    const values = node.enum.filter((value) => value !== null);
    return texts.allowed.oneOf([...values, ...(nullable ? ["null"] : [])].join(", "));
  }
  return typesOf(node)
    .map((type) => allowedOfType(node, type, texts))
    .join(texts.or);
}

/** The found value for a message; for a secret only its type. */
function foundText(value: unknown, node: ConfigSchemaNode, { found }: ConfigTexts): string {
  const expectsText = !typesOf(node).every((type) => type === "object" || type === "array");
  // In place of a section a text may be a misplaced secret; addresses may contain a password.
  const showable = node.writeOnly !== true && expectsText;
  if (value === null || value === undefined) return found.nothing;
  if (Array.isArray(value)) return found.list(value.length);
  if (typeof value === "object") return found.section;
  if (!showable) return typeof value === "string" ? found.text : found.kind(typeof value);
  if (typeof value !== "string") return String(value);
  const masked = value.replace(/\/\/[^/@\s]*@/g, "//***@");
  const shown = masked.length > LONGEST_QUOTE ? `${masked.slice(0, LONGEST_QUOTE)}…` : masked;
  return found.quoted(shown);
}

/** What a value must be and what was found, with a hint where quotes decide. */
export function mustBe(node: ConfigSchemaNode, value: unknown, texts: ConfigTexts): string {
  const hint =
    ["number", "boolean"].includes(typeof value) &&
    typesOf(node).includes("string") &&
    node.enum === undefined
      ? texts.schema.quotes
      : "";
  return texts.schema.must(allowedText(node, texts), foundText(value, node, texts)) + hint;
}
