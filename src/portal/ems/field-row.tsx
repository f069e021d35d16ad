import type { ComponentChildren } from "preact";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { type FieldErrors, type FieldSpec, FormFields, fieldId } from "../ui/form.js";
import { valueText } from "./changes.js";
import {
  type Field,
  type FieldTexts,
  isDefault,
  shownText,
  textOf,
  WEEKDAYS,
  weeklyTimes,
} from "./field-text.js";
import { initialText } from "./fields.js";
import { choiceText, labelOf } from "./labels.js";
import { type Question, questionTitle } from "./questions.js";
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
  section: Section;
  field: Field;
  /** What stands before the field's own name. */
  prefix: string;
}

/** One field of the configuration as a labelled input, made from its schema. */
function FieldRow({ shown, section, field, prefix }: FieldRowProps) {
  const { language, texts, typed, errors } = shown;
  const name = prefix + field.path.join(".");
  const { label, hint } = labelOf(section, field, language);
  const text = texts.get(name) ?? initialText(field);
  const value = typed.has(name) ? text : shownText(text, field, language);
  // In a tab of its own: what was typed is not lost.
  const help =
    field.filler !== undefined ? (
      hint || undefined
    ) : (
      <>
        {hint === "" ? "" : `${hint} `}
        <a href={`/help/configuration#${keyOf(name)}`} target="_blank" rel="noopener">
          {textsOf(language).help.title}
          <span class="visually-hidden">{`: ${label}`}</span>
        </a>
      </>
    );
  const error = errors[name];
  if (field.kind === "weekdays")
    return <Departures {...{ name, label, error, text, language }} hint={help} />;
  const choices = (field.node.items?.enum ?? field.node.enum ?? []).map(textOf);
  if (field.kind === "choices")
    return (
      <fieldset class="field">
        <legend>{label}</legend>
        <p class="hint">{help}</p>
        <input type="hidden" name={name} value="" />
        {choices.map((choice) => (
          <label key={choice} class="check">
            <input type="checkbox" name={name} value={choice} checked={text.split(" ").includes(choice)} />
            {choiceText(choice, language)}
          </label>
        ))}
        {error !== undefined && <p class="error">{error}</p>}
      </fieldset>
    );
  const options =
    field.filler?.options?.(language) ??
    choices.map((choice) => ({ value: choice, label: choiceText(choice, language) }));
  const spec: FieldSpec = { kind: KINDS[field.kind], name, label, hint: help, options };
  return <FormFields fields={[spec]} textOf={() => value} errors={errors} />;
}

/** The input of a kind of field. */
const KINDS = { boolean: "tick", choice: "choice", number: "number", numbers: "text", text: "text" } as const;

/** Most different times of a week; the last one is offered empty. */
const MOST_TIMES = 3;

/** Times with the weekdays that each is for. */
function Departures({
  name,
  label,
  hint,
  error,
  text,
  language,
}: {
  name: string;
  label: string;
  hint: ComponentChildren;
  error: string | undefined;
  text: string;
  language: Language;
}) {
  const { weekdays, departureTime, departureDays } = textsOf(language).ems;
  const held = weeklyTimes(text);
  const distinct = [...new Set(held.map(({ time }) => time))];
  const times = distinct.length < MOST_TIMES ? [...distinct, ""] : distinct;
  return (
    <fieldset class="field departures" id={fieldId(name)}>
      <legend>{label}</legend>
      {times.map((time, index) => {
        const id = fieldId(`${name}.${index}`);
        return (
          <div key={id} class="departure">
            <label for={id}>{departureTime(index + 1)}</label>
            <input id={id} type="time" name={`${name}.${index}.time`} value={time} />
            <fieldset class="pills">
              <legend class="visually-hidden">{departureDays(index + 1)}</legend>
              {WEEKDAYS.map((day, number) => (
                <label key={day} class="pill">
                  <input
                    type="checkbox"
                    name={`${name}.${index}.days`}
                    value={day}
                    checked={time !== "" && held.some((one) => one.day === day && one.time === time)}
                  />
                  {weekdays[number]}
                </label>
              ))}
            </fieldset>
          </div>
        );
      })}
      <p class="hint">{hint}</p>
      {error !== undefined && <p class="error">{error}</p>}
    </fieldset>
  );
}

/** Entry of the configuration reference about a field: `plants[].pv[].tilt_deg` of `pv.0.tilt_deg`. */
function keyOf(name: string): string {
  const key = name.replace(/\.[^.]*?\d+(?=\.)/g, "[]");
  return key.startsWith("mqtt.") ? key : `plants[].${key}`;
}

/** A question of a form, folded while another is asked. */
export interface Asked {
  key: string;
  title: string;
  /** What is set, shown while the question is closed. */
  values?: string | undefined;
  hasError: boolean;
  children: ComponentChildren;
}

/**
 * Questions of which one is open at a time: the first (unless they follow others), or those with an error. A single one
 * has no frame.
 */
export function Questions({ questions, isMore = false }: { questions: readonly Asked[]; isMore?: boolean }) {
  const [single, ...others] = questions;
  if (single !== undefined && others.length === 0 && !isMore)
    return <div class="fields">{single.children}</div>;
  const hasError = questions.some((one) => one.hasError);
  return (
    <>
      {questions.map((one, index) => (
        <details
          key={one.key}
          class="row"
          name={hasError ? undefined : "question"}
          open={hasError ? one.hasError : index === 0 && !isMore}
        >
          <summary>
            {one.title}
            {one.values !== undefined && <span class="hint">{`: ${one.values}`}</span>}
          </summary>
          <div class="fields">{one.children}</div>
        </details>
      ))}
    </>
  );
}

/** The fields of a section or of a row, by questions. */
export function Fields({
  shown,
  section,
  questions,
  prefix,
}: Omit<FieldRowProps, "field"> & { questions: readonly Question[] }) {
  const nameOf = ({ path }: Field) => prefix + path.join(".");
  return (
    <Questions
      questions={questions.map(({ id, fields }) => ({
        key: fields.map(nameOf).join(" "),
        title: questionTitle(id, shown.language),
        values: valuesOf(fields, { shown, section, prefix }),
        hasError: fields.some((field) => shown.errors[nameOf(field)] !== undefined),
        children: fields.map((field) => (
          <FieldRow key={nameOf(field)} shown={shown} section={section} field={field} prefix={prefix} />
        )),
      }))}
    />
  );
}

/** `Charging power 5 kW, …`; of fields that few homes set, those that are set. */
function valuesOf(
  fields: readonly Field[],
  { shown, section, prefix }: Omit<FieldRowProps, "field">,
): string | undefined {
  const values = fields.flatMap((field) => {
    const text = shown.texts.get(prefix + field.path.join(".")) ?? "";
    const isPlain = field.kind === "number" || field.kind === "text" || field.kind === "choice";
    if (field.filler !== undefined || text === "" || (!isPlain && isDefault(text, field))) return [];
    const { name, unit } = labelOf(section, field, shown.language);
    const value = valueText(text, field, shown.language);
    return [`${name} ${value}${unit === "" ? "" : ` ${unit}`}`];
  });
  return values.length === 0 ? undefined : values.join(", ");
}
