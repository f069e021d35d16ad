import type { VNode } from "preact";
import type { KeyPath } from "../../config/kit/node.js";
import type { ExaminedPlant } from "../../config/plausibility.js";
import type { PlantSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { typedValue } from "../ems/field-text.js";
import type { FieldErrors } from "../ui/form.js";
import type { Values } from "./progress.js";

/** What the fields of a step show and belong to. */
export interface StepProps {
  context: SignedInContext;
  site: Site;
  /** The text of a field; empty where there is none. */
  value: (name: string) => string;
  errors: FieldErrors;
  /** Name, value and error of a field. */
  field(name: string): { name: string; value: string; error: string | undefined };
}

/** What was typed in a step. */
export interface Typed {
  text(name: string): string;
  isTicked(name: string): boolean;
  language: Language;
}

/** Sections of the plant that a step sets. */
export interface StepChange {
  plant: Partial<Record<keyof PlantSettings, unknown>>;
  /** The field of a place of the settings. */
  nameOf(path: KeyPath): string;
  /** Parts that are examined for unlikely values in place of those of `plant`. */
  examined?: ExaminedPlant;
}

/** A step that sets sections of the plant. */
export interface SettingsStep {
  /** The texts of the fields from the settings in force, where nothing was typed before. */
  held(plant: PlantSettings, language: Language): Values;
  read(typed: Typed, site: Site): StepChange | { errors: FieldErrors };
  Fields(props: StepProps): VNode;
}

/** A typed number; a text that is none comes back as it is, for the check of the settings; undefined for an empty one. */
export function numberIn(typed: Pick<Typed, "text">, name: string): number | string | undefined {
  const value = typedValue(typed.text(name), {
    path: [],
    kind: "number",
    node: { type: "number" },
    required: false,
  });
  return value as number | string | undefined;
}

/** A number as text, with the decimal sign of the language; empty for none. */
export function textOfNumber(value: number | null | undefined, language: Language): string {
  return value === null || value === undefined
    ? ""
    : String(value).replace(".", textsOf(language).format.decimal);
}
