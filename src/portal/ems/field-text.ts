import { typesOf } from "../../config/schema/node.js";
import type { Language } from "../../language.js";
import { textsOf } from "../../texts/index.js";
import type { Field } from "./sections.js";

/** Typed or shown texts by the name of the field. */
export type FieldTexts = ReadonlyMap<string, string>;

const NUMBER = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d{1,3})?$/i;

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  "1": true,
  yes: true,
  false: false,
  off: false,
  "0": false,
  no: false,
};

/** The text of a field for a value; empty for no value. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return Array.isArray(value) ? value.map(String).join(" ") : String(value);
}

/** The shown text of a field: numbers use the decimal sign of the language. */
export function shownText(text: string, field: Field, language: Language): string {
  const isNumeric = field.kind === "number" || field.kind === "numbers";
  return isNumeric ? text.replaceAll(".", textsOf(language).format.decimal) : text;
}

/**
 * The value of a typed text: undefined for an empty one that means the default, null if the field may be
 * empty. An invalid text is returned unchanged: the check of the configuration then reports it.
 */
export function typedValue(text: string, { kind, node }: Field): unknown {
  const typed = text.trim();
  if (typed === "") return typesOf(node).includes("null") ? null : undefined;
  switch (kind) {
    case "number":
      return numberOf(typed);
    case "boolean":
      return Object.hasOwn(BOOLEANS, typed.toLowerCase()) ? BOOLEANS[typed.toLowerCase()] : typed;
    case "numbers":
      return listOf(typed).map(numberOf);
    default:
      return typed;
  }
}

function numberOf(typed: string): number | string {
  const value = NUMBER.test(typed) ? Number(typed.replace(",", ".")) : Number.NaN;
  return Number.isFinite(value) ? value : typed;
}

/** Numbers are separated by spaces or semicolons; commas separate them only if there is no other separator. */
function listOf(typed: string): string[] {
  const parts = typed.split(/[;\s]+/).filter((part) => part !== "");
  const isCommaList = parts.length === 1 && (typed.match(/,/g)?.length ?? 0) > 1;
  return isCommaList
    ? typed.split(",").filter((part) => part !== "")
    : parts.map((part) => part.replace(/,$/, ""));
}
