import type { BatteryMode } from "../../core/domain/battery.js";
import { DAY_MS } from "../../core/domain/interval.js";
import { cheapest, type ModeOption, optionsOf, TIE_CT } from "./decide.js";
import { POLICY_SETTINGS } from "./settings.js";
import { knownTargets, type SolvedStages } from "./solved-stages.js";
import { StageCosts } from "./stage-costs.js";
import { stepOf } from "./stage-step.js";
import type { Stage } from "./stages.js";

/** The cheapest way to be in a mode, and how it begins. */
interface Way {
  option: ModeOption;
  first: ModeOption;
  /** Stored before the stage, kWh. */
  storedKwh: number;
  /** What its modes cost more than the cheapest ones, each from what is then stored, and its changes, ct. */
  ct: number;
}

/** How far is looked ahead: a day has all that makes a mode pay. */
const AHEAD_MS = DAY_MS;

/** Share of the cost of a change that an hour has to gain where nothing is looked at ahead: it lasts for some hours. */
const LEAST_SHARE = 0.4;

/** Chooses among modes so that the mode changes only where that pays. */
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

  /**
   * The option of stage `t`, or of the rest of it, with which the cheapest modes ahead begin where each change costs something: at usual
   * load and PV, as far ahead as matters to the beginning.
   */
  choose(
    options: readonly ModeOption[],
    previous: BatteryMode | undefined,
    { t, stage, socKwh }: { t: number; stage: Stage; socKwh: number },
  ): ModeOption {
    const best = cheapest(options);
    const held = options.find(({ mode }) => mode === previous);
    if (previous === undefined || (held !== undefined && held.ct - best.ct <= TIE_CT)) return held ?? best;
    const { stages } = this.#solved;
    let ways = options.map((option): Way => {
      const ct = option.ct - best.ct + (option === held ? 0 : this.#changeCt);
      return { option, first: option, storedKwh: socKwh, ct };
    });
    let step = stage;
    for (let k = t + 1; ways.some(({ first }) => first !== ways[0]!.first); k++) {
      const next = stages[k];
      if (next === undefined || next.startMs > stage.startMs + AHEAD_MS) break;
      ways = this.#waysOn(ways, step, k);
      step = next;
    }
    return leastOf(ways).first;
  }

  /** The cheapest ways to be in each mode of stage `k`, after those of the stage before. */
  #waysOn(ways: readonly Way[], stage: Stage, k: number): Way[] {
    const netKwh = stage.loadKwh - stage.pvKwh;
    const on = new Map<BatteryMode, Way>();
    for (const { option, first, storedKwh, ct } of ways) {
      const { flows } = stepOf(stage, this.#solved.rules, { socKwh: storedKwh, option, netKwh });
      const ahead = this.#optionsAt(k, flows.socEndKwh);
      const best = cheapest(ahead);
      for (const next of ahead) {
        const nextCt = ct + (next.mode === option.mode ? 0 : this.#changeCt) + next.ct - best.ct;
        if (nextCt < (on.get(next.mode)?.ct ?? Number.POSITIVE_INFINITY) - TIE_CT)
          on.set(next.mode, { option: next, first, storedKwh: flows.socEndKwh, ct: nextCt });
      }
    }
    return [...on.values()];
  }

  /** The same without a look ahead, for samples by the thousand: the mode in force while leaving it gains little in an hour. */
  chooseAtOnce(
    options: readonly ModeOption[],
    previous: BatteryMode | undefined,
    { hours }: Stage,
  ): ModeOption {
    const best = cheapest(options);
    const held = options.find(({ mode }) => mode === previous);
    const leastCt = this.#changeCt * LEAST_SHARE * Math.min(1, hours);
    return held !== undefined && held.ct - best.ct <= leastCt ? held : best;
  }

  /** The options of a later stage at usual load and PV. */
  #optionsAt(t: number, socKwh: number): ModeOption[] {
    const { stages, rules, values } = this.#solved;
    const stage = stages[t]!;
    const costs = this.#costs;
    const weights = rules.chain.usual(stage, this.#weights);
    costs.of(stage, values[t + 1]!);
    costs.at(socKwh);
    const targets = knownTargets(this.#solved, t, rules.chain.count, { costs, weights });
    return optionsOf({ costs, stage, rules, socKwh, weights, targets, provisional: true });
  }
}

/** The first one in a tie: stored energy is used rather than kept for an hour that is as dear. */
function leastOf(ways: readonly Way[]): Way {
  return ways.reduce((least, way) => (way.ct < least.ct - TIE_CT ? way : least));
}
