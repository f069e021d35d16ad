import { parsePlant } from "../../config/plant.js";
import {
  type ExaminedPlant,
  type PlausibilityWarning,
  plausibilityText,
  plausibilityWarnings,
} from "../../config/plausibility.js";
import type { PlantSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { ownPeriods } from "../../tariff/apply-presets.js";
import { textsOf } from "../../texts/index.js";
import { Notice } from "../ui/form.js";
import { bullets, submitButton } from "../ui/parts.js";
import { fieldNamed } from "./fields.js";
import { labelOf } from "./labels.js";
import { priceFields } from "./price-fields.js";
import { isList, sectionOf } from "./sections.js";
import { rowTitle } from "./summary.js";
import { tariffFieldAt } from "./tariff-fields.js";

/** A question about values that are valid but unlikely, such as a VAT of 0.2%. */
export interface UnlikelyQuestion {
  lines: readonly string[];
  /** Value of the field `confirmed` that accepts exactly these values. */
  confirmation: string;
}

/** A plant with changed sections, by the rules of the configuration. */
export function changedPlant(plant: PlantSettings, change: Readonly<Record<string, unknown>>) {
  // The battery beside several ones is their sum.
  const held = plant.batteries.length > 0 ? { ...plant, battery: null } : plant;
  return parsePlant({ ...held, ...change }, []);
}

/** Asks about the unlikely values that a change brings; undefined if it brings none, or cannot be saved anyway. */
export function unlikelyQuestion(
  plant: PlantSettings,
  change: Readonly<Record<string, unknown>>,
  language: Language,
  examined?: ExaminedPlant,
): UnlikelyQuestion | undefined {
  const parsed = changedPlant(plant, change);
  if ("findings" in parsed) return undefined;
  const known = new Set(plausibilityWarnings(plant).map((warning) => confirmationOf([warning])));
  const warnings = plausibilityWarnings({ ...parsed.plant, ...examined }).filter(
    (warning) => !known.has(confirmationOf([warning])),
  );
  if (warnings.length === 0) return undefined;
  return {
    lines: warnings.map(
      (warning) => `${placeOf(warning, parsed.plant, language)}: ${plausibilityText(warning, language)}`,
    ),
    confirmation: confirmationOf(warnings),
  };
}

/** Identifies warnings, so that exactly those that were shown can be confirmed. */
export function confirmationOf(warnings: readonly PlausibilityWarning[]): string {
  return warnings.map(({ path, code, params }) => `${path.join(".")}:${code}:${params.value}`).join(" ");
}

/** `Array 2, Peak power (kW)`; the power of a shared inverter is a field of its first array. */
function placeOf(warning: PlausibilityWarning, plant: PlantSettings, language: Language): string {
  const id = warning.path[0] === "inverters" ? plant.inverters[Number(warning.path[1])]?.id : undefined;
  const path =
    id === undefined
      ? warning.path
      : ["pv", String(plant.pv.findIndex(({ inverter }) => inverter === id)), "inverter_kw"];
  const name = path.join(".");
  const section = sectionOf(name);
  if (section === "tariff") return tariffPlace(path, plant, language);
  const field = fieldNamed(name);
  const label = field && labelOf(section, field, language).label;
  if (!isList(section)) return label ?? name;
  const slot = plant.slots[Number(path[1])]?.slot;
  return `${rowTitle(section, String(section === "slots" ? slot : path[1]), language)}, ${label ?? name}`;
}

/** The amount of a tariff by its name, as in its form. */
function tariffPlace(path: readonly string[], { tariff }: PlantSettings, language: Language): string {
  const name = tariffFieldAt(path);
  const period = tariff === null ? {} : (ownPeriods(tariff)[Number(path[1])] ?? {});
  const field = priceFields(period, language).find((one) => one.name === name);
  if (field === undefined) return textsOf(language).ems.sections.tariff.title;
  return field.unit === "" ? field.label : `${field.label} (${field.unit})`;
}

interface QuestionProps {
  /** Undefined: there is nothing to ask. */
  question: UnlikelyQuestion | undefined;
  language: Language;
}

/** In a form: which values are unlikely. */
export function UnlikelyNotice({ question, language }: QuestionProps) {
  if (question === undefined) return null;
  return (
    <Notice kind="warning">
      <p>
        <strong>{textsOf(language).plausibility.what}</strong>
      </p>
      {bullets(question.lines)}
    </Notice>
  );
}

/** Beside the button of the form: saves the unlikely values. */
export function ConfirmButton({ question, language }: QuestionProps) {
  if (question === undefined) return null;
  return submitButton(textsOf(language).plausibility.confirm, {
    kind: "plain",
    name: "confirmed",
    value: question.confirmation,
  });
}
