import type { FormBody } from "../form-body.js";
import { fieldNamed } from "./fields.js";
import { type HeldSettings, heldTexts } from "./held-texts.js";
import { presetOf } from "./presets.js";
import { type FormChange, readSettingsForm } from "./read-form.js";
import { isOptional, PLACE_KEYS, SECTIONS, type Section } from "./sections.js";

/** A form with the change of its button applied. */
export interface RequestedChange extends FormChange {
  /** Sections that are reset to the configuration file. */
  resets: readonly Section[];
}

/**
 * Applies the button of a submitted form: `remove` is a row (`pv.1`, `slots.3`) or an optional section (`battery`,
 * `tariff`), `reset` a section to reset to the configuration file, `preset` a tariff preset.
 */
export function requestedChange(form: FormBody, held: HeldSettings): RequestedChange {
  const posted = postedTexts(form);
  const removed = form.text("remove");
  const preset = presetOf(form.text("preset"), new Map([...heldTexts(held), ...posted]));
  const change = readSettingsForm(
    new Map([...posted, ...preset.texts]),
    held,
    new Set([...preset.removedRows, ...(removed === "" ? [] : [`${removed}.`])]),
  );
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

/** The fields of a form as they were typed. */
export function postedTexts(form: FormBody): Map<string, string> {
  return new Map(form.names().map((name) => [name, postedText(form, name)]));
}

/** A field of a form as it was typed. */
export function postedText(form: FormBody, name: string): string {
  return fieldNamed(name)?.kind === "choices" ? form.texts(name).join(" ") : form.text(name);
}
