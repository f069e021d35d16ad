import { OUTPUT_NAMES, OUTPUTS, type OutputName } from "../domain/outputs.js";
import type { SitePlan } from "./site-plan.js";

/** The outputs as numbers in the units of `OUTPUTS`; flags are 0 or 1. */
export function outputsOf({ scalars }: SitePlan): Record<OutputName, number> {
  const values = OUTPUT_NAMES.map((name): [OutputName, number] => [
    name,
    Number(scalars[OUTPUTS[name].scalar]),
  ]);
  return Object.fromEntries(values) as Record<OutputName, number>;
}
