import type { ConfigTexts } from "../../texts/index.js";
import type { SchemaFault } from "./check.js";
import { childNodes, keysOf, type SchemaNode, typesOf } from "./node.js";
import { didYouMean } from "./suggest.js";

/** Maximum length of a wrong value in a message. */
const LONGEST_QUOTE = 60;

/** The words for what a schema allows: those of the configuration file, or of a page or an interface where they differ. */
export interface Wording {
  allowed: Omit<ConfigTexts["allowed"], "formats"> & { formats: Readonly<Record<string, string>> };
  or: string;
  /** A number of the schema as text. */
  number?(value: number): string;
  /** A value of a choice as text. */
  choice?(value: unknown): string;
}

/** The allowed values of a node, for the sentence that names them: `a number from 0 to 100 (kWh), or null`. */
export function allowedText(node: SchemaNode, wording: Wording): string {
  if (node.const !== undefined) return String(node.const);
  if (node.enum !== undefined) {
    const { choice = String } = wording;
    const values = node.enum.filter((value) => value !== null).map(choice);
    return wording.allowed.oneOf([...values, ...(typesOf(node).includes("null") ? ["null"] : [])].join(", "));
  }
  return typesOf(node)
    .map((type) => allowedOfType(node, type, wording))
    .join(wording.or);
}

function allowedOfType(node: SchemaNode, type: string, wording: Wording): string {
  const { allowed } = wording;
  switch (type) {
    case "null":
      return "null";
    case "boolean":
      return allowed.boolean;
    case "integer":
      return `${allowed.integer} ${rangeText(node, wording)}`.trim();
    case "number":
      return `${allowed.number} ${rangeText(node, wording)}`.trim();
    case "array": {
      const { items, minItems, maxItems } = node;
      const list =
        minItems !== undefined && minItems === maxItems
          ? allowed.listOf(minItems)
          : allowed.list(minItems, maxItems);
      const isPlain = items !== undefined && !typesOf(items).includes("object");
      return isPlain ? list + allowed.each(allowedText(items, wording)) : list;
    }
    case "object":
      return allowed.section;
    default:
      return allowed.formats[node.format ?? ""] ?? allowed.text(node.minLength, node.maxLength);
  }
}

/** The limits of a number, `from 0 to 100 (kWh)`; empty if it has none. */
function rangeText(node: SchemaNode, { allowed, number = String }: Wording): string {
  const { exclusiveMinimum, minimum, exclusiveMaximum, maximum, unit } = node;
  const limits =
    exclusiveMinimum === undefined && minimum !== undefined && maximum !== undefined
      ? [allowed.fromTo(number(minimum), number(maximum))]
      : [
          exclusiveMinimum !== undefined && allowed.above(number(exclusiveMinimum)),
          exclusiveMinimum === undefined && minimum !== undefined && allowed.from(number(minimum)),
          exclusiveMaximum !== undefined && allowed.below(number(exclusiveMaximum)),
          exclusiveMaximum === undefined && maximum !== undefined && allowed.to(number(maximum)),
        ];
  const unitText = unit === undefined ? "" : allowed.unit(unit);
  return [...limits, unitText !== "" && `(${unitText})`].filter(Boolean).join(" ");
}

/** The found value for a message; for a secret only its type. */
function foundText(value: unknown, node: SchemaNode, { found }: ConfigTexts): string {
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
function mustBe(node: SchemaNode, value: unknown, texts: ConfigTexts): string {
  const needsQuotes =
    ["number", "boolean"].includes(typeof value) &&
    typesOf(node).includes("string") &&
    node.enum === undefined;
  const quotes = needsQuotes ? texts.schema.quotes : "";
  return texts.schema.must(allowedText(node, texts), foundText(value, node, texts)) + quotes;
}

/**
 * What is wrong, as the end of a sentence that begins with the key; a misspelled name gets a suggestion. `elsewhere` finds
 * other places that have a key of that name.
 */
export function faultText(
  { kind, path, node, value }: SchemaFault,
  texts: ConfigTexts,
  elsewhere: (key: string) => readonly string[] = () => [],
): string {
  const key = path.at(-1) ?? "";
  switch (kind) {
    case "unknown":
      if (node.items !== undefined && keysOf([node.items]).includes(key))
        return texts.schema.keyOfEntry(path.at(-2) ?? "");
      return unknownText(key, keysOf([node]), texts, elsewhere);
    case "missing": {
      const [only, ...others] = childNodes(node, key);
      if (only === undefined) return texts.schema.missing(undefined);
      // A key of several kinds is described by the values that it has in them.
      const wanted = others.length === 0 ? only : { enum: [only, ...others].map((one) => one.const) };
      return texts.schema.missing(allowedText(wanted, texts));
    }
    case "variant": {
      const kinds = (node.oneOf ?? []).map((variant) => String(variant.properties?.type?.const));
      return mustBe({ type: "string", enum: kinds }, value, texts) + meantText(value, kinds, texts);
    }
    default:
      return mustBe(node, value, texts) + meantText(value, node.enum ?? [], texts);
  }
}

function meantText(value: unknown, choices: readonly unknown[], texts: ConfigTexts): string {
  return typeof value === "string" ? didYouMean(value, choices.map(String), texts) : "";
}

/** The sentence for a key that is not among `known`; names the place that has it, if there is exactly one. */
function unknownText(
  key: string,
  known: readonly string[],
  texts: ConfigTexts,
  elsewhere: (key: string) => readonly string[],
): string {
  const { schema } = texts;
  const hint = didYouMean(key, known, texts);
  if (hint !== "") return schema.unknown + hint;
  const [place, ...others] = elsewhere(key);
  if (place !== undefined && others.length === 0) return schema.unknownHere(place);
  return known.length === 0 ? schema.unknown : schema.unknownAmong(known.join(", "));
}
