import type { TerminalTranche } from "../terminal-value.js";
import type { Layers, PolicyRules, StageCosts } from "./stage-costs.js";
import type { Stage } from "./stages.js";
import type { Targets } from "./targets.js";

/** A solved policy as simulations need it. */
export interface SolvedStages {
  stages: readonly Stage[];
  rules: PolicyRules;
  values: readonly Layers[];
  tranches: readonly TerminalTranche[];
  /** Targets by stage and scenario before it, kept by `knownTargets`: they are the same in all simulations. */
  targets: Targets[][];
  /** What later changes of the mode cost before each stage, kept by `ModeChoice`. */
  changes: Float64Array[];
}

/** The targets of stage `t` by the scenario before it; `costs` looks at the stage. */
export function knownTargets(
  { targets }: SolvedStages,
  t: number,
  before: number,
  { costs, weights }: { costs: StageCosts; weights: Float64Array },
): Targets {
  targets[t] ??= [];
  targets[t][before] ??= costs.targets(weights);
  return targets[t][before];
}
