import { allowedText } from "../../config/kit/describe.js";
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
  const { ems, config, format } = textsOf(language);
  const { findings } = ems;
  if (rule !== "missing" && rule !== "invalid") return findings[rule]();
  if (node === undefined) return findings.unknown();
  // A form has no sections in place of a field, and an empty field for null.
  const type = typesOf(node).filter((one) => one !== "null" && one !== "object");
  const allowed = allowedText(
    { ...node, type },
    {
      or: config.or,
      allowed: { ...config.allowed, ...findings.allowed, unit: (unit) => unitText(unit, language) },
      number: (value) => value.toLocaleString(format.locale, { maximumFractionDigits: 6 }),
      choice: (value) => choiceText(String(value), language),
    },
  );
  return findings[rule](typesOf(node).includes("null") ? findings.allowed.orNothing(allowed) : allowed);
}
