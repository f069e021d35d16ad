import { OUTPUT_NAMES, OUTPUTS, type OutputName } from "../domain/outputs.js";
import type { SitePlan } from "./site-plan.js";

/** The outputs as numbers in the units of `OUTPUTS`; flags are 0 or 1, null is a limit that does not apply. */
export function outputsOf({ scalars }: SitePlan): Record<OutputName, number | null> {
  const values = OUTPUT_NAMES.map((name) => [name, numberOf(scalars[OUTPUTS[name].scalar])]);
  return Object.fromEntries(values) as Record<OutputName, number | null>;
}

function numberOf(value: number | boolean | null): number | null {
  return value === null ? null : Number(value);
}
