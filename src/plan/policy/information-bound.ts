import { terminalWorthCt } from "../terminal-value.js";
import { costToGoLayers, terminalLayers } from "./cost-to-go.js";
import { runPolicy, runUncontrolled, sampleCourses } from "./sample-runs.js";
import { certainChain } from "./scenario-chain.js";
import { POLICY_SETTINGS } from "./settings.js";
import type { SolvedStages } from "./solved-stages.js";
import { type PolicyRules, StageCosts } from "./stage-costs.js";

/** Mean costs over the same samples, each less the worth of the energy stored at the end, ct. */
export interface InformationBound {
  /** Of the policy. */
  objectiveCt: number;
  /** Of the best modes for each sample, were its load known in advance: no policy can expect less. */
  boundCt: number;
  /** Of the battery in self-consumption alone. */
  uncontrolledCt: number;
}

/** The perfect-information bound: what the policy is away from it is the worth of knowing the load. */
export function informationBound(
  solved: SolvedStages,
  { socKwh, samples = 20, seed = 1 }: { socKwh: number; samples?: number; seed?: number },
): InformationBound {
  const { stages, tranches } = solved;
  const rules = fineRules(solved.rules);
  const terminal = terminalLayers(rules, (stored) => -terminalWorthCt(tranches, stored));
  const total = { objectiveCt: 0, boundCt: 0, uncontrolledCt: 0 };
  const courses = sampleCourses(solved, Math.max(1, samples), seed);
  const runs = runPolicy(solved, { socKwh }, courses);
  const frees = runUncontrolled(solved, socKwh, courses);
  for (const [index, sample] of courses.entries()) {
    const run = runs[index]!;
    const free = frees[index]!;
    const known = stages.map((stage, t) => ({ ...stage, netKwh: Float64Array.of(sample.netKwh[t]!) }));
    const [runCt, freeCt] = [run, free].map(
      (course) => course.costCt + course.overCt - terminalWorthCt(tranches, course.socKwh.at(-1) ?? socKwh),
    ) as [number, number];
    total.objectiveCt += runCt;
    total.uncontrolledCt += freeCt;
    // Between its points the cost to go is a little too high: no course that is known to be possible costs less than the best.
    total.boundCt += Math.min(
      runCt,
      freeCt,
      costAt(socKwh, costToGoLayers(known, rules, terminal)[0]!, rules),
    );
  }
  return {
    objectiveCt: total.objectiveCt / courses.length,
    boundCt: total.boundCt / courses.length,
    uncontrolledCt: total.uncontrolledCt / courses.length,
  };
}

/** One scenario at a time leaves the time for a finer grid. */
function fineRules(rules: PolicyRules): PolicyRules {
  const chain = certainChain();
  if (rules.points === 1) return { ...rules, chain };
  const points = POLICY_SETTINGS.pointsWhenCertain;
  return { ...rules, chain, points, spacingKwh: (rules.spacingKwh * (rules.points - 1)) / (points - 1) };
}

function costAt(socKwh: number, values: Float64Array, rules: PolicyRules): number {
  const costs = new StageCosts(rules);
  costs.follow(values);
  return costs.worth(socKwh, 0);
}
