import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { CheckboxField, type FieldErrors, NumberField, SelectField, TextField } from "../ui/form.js";
import { valueText } from "./changes.js";
import { type FieldTexts, isDefault, shownText, textOf } from "./field-text.js";
import { type Field, isBasic } from "./fields.js";
import { choiceText, labelOf } from "./labels.js";
import type { Section } from "./sections.js";
import type { UnlikelyQuestion } from "./unlikely-values.js";

/** What the fields of the page show. */
export interface Shown {
  language: Language;
  texts: FieldTexts;
  /** What the fields hold, without what was typed. */
  held: FieldTexts;
  /** Fields as they were typed: they are shown that way, not rewritten. */
  typed: FieldTexts;
  errors: FieldErrors;
  /** Unlikely values that were typed: saved only once they are confirmed. */
  question?: UnlikelyQuestion | undefined;
}

interface FieldRowProps {
  shown: Shown;
  section: Section | "fee";
  field: Field;
  /** What stands before the field's own name. */
  prefix: string;
}

/** One field of the configuration as a labelled input, made from its schema. */
function FieldRow({ shown, section, field, prefix }: FieldRowProps) {
  const { language, texts, typed, errors } = shown;
  const name = prefix + field.path.join(".");
  const { label, hint } = labelOf(section, field, language);
  const held = texts.get(name);
  const text = held ?? textOf(field.node.default);
  const value = typed.has(name) ? text : shownText(text, field, language);
  // In a tab of its own: what was typed is not lost.
  const help = (
    <>
      {hint === "" ? "" : `${hint} `}
      <a href={`/help/configuration#${keyOf(name)}`} target="_blank" rel="noopener">
        {textsOf(language).help.title}
        <span class="visually-hidden">{`: ${label}`}</span>
      </a>
    </>
  );
  const common = { name, label, error: errors[name], hint: help };
  switch (field.kind) {
    case "boolean":
      return <CheckboxField {...common} checked={text === "true"} />;
    case "choice": {
      const options = (field.node.enum ?? []).map((choice) => ({
        value: textOf(choice),
        label: choiceText(textOf(choice), language),
      }));
      return <SelectField {...common} value={text} options={options} />;
    }
    case "choices":
      return (
        <fieldset class="field">
          <legend>{label}</legend>
          <p class="hint">{help}</p>
          <input type="hidden" name={name} value="" />
          {(field.node.items?.enum ?? []).map((choice) => (
            <label key={String(choice)} class="check">
              <input
                type="checkbox"
                name={name}
                value={String(choice)}
                checked={text.split(" ").includes(String(choice))}
              />
              {choiceText(String(choice), language)}
            </label>
          ))}
          {errors[name] !== undefined && <p class="error">{errors[name]}</p>}
        </fieldset>
      );
    case "number":
      return <NumberField {...common} value={value} />;
    default:
      return <TextField {...common} value={value} autocomplete="off" />;
  }
}

/** Row of the configuration reference about a field: `plants[].pv[].tilt_deg` of `pv.0.tilt_deg`. */
function keyOf(name: string): string {
  const key = name.replace(/\.[^.]*?\d+(?=\.)/g, "[]");
  return key.startsWith("mqtt.") ? key : `plants[].${key}`;
}

/**
 * The fields of a section or of a row, side by side where there is room. Those that few homes need are folded, and named
 * where they are set.
 */
export function Fields({
  shown,
  section,
  fields,
  prefix,
}: Omit<FieldRowProps, "field"> & { fields: readonly Field[] }) {
  const rows = (of: readonly Field[]) => (
    <div class="fields">
      {of.map((field) => (
        <FieldRow key={field.path.join(".")} shown={shown} section={section} field={field} prefix={prefix} />
      ))}
    </div>
  );
  const more = fields.filter((field) => !isBasic(section, field));
  const nameOf = ({ path }: Field) => prefix + path.join(".");
  const isOpen = more.some((field) => shown.errors[nameOf(field)] !== undefined);
  const set = more.flatMap((field) => {
    const text = shown.texts.get(nameOf(field)) ?? "";
    if (isDefault(text, field)) return [];
    const { name, unit } = labelOf(section, field, shown.language);
    const value = valueText(text, field, shown.language);
    return [`${name} ${value}${unit === "" ? "" : ` ${unit}`}`];
  });
  return (
    <>
      {rows(fields.filter((field) => !more.includes(field)))}
      {more.length > 0 && (
        <details class="row" open={isOpen}>
          <summary>
            {textsOf(shown.language).home.more}
            {set.length > 0 && <span class="hint">{`: ${set.join(", ")}`}</span>}
          </summary>
          {rows(more)}
        </details>
      )}
    </>
  );
}
