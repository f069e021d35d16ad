import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { Field } from "./field-text.js";
import type { Section } from "./sections.js";

/** Label with the unit, the same apart, and hint of a field. */
export function labelOf(section: Section, field: Field, language: Language) {
  const key = field.path.join(".");
  const { fields } = textsOf(language).ems;
  const textAt = (name: string) => fields[name as keyof typeof fields] ?? undefined;
  // One of several batteries has the fields of a single one.
  const own = textAt(`${section}.${key}`) ?? (section === "batteries" ? textAt(`battery.${key}`) : undefined);
  const { label, hint } = own ?? { label: key, hint: "" };
  const unit = unitText(field.node.unit, language);
  return { name: label, unit, label: unit === "" ? label : `${label} (${unit})`, hint };
}

/** A selectable value in words; a value without a text is returned as it is. */
export function choiceText(value: string, language: Language): string {
  const choices: Readonly<Record<string, string>> = textsOf(language).ems.choices;
  return Object.hasOwn(choices, value) ? choices[value]! : value;
}

/** A unit as it is shown beside a value; symbols such as kWh are the same in every language. */
export function unitText(unit: string | undefined, language: Language): string {
  const units: Readonly<Record<string, string>> = textsOf(language).ems.units;
  if (unit === undefined) return "";
  return Object.hasOwn(units, unit) ? units[unit]! : unit;
}
