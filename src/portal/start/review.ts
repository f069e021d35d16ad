import { nodesAt } from "../../config/kit/node.js";
import type { PlantFinding } from "../../config/plant.js";
import {
  type PlausibilityWarning,
  plausibilityText,
  plausibilityWarnings,
} from "../../config/plausibility.js";
import { plantSchema } from "../../config/schema/plant.js";
import type { PlantSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { findingText } from "../ems/finding-text.js";
import { changedPlant } from "../ems/unlikely-values.js";
import type { FieldErrors } from "../ui/form.js";
import type { StepChange } from "./step.js";

/** A change that cannot be saved, or that is unlikely. */
export type Review = { errors: FieldErrors } | { warnings: readonly PlausibilityWarning[] };

/** Checks a change of a step by the rules of the configuration and for unlikely values in its sections. */
export function review(plant: PlantSettings, change: StepChange, language: Language): Review {
  const parsed = changedPlant(plant, change.plant);
  if ("findings" in parsed) {
    const errors: Record<string, string> = {};
    for (const finding of parsed.findings)
      errors[change.nameOf(finding.path)] ??= errorText(finding, change, language);
    return { errors };
  }
  const isChanged = ({ path }: PlausibilityWarning) => Object.hasOwn(change.plant, path[0] ?? "");
  const examined = { ...parsed.plant, ...change.examined };
  return { warnings: plausibilityWarnings(examined).filter(isChanged) };
}

/** Where a percentage was typed as a fraction, what is probably meant; otherwise what the field accepts. */
function errorText({ path, rule }: PlantFinding, change: StepChange, language: Language): string {
  const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], {
    ...change.plant,
  });
  if (path.at(-1)?.endsWith("_pct") && typeof value === "number" && value > 0 && value < 1) {
    const params = { value, meant: Number((value * 100).toPrecision(6)) };
    return plausibilityText({ path, code: "fraction", params }, language);
  }
  return findingText({ rule }, nodesAt(plantSchema, path)[0], language);
}
