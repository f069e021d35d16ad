import type { Language } from "../../language.js";
import { CheckboxField, type FieldErrors, NumberField, SelectField, TextField } from "../ui/form.js";
import { type FieldTexts, shownText, textOf } from "./field-text.js";
import { choiceText, labelOf } from "./labels.js";
import type { Field, Section } from "./sections.js";

/** Values and language of the fields of the page. */
export interface Shown {
  language: Language;
  texts: FieldTexts;
  /** Fields as typed: they are shown unchanged. */
  typed: FieldTexts;
  errors: FieldErrors;
}

interface FieldRowProps {
  shown: Shown;
  section: Section | "fee";
  field: Field;
  /** Prefix of the field name. */
  prefix: string;
}

/** A labelled input for one key of the configuration, created from its schema. */
function FieldRow({ shown, section, field, prefix }: FieldRowProps) {
  const { language, texts, typed, errors } = shown;
  const name = prefix + field.path.join(".");
  const { label, hint } = labelOf(section, field, language);
  const held = texts.get(name);
  const text = held ?? textOf(field.node.default);
  const value = typed.has(name) ? text : shownText(text, field, language);
  const common = { name, label, error: errors[name], ...(hint === "" ? {} : { hint }) };
  switch (field.kind) {
    case "boolean":
      return <CheckboxField {...common} checked={text === "true"} />;
    case "choice": {
      const options = (field.node.enum ?? []).map((choice) => ({
        value: String(choice),
        label: choiceText(String(choice), language),
      }));
      return <SelectField {...common} value={text} options={options} />;
    }
    case "number":
      return <NumberField {...common} value={value} />;
    default:
      return <TextField {...common} value={value} autocomplete="off" />;
  }
}

/** All fields of a section or a row, side by side where space permits. */
export function Fields({
  shown,
  section,
  fields,
  prefix,
}: Omit<FieldRowProps, "field"> & { fields: readonly Field[] }) {
  return (
    <div class="fields">
      {fields.map((field) => (
        <FieldRow key={field.path.join(".")} shown={shown} section={section} field={field} prefix={prefix} />
      ))}
    </div>
  );
}
