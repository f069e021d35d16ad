import { BATTERY_MODES, type BatteryMode } from "../../core/domain/battery.js";
import { interpolate } from "../interpolate.js";
import { cheapest, type ModeOption, optionsOf, TIE_CT } from "./decide.js";
import { POLICY_SETTINGS } from "./settings.js";
import { knownTargets, type SolvedStages } from "./solved-stages.js";
import { StageCosts } from "./stage-costs.js";
import { stepOf } from "./stage-step.js";
import type { Stage } from "./stages.js";

/** Stored energies at which the cost of later changes is known. */
const POINTS = 11;

/** What precedes a decision. */
interface Moment {
  t: number;
  /** Stage `t`, or the rest of it. */
  stage: Stage;
  /** Stored before it, kWh. */
  socKwh: number;
  previous: BatteryMode | undefined;
}

/**
 * Chooses among modes so that the mode changes only where that pays: dynamic programming over stored energy and mode in force, at usual
 * load and PV. A mode costs what it is dearer than the cheapest one, and a change is counted as a cost.
 */
export class ModeChoice {
  readonly #solved: SolvedStages;
  readonly #costs: StageCosts;
  readonly #weights: Float64Array;
  readonly #changeCt: number;

  constructor(solved: SolvedStages) {
    const { battery, chain } = solved.rules;
    this.#solved = solved;
    this.#costs = new StageCosts(solved.rules);
    this.#weights = new Float64Array(chain.count);
    this.#changeCt = (POLICY_SETTINGS.changeCt * battery.capacityKwh) / 10;
  }

  /** The option that costs least with the changes that follow it. */
  choose(options: readonly ModeOption[], moment: Moment): ModeOption {
    const best = cheapest(options);
    const held = options.find(({ mode }) => mode === moment.previous);
    if (moment.previous === undefined || (held !== undefined && held.ct - best.ct <= TIE_CT))
      return held ?? best;
    const cts = this.#withChanges(options, moment);
    return options.reduce((least, option, k) =>
      cts[k]! < cts[options.indexOf(least)]! - TIE_CT ? option : least,
    );
  }

  /** What each option costs more than the cheapest one, with its change and those that follow, ct. */
  #withChanges(options: readonly ModeOption[], { t, stage, socKwh, previous }: Moment): number[] {
    const netKwh = stage.loadKwh - stage.pvKwh;
    const { ct: leastCt } = cheapest(options);
    return options.map((option) => {
      const { flows } = stepOf(stage, this.#solved.rules, { socKwh, option, netKwh });
      const changeCt = option.mode === previous ? 0 : this.#changeCt;
      return option.ct - leastCt + changeCt + this.#aheadCt(t + 1, flows.socEndKwh, option.mode);
    });
  }

  /** The same of stage `t` and all later ones, at usual load and PV. */
  #aheadCt(t: number, socKwh: number, mode: BatteryMode): number {
    const { stages, rules, changes } = this.#solved;
    const { minSocKwh, maxSocKwh } = rules.battery;
    if (maxSocKwh <= minSocKwh) return 0;
    if (t >= stages.length) return 0;
    if (changes[t] === undefined)
      for (let k = stages.length - 1; k >= t; k--) changes[k] ??= this.#changesFrom(k);
    const values = changes[t]!;
    // Outside of the band nothing is known but its ends.
    const x = Math.max(0, Math.min(1, (socKwh - minSocKwh) / (maxSocKwh - minSocKwh))) * (POINTS - 1);
    return interpolate(values, BATTERY_MODES.indexOf(mode) * POINTS, POINTS - 2, x);
  }

  /** By mode in force before stage `t` and stored energy. */
  #changesFrom(t: number): Float64Array {
    const { stages, rules, values } = this.#solved;
    const { minSocKwh, maxSocKwh } = rules.battery;
    const stage = stages[t]!;
    const costs = this.#costs;
    const weights = rules.chain.usual(stage, this.#weights);
    const changes = new Float64Array(BATTERY_MODES.length * POINTS);
    for (let i = 0; i < POINTS; i++) {
      const socKwh = minSocKwh + (i * (maxSocKwh - minSocKwh)) / (POINTS - 1);
      costs.of(stage, values[t + 1]!);
      costs.at(socKwh);
      const targets = knownTargets(this.#solved, t, rules.chain.count, { costs, weights });
      const options = optionsOf({ costs, stage, rules, socKwh, weights, targets, provisional: true });
      const cts = this.#withChanges(options, { t, stage, socKwh, previous: undefined });
      const least = Math.min(...cts);
      for (const [m, mode] of BATTERY_MODES.entries()) {
        const held = options.findIndex((option) => option.mode === mode);
        changes[m * POINTS + i] = Math.min(least, (cts[held] ?? Number.POSITIVE_INFINITY) - this.#changeCt);
      }
    }
    return changes;
  }
}
