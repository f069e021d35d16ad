import type { PlantFinding } from "../../config/plant.js";
import type { Language } from "../../core/language.js";
import type { FieldErrors } from "../ui/form.js";
import { fieldNamed } from "./fields.js";
import { findingText } from "./finding-text.js";
import type { FormChange } from "./read-form.js";

/** The reasons beside the fields: findings of the configuration's check, each at the field that shows its place. */
export function formErrors(
  findings: readonly PlantFinding[],
  change: Pick<FormChange, "nameOf">,
  language: Language,
): FieldErrors {
  const errors: Record<string, string> = {};
  for (const { path, rule } of findings) {
    // A place below a field (one number of a list) is shown at the field.
    const parts = change.nameOf(path).split(".");
    while (parts.length > 1 && fieldNamed(parts.join(".")) === undefined) parts.pop();
    const name = parts.join(".");
    errors[name] ??= findingText({ rule }, fieldNamed(name)?.node, language);
  }
  return errors;
}
