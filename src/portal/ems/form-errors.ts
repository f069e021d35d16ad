import { allowedText } from "../../config/kit/describe.js";
import { type KeyPath, type SchemaNode, typesOf } from "../../config/kit/node.js";
import type { PlantFinding } from "../../config/plant.js";
import { plausibilityText } from "../../config/plausibility.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { FieldErrors } from "../ui/form.js";
import { fieldNamed } from "./fields.js";
import { choiceText, unitText } from "./labels.js";
import type { FormChange } from "./read-form.js";

/** The reasons beside the fields: findings of the configuration's check, each at the field that shows its place. */
export function formErrors(
  findings: readonly PlantFinding[],
  change: Pick<FormChange, "nameOf" | "plant">,
  language: Language,
): FieldErrors {
  const errors: Record<string, string> = {};
  for (const { path, rule } of findings) {
    // A place below a field (one number of a list) is shown at the field.
    const parts = change.nameOf(path).split(".");
    while (parts.length > 1 && fieldNamed(parts.join(".")) === undefined) parts.pop();
    const name = parts.join(".");
    errors[name] ??=
      fractionText(path, change, language) ?? findingText({ rule }, fieldNamed(name)?.node, language);
  }
  return errors;
}

/** Where a percentage was typed as a fraction, what is probably meant. */
function fractionText(
  path: KeyPath,
  { plant }: Pick<FormChange, "plant">,
  language: Language,
): string | undefined {
  const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], plant);
  if (!path.at(-1)?.endsWith("_pct") || typeof value !== "number" || value <= 0 || value >= 1)
    return undefined;
  const params = { value, meant: Number((value * 100).toPrecision(6)) };
  return plausibilityText({ path, code: "fraction", params }, language);
}

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
