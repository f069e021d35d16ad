import type { PlantFinding } from "../../config/plant.js";
import type { Language } from "../../core/language.js";
import type { FieldErrors } from "../ui/form.js";
import { findingText } from "./finding-text.js";
import { FEE_BASE, FEE_FIELDS, FEE_PREFIX } from "./held-texts.js";
import type { FormChange } from "./read-form.js";
import { type Field, fieldsOf, isList, prefixOf, SECTIONS } from "./sections.js";

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

/** The field of a name as it stands in the form. */
export function fieldNamed(name: string): Field | undefined {
  if (name === "tariff.grid_fee_ct_kwh") return FEE_BASE;
  const candidates: [string, readonly Field[], boolean][] = [
    [FEE_PREFIX, FEE_FIELDS, true],
    ...SECTIONS.map(
      (section) => [prefixOf(section), fieldsOf(section), isList(section)] as [string, Field[], boolean],
    ),
  ];
  for (const [prefix, fields, hasRows] of candidates) {
    if (!name.startsWith(prefix)) continue;
    const parts = name.slice(prefix.length).split(".");
    const key = (hasRows ? parts.slice(1) : parts).join(".");
    const found = fields.find(({ path }) => path.join(".") === key);
    if (found !== undefined) return found;
  }
  return undefined;
}
