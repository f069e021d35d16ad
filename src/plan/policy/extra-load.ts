import { optionsOf } from "./decide.js";
import { runPolicy, sampleCourses } from "./sample-runs.js";
import { knownTargets, type SolvedStages } from "./solved-stages.js";
import { HOLD, STANDBY, StageCosts } from "./stage-costs.js";

/** What is stored before a stage on one sampled course, and how likely its scenarios then are. */
interface Situation {
  socKwh: number;
  /** Scenario before the stage. */
  before: number;
  weights: Float64Array;
  /** Least expected cost of the stage and what follows, without any extra load, ct. */
  baseCt: number;
}

/**
 * What one more load would cost a site, with the battery adapting: the marginal cost by which devices are placed
 * (docs/planner.md). The energy stored before each stage is that of sampled courses of the policy.
 */
export class ExtraLoadCosts {
  readonly #solved: SolvedStages;
  readonly #costs: StageCosts;
  readonly #situations: Situation[][];

  constructor(
    solved: SolvedStages,
    { socKwh, samples = 6, seed = 1 }: { socKwh: number; samples?: number; seed?: number },
  ) {
    this.#solved = solved;
    const { stages, rules } = solved;
    const { chain } = rules;
    this.#costs = new StageCosts(rules);
    const courses = sampleCourses(solved, chain.count === 1 ? 1 : Math.max(1, samples), seed);
    const runs = runPolicy(solved, { socKwh }, courses);
    this.#situations = stages.map((stage, t) =>
      courses.map(({ scenarios }, index) => {
        const before = scenarios[t]!;
        const situation = {
          socKwh: t === 0 ? socKwh : runs[index]!.socKwh[t - 1]!,
          before,
          weights: chain.next(before, stage, new Float64Array(chain.count)),
          baseCt: 0,
        };
        situation.baseCt = this.#leastCt(t, situation, 0);
        return situation;
      }),
    );
  }

  hours(t: number): number {
    return this.#solved.stages[t]!.hours;
  }

  /**
   * Expected cost of `kwh` more load, spread evenly over stage `t`, ct. With `held` the battery gives nothing in the stage,
   * neither to this load nor to others.
   */
  ct(t: number, kwh: number, held = false): number {
    if (kwh === 0) return 0;
    const situations = this.#situations[t]!;
    let sum = 0;
    for (const situation of situations) sum += this.#leastCt(t, situation, kwh, held) - situation.baseCt;
    return sum / situations.length;
  }

  /** The same for a device of `powerKw` that runs all through the stage, ct/kWh. */
  ctKwh(t: number, powerKw: number, held = false): number {
    const kwh = powerKw * this.hours(t);
    return this.ct(t, kwh, held) / kwh;
  }

  #leastCt(
    t: number,
    { socKwh, before, weights }: Omit<Situation, "baseCt">,
    kwh: number,
    held = false,
  ): number {
    const { stages, values, rules } = this.#solved;
    const stage = stages[t]!;
    const costs = this.#costs;
    const netKwh = kwh === 0 ? stage.netKwh : stage.netKwh.map((net) => net + kwh);
    costs.of(stage, values[t + 1]!, { hours: stage.hours, netKwh });
    costs.at(socKwh);
    if (held) {
      const hold =
        costs.byMode[!rules.controls.has("hold") && rules.controls.has("standby") ? STANDBY : HOLD];
      let ct = 0;
      for (let w = 0; w < hold.length; w++) ct += hold[w]! * weights[w]!;
      return ct;
    }
    const targets = knownTargets(this.#solved, t, before, { costs, weights });
    let least = Infinity;
    for (const { ct } of optionsOf({ costs, stage, rules, socKwh, weights, targets, provisional: true }))
      if (ct < least) least = ct;
    return least;
  }
}
