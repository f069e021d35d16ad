import { type SchemaNode, typesOf } from "../../config/kit/node.js";
import type { PlantFinding } from "../../config/plant.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { choiceText, unitText } from "./labels.js";

/** The sentence beside a field for a finding of the configuration check, in the language of the page. */
export function findingText(
  { rule }: Pick<PlantFinding, "rule">,
  node: SchemaNode | undefined,
  language: Language,
): string {
  const { findings } = textsOf(language).ems;
  if (rule !== "missing" && rule !== "invalid") return findings[rule]();
  return node === undefined ? findings.unknown() : findings[rule](allowedText(node, language));
}

/** What a field accepts: `a number from 0 to 100 (%)`. */
function allowedText(node: SchemaNode, language: Language): string {
  const types = typesOf(node);
  const { allowed } = textsOf(language).ems.findings;
  const text = allowedOfTypes(node, types, language);
  return types.includes("null") ? allowed.orNothing(text) : text;
}

function allowedOfTypes(node: SchemaNode, types: readonly string[], language: Language): string {
  const { allowed } = textsOf(language).ems.findings;
  if (node.enum !== undefined)
    return allowed.oneOf(node.enum.map((value) => choiceText(String(value), language)).join(", "));
  if (types.includes("array"))
    return allowed.list(node.minItems === node.maxItems ? node.minItems : undefined);
  if (types.includes("integer")) return allowed.integer(rangeText(node, language));
  if (types.includes("number")) return allowed.number(rangeText(node, language));
  if (types.includes("boolean")) return allowed.boolean;
  const formats: Readonly<Record<string, string>> = allowed.formats;
  return formats[node.format ?? ""] ?? allowed.text(node.maxLength);
}

function rangeText(node: SchemaNode, language: Language): string {
  const unit = unitText(node.unit, language);
  return `${limitsText(node, language)}${unit === "" ? "" : ` (${unit})`}`;
}

function limitsText({ exclusiveMinimum, minimum, maximum }: SchemaNode, language: Language): string {
  const { ems, format } = textsOf(language);
  const { allowed } = ems.findings;
  const number = (value: number) => value.toLocaleString(format.locale, { maximumFractionDigits: 6 });
  const low = exclusiveMinimum ?? minimum;
  if (low === undefined) return maximum === undefined ? "" : allowed.to(number(maximum));
  if (maximum !== undefined) return allowed.between(number(low), number(maximum));
  return exclusiveMinimum === undefined ? allowed.from(number(low)) : allowed.above(number(low));
}
