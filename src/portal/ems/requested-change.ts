import type { Language } from "../../core/language.js";
import type { FormBody } from "../form-body.js";
import { type FieldTexts, WEEKDAYS, weeklyTimesText } from "./field-text.js";
import { fieldNamed } from "./fields.js";
import type { HeldSettings } from "./held-texts.js";
import { type FormChange, readSettingsForm } from "./read-form.js";
import { isOptional, PLACE_KEYS, SECTIONS, type Section } from "./sections.js";

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
