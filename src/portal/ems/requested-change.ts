import type { Language } from "../../core/language.js";
import type { FormBody } from "../form-body.js";
import { type FieldTexts, isSameText, WEEKDAYS, weeklyTimesText } from "./field-text.js";
import { fieldNamed, fieldsOf } from "./fields.js";
import type { HeldSettings } from "./held-texts.js";
import { changedTexts, type FormChange, readSettingsForm } from "./read-form.js";
import { isOptional, PLACE_KEYS, prefixOf, SECTIONS, type Section } from "./sections.js";

/** A form with the change of its button applied. */
export interface RequestedChange extends FormChange {
  /** Sections that are reset to the configuration file. */
  resets: readonly Section[];
}

/**
 * Applies the button of a submitted form: `remove` is a row (`pv.1`, `slots.3`) or an optional section (`battery`,
 * `tariff`), `reset` a section to reset to the configuration file.
 */
export function requestedChange(form: FormBody, held: HeldSettings, language?: Language): RequestedChange {
  const removed = form.text("remove");
  const removals = new Set(removed === "" ? [] : [`${removed}.`]);
  const change = readSettingsForm(postedTexts(form), held, { removals, ...(language && { language }) });
  const resets = SECTIONS.filter((section) => section === form.text("reset"));
  const plant = { ...change.plant };
  for (const section of SECTIONS) if (isOptional(section) && section === removed) plant[section] = null;
  for (const section of resets) {
    if (section === "place") for (const key of PLACE_KEYS) plant[key] = undefined;
    else if (section !== "telemetry") plant[section] = undefined;
    if (section === "pv") plant.inverters = undefined;
    if (section === "battery") plant.batteries = undefined;
    if (section === "batteries") plant.battery = undefined;
  }
  return { ...change, plant, resets };
}

const TIMES = /^(.+)\.(\d)\.time$/;

/** The fields of a form as they were typed; a time and its weekdays make the text of one field. */
export function postedTexts(form: FormBody): FieldTexts {
  const names = form.names();
  const weekly = new Set(names.flatMap((name) => TIMES.exec(name)?.[1] ?? []));
  return new Map([
    ...names.map((name) => [name, postedText(form, name)] as const),
    ...[...weekly].map((name) => [name, weeklyText(form, name)] as const),
  ]);
}

function postedText(form: FormBody, name: string): string {
  return fieldNamed(name)?.kind === "choices" ? form.texts(name).join(" ") : form.text(name);
}

/** The times of the days that were chosen; of two times for a day the later field counts. */
function weeklyText(form: FormBody, name: string): string {
  const times = new Map<string, string>();
  for (let index = 0; form.has(`${name}.${index}.time`); index++)
    for (const day of form.texts(`${name}.${index}.days`)) times.set(day, form.text(`${name}.${index}.time`));
  const chosen = WEEKDAYS.flatMap((day) => (times.has(day) ? [{ day, time: times.get(day)! }] : []));
  // Neither no day nor a day without a time is one: the check of the settings says what is allowed.
  return chosen.length === 0 || chosen.some(({ time }) => time === "") ? "-" : weeklyTimesText(chosen);
}

/** Field of a form with what its section held when the page was sent; without it nothing is compared. */
export const HELD_FIELD = "held";

/** What a section holds, by the names of its fields. */
export function sectionTexts(texts: FieldTexts, section: Section): string {
  const prefix = prefixOf(section);
  const own = new Set(fieldsOf(section).map(({ path }) => path.join(".")));
  return JSON.stringify(
    Object.fromEntries(
      [...texts].filter(([name]) => (section === "place" ? own.has(name) : name.startsWith(prefix))),
    ),
  );
}

/** Whether a form says what is saved already: it was sent twice, or again with the back button. */
export function isSaved(form: FormBody, now: FieldTexts): boolean {
  return changedTexts(postedTexts(form), now).size === 0;
}

/**
 * The fields that were typed on a page whose section has been saved elsewhere since, as in another window; undefined if the
 * page is up to date.
 */
export function typedOnOldPage(
  form: FormBody,
  now: FieldTexts,
  sections: readonly Section[],
): Map<string, string> | undefined {
  const [section, ...others] = sections;
  if (!form.has(HELD_FIELD) || section === undefined || others.length > 0) return undefined;
  if (form.text(HELD_FIELD) === sectionTexts(now, section)) return undefined;
  const held = recordIn(form.text(HELD_FIELD));
  const isTyped = (name: string, text: string) => {
    const field = fieldNamed(name);
    return field === undefined ? name !== HELD_FIELD : !isSameText(text, String(held[name] ?? ""), field);
  };
  return new Map([...postedTexts(form)].filter(([name, text]) => isTyped(name, text)));
}

function recordIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
