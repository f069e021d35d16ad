import type { PvNodes } from "./policy-input.js";

/** What the chain needs to know of a stage. */
export interface ChainStage {
  /** Next to no PV is expected: its scenarios do not differ. */
  dark: boolean;
  /** Probabilities that the load rank and the PV node of the stage before hold. */
  stay: number;
  pvStay: number;
}

/** Load ranks with their probabilities, and how likely the same one holds an hour later. */
export interface LoadRanks {
  shares: readonly number[];
  /** An hour, 0 to 1. */
  persistence: number;
}

/**
 * The scenarios of a problem as a Markov chain: the rank of the load among its nodes, and the PV node. Over `hours` each of
 * them stays with probability `persistence ^ hours`, else it is drawn anew by its shares; they do not depend on each other.
 * Scenario `m * loads + k` is PV node `m` with load rank `k`. A dark stage has the scenarios of PV node 0 alone, and
 * after one the PV node is drawn anew.
 */
export class ScenarioChain {
  readonly load: LoadRanks;
  readonly pv: PvNodes;
  /** Number of load ranks. */
  readonly loads: number;
  /** Number of scenarios of a stage that is not dark. */
  readonly count: number;
  readonly #pvs: number;
  readonly #shares: Float64Array;
  readonly #pvShares: Float64Array;
  #mixed = new Float64Array(0);
  #means = new Float64Array(0);

  constructor(load: LoadRanks, pv: PvNodes = { factors: [1], shares: [1], persistence: 0 }) {
    this.load = load;
    this.pv = pv;
    this.loads = load.shares.length;
    this.#pvs = pv.shares.length;
    this.count = this.loads * this.#pvs;
    this.#shares = Float64Array.from(load.shares);
    this.#pvShares = Float64Array.from(pv.shares);
  }

  /** What the chain needs to know of a stage of `hours`. */
  stage(hours: number, { dark, afterDark }: { dark: boolean; afterDark: boolean }): ChainStage {
    return {
      dark,
      stay: staying(this.load.persistence, hours),
      pvStay: afterDark || this.#pvs === 1 ? 0 : staying(this.pv.persistence, hours),
    };
  }

  /** Number of scenarios of a stage. */
  countOf({ dark }: Pick<ChainStage, "dark">): number {
    return dark ? this.loads : this.count;
  }

  /** Number of scenarios before a stage that make a difference to it. */
  countBefore({ dark, pvStay }: ChainStage): number {
    return dark || pvStay === 0 ? this.loads : this.count;
  }

  /** Distribution of a stage's scenarios where nothing is known of the stage before. */
  usual({ dark }: Pick<ChainStage, "dark">, into: Float64Array): Float64Array {
    return this.next(0, { dark, stay: 0, pvStay: 0 }, into);
  }

  /** Distribution of a stage's scenarios, given that of the stage before. */
  next(before: number, { dark, stay, pvStay }: ChainStage, into: Float64Array): Float64Array {
    const { loads } = this;
    const rank = before % loads;
    const node = (before - rank) / loads;
    into.fill(0);
    const pvs = dark ? 1 : this.#pvs;
    for (let m = 0; m < pvs; m++) {
      const share = dark ? 1 : (1 - pvStay) * this.#pvShares[m]! + (m === node ? pvStay : 0);
      for (let k = 0; k < loads; k++)
        into[m * loads + k] = share * ((1 - stay) * this.#shares[k]! + (k === rank ? stay : 0));
    }
    return into;
  }

  /**
   * Expectations of values by scenario of the stage, for each scenario before it (the first `countBefore`): the same as
   * with the weights of `next`, in fewer steps. A scenario has `width` values one after another, of which the first `until` count.
   */
  expectations(
    values: Float64Array,
    { dark, stay, pvStay }: ChainStage,
    into: Float64Array,
    { width, until }: { width: number; until: number },
  ): void {
    const { loads } = this;
    const pvs = dark ? 1 : this.#pvs;
    if (loads * pvs === 1) {
      into.set(values.subarray(0, until));
      return;
    }
    if (this.#mixed.length < this.count * width) {
      this.#mixed = new Float64Array(this.count * width);
      this.#means = new Float64Array(width);
    }
    const mixed = pvs === 1 ? into : this.#mixed;
    // Row by row: short loops took twice as long, and a solve spends a third of its time here.
    const load = { shares: this.#shares, rowStep: width, stay, until };
    for (let m = 0; m < pvs; m++) this.#mix(values, mixed, m * loads * width, load);
    if (pvs === 1) return;
    const pv = { shares: this.#pvShares, rowStep: loads * width, stay: pvStay, until };
    for (let k = 0; k < loads; k++) this.#mix(mixed, into, k * width, pv);
  }

  /** Of values that stay with probability `stay`, else are drawn anew by their shares; one row of `until` columns for each. */
  #mix(
    values: Float64Array,
    into: Float64Array,
    first: number,
    { shares, rowStep, stay, until }: { shares: Float64Array; rowStep: number; stay: number; until: number },
  ): void {
    const means = this.#means;
    means.fill(0, 0, until);
    for (let row = 0, start = first; row < shares.length; row++, start += rowStep) {
      const share = shares[row]!;
      for (let i = 0; i < until; i++) means[i]! += share * values[start + i]!;
    }
    for (let row = 0, start = first; row < shares.length; row++, start += rowStep)
      for (let i = 0; i < until; i++) {
        const mean = means[i]!;
        into[start + i] = mean + stay * (values[start + i]! - mean);
      }
  }

  /** Scenarios along the stages, drawn at random: of the stage before the first, then one a stage. */
  draw(stages: readonly ChainStage[], random: () => number): number[] {
    let rank = drawn(this.load.shares, random());
    let node = drawn(this.pv.shares, random());
    const scenarios = [node * this.loads + rank];
    for (const { dark, stay, pvStay } of stages) {
      const stays = random() < stay;
      const other = drawn(this.load.shares, random());
      if (!stays) rank = other;
      if (this.#pvs > 1 && !dark && random() >= pvStay) node = drawn(this.pv.shares, random());
      scenarios.push(dark ? rank : node * this.loads + rank);
    }
    return scenarios;
  }
}

/** One scenario: all is known. */
export function certainChain(): ScenarioChain {
  return new ScenarioChain({ shares: [1], persistence: 0 });
}

/** Probability that a node holds over `hours`. */
export function staying(persistence: number, hours: number): number {
  return persistence <= 0 ? 0 : persistence ** hours;
}

/** Distribution after a time in which a node stays with probability `stay`, else it is drawn anew. */
export function spread(weights: Float64Array, stay: number, shares: readonly number[]): void {
  for (let w = 0; w < weights.length; w++) weights[w] = stay * weights[w]! + (1 - stay) * shares[w]!;
}

/** The values nearest to a measured one share its weight by distance; equal values by their shares. */
export function likeness(
  measured: number,
  values: ArrayLike<number>,
  shares: readonly number[],
  into: Float64Array,
): void {
  into.fill(0);
  let below = -Infinity;
  let above = Infinity;
  for (let w = 0; w < values.length; w++) {
    const value = values[w]!;
    if (value <= measured && value > below) below = value;
    if (value >= measured && value < above) above = value;
  }
  const width = above - below;
  const isBetween = width > 0 && width < Infinity;
  const add = (value: number, weight: number) => {
    let share = 0;
    let count = 0;
    for (let w = 0; w < values.length; w++) {
      if (values[w] !== value) continue;
      share += shares[w]!;
      count++;
    }
    for (let w = 0; w < values.length; w++)
      if (values[w] === value) into[w] = weight * (share > 0 ? shares[w]! / share : 1 / count);
  };
  if (!isBetween) add(below === -Infinity ? above : below, 1);
  else {
    add(below, (above - measured) / width);
    add(above, (measured - below) / width);
  }
}

function drawn(shares: readonly number[], at: number): number {
  let sum = 0;
  for (let k = 0; k < shares.length - 1; k++) {
    sum += shares[k]!;
    if (at < sum) return k;
  }
  return shares.length - 1;
}
