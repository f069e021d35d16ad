import type { KeyPath } from "../../config/kit/node.js";
import type { PlantFinding } from "../../config/plant.js";
import { plausibilityText } from "../../config/plausibility.js";
import type { Language } from "../../core/language.js";
import type { FieldErrors } from "../ui/form.js";
import { fieldNamed } from "./fields.js";
import { findingText } from "./finding-text.js";
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
