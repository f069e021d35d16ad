import { type RunMove, RunStates, type SlotLimits } from "./run-states.js";

/** A quarter-hour in which a device that stores may run. */
export interface StoreQuarter {
  /** Whether it follows the one before without a gap. */
  joins: boolean;
  /** Cost of a kWh, ct. */
  ctKwh: number;
  /** Energy as planned without regard to runs, kWh. */
  plannedKwh: number;
  /** Energy that can be taken at the least and at the greatest power, kWh; equal where the device is only switched on and off. */
  leastKwh: number;
  mostKwh: number;
}

export interface StoreRunsProblem {
  /** In order of time. */
  quarters: readonly StoreQuarter[];
  limits: SlotLimits;
  /** Whether energy may also be taken later: not where a vehicle needs it at once. */
  mayWait: boolean;
  /** What a start has to gain, ct. */
  startCt: number;
}

/** Energy that is missing costs more than a start beyond the limit, and that more than a run that is too short. */
const MISSING_CT_KWH = 2000;
const BEYOND_CT = 400;
const SHORT_CT_QUARTER = 100;
/** What is planned is best but for its runs: a kWh in another quarter-hour costs this, ct. */
const MOVED_CT_KWH = 0.3;
/** The same for each quarter-hour by which it is taken earlier or later, ct. */
const ASIDE_CT_KWH = 0.01;
/** Steps between the least and the greatest energy of a quarter-hour that are compared. */
const STEPS = 4;
const MOST_POINTS = 64;
const LEAST_POINTS = 16;
/** Most phases of a run, most starts of a day, and about the number of moves that are compared: the event loop waits. */
const MOST_PHASES = 8;
const MOST_STARTS = 6;
const MOVES = 6_000_000;
const TOLERANCE_KWH = 1e-6;

/**
 * Energies of quarter-hours near those planned, in runs that keep to the limits: a run in progress goes on, at a lower power if need be, short
 * runs are lengthened, runs are joined, each where it costs least. All that is planned is taken: where time and power leave no other
 * way, in more or shorter runs.
 *
 * Dynamic programming over (quarter-hour, state of the run, energy taken so far). Pure.
 */
export function storeRuns(problem: StoreRunsProblem): number[] {
  const totalKwh = problem.quarters.reduce((sum, { plannedKwh }) => sum + plannedKwh, 0);
  if (totalKwh < TOLERANCE_KWH) return problem.quarters.map(() => 0);
  const states = new StoreStates(problem, totalKwh);
  const planned = problem.quarters.map(({ plannedKwh }) => plannedKwh);
  const energies = states.energies();
  return states.costCt(energies) < states.costCt(planned) ? energies : planned;
}

/** The device by state of its run and energy taken so far. */
export class StoreStates {
  /** About the number of moves that are compared. */
  readonly moves: number;
  readonly #problem: StoreRunsProblem;
  readonly #totalKwh: number;
  readonly #runs: RunStates;
  readonly #points: number;
  readonly #spacing: number;
  readonly #levels: readonly (readonly number[])[];
  /** Energy planned up to the end of each quarter-hour, kWh. */
  readonly #plannedKwh: readonly number[];
  /** Mean cost of what is planned, ct/kWh: what seems cheaper was left out for other reasons. */
  readonly #usualCt: number;

  constructor(problem: StoreRunsProblem, totalKwh: number) {
    const { quarters, limits } = problem;
    this.#problem = problem;
    this.#totalKwh = totalKwh;
    this.#levels = quarters.map(levelsOf);
    const leastKwh = Math.min(...this.#levels.flat().filter((kwh) => kwh > TOLERANCE_KWH));
    this.#runs = new RunStates({
      limits,
      joins: (slot) => quarters[slot]!.joins,
      mostOn: Math.ceil(totalKwh / leastKwh - TOLERANCE_KWH),
      mostPhases: MOST_PHASES,
      mostStarts: MOST_STARTS,
    });
    const movesOfPoint = this.#levels.reduce((sum, { length }) => sum + length, 0) * this.#runs.count;
    const mostPoints = Math.max(LEAST_POINTS, Math.min(MOST_POINTS, Math.floor(MOVES / movesOfPoint)));
    this.#points = Math.max(2, Math.min(mostPoints, Math.ceil((2 * totalKwh) / leastKwh) + 1));
    this.moves = movesOfPoint * this.#points;
    this.#spacing = totalKwh / (this.#points - 1);
    let planned = 0;
    this.#plannedKwh = quarters.map(({ plannedKwh }) => (planned += plannedKwh));
    this.#usualCt = quarters.reduce((sum, { ctKwh, plannedKwh }) => sum + ctKwh * plannedKwh, 0) / totalKwh;
  }

  /** The backward pass, then the course from the present. */
  energies(): number[] {
    const { quarters } = this.#problem;
    const values = new Array<Float64Array>(quarters.length + 1);
    values[quarters.length] = this.#atEnd();
    for (let t = quarters.length - 1; t >= 0; t--) values[t] = this.#before(t, values[t + 1]!);
    let state = this.#runs.first;
    let taken = 0;
    return quarters.map((_, t) => {
      let best = { ct: Number.POSITIVE_INFINITY, kwh: 0, to: state };
      for (const kwh of [...this.#levels[t]!, this.#totalKwh - taken]) {
        if (!this.#fits(t, taken, kwh)) continue;
        const { to, ct: moveCt } = this.#move(t, state, kwh);
        const after = taken + kwh;
        const ct = moveCt + this.#asideCt(t, after) + this.#valueAt(values[t + 1]!, to, after);
        if (ct < best.ct - TOLERANCE_KWH) best = { ct, kwh, to };
      }
      state = best.to;
      taken += best.kwh;
      return best.kwh;
    });
  }

  /** What energies cost beside what is planned, ct. */
  costCt(energies: readonly number[]): number {
    let state = this.#runs.first;
    let taken = 0;
    let ct = 0;
    for (const [t, kwh] of energies.entries()) {
      const move = this.#move(t, state, kwh);
      taken += kwh;
      ct += move.ct + this.#asideCt(t, taken);
      state = move.to;
    }
    return ct + this.#endCt(state, taken);
  }

  /** Cost of what is missing at the end, and of a run that is cut short, ct. */
  #endCt(state: number, takenKwh: number): number {
    const { mayWait, quarters } = this.#problem;
    const needs = mayWait ? this.#runs.shortBy(quarters.length, state) : 0;
    return Math.max(0, this.#totalKwh - takenKwh) * MISSING_CT_KWH + needs * SHORT_CT_QUARTER;
  }

  #atEnd(): Float64Array {
    const { count } = this.#runs;
    return Float64Array.from({ length: count * this.#points }, (_, k) =>
      this.#endCt(k % count, Math.floor(k / count) * this.#spacing),
    );
  }

  #before(t: number, next: Float64Array): Float64Array {
    const { count } = this.#runs;
    const value = new Float64Array(next.length).fill(Number.POSITIVE_INFINITY);
    const [off, on] = [false, true].map((isOn) => {
      const moves = this.#runs.moves(t, isOn);
      return {
        to: Int32Array.from(moves, ({ to }) => to),
        ct: Float64Array.from(moves, (move) => this.#runCt(move)),
      };
    });
    const take = (i: number, kwh: number) => {
      const taken = i * this.#spacing + kwh;
      const energyCt = this.#energyCt(t, kwh) + this.#asideCt(t, taken);
      const { to, ct } = kwh > TOLERANCE_KWH ? on! : off!;
      const { low, part } = this.#pointOf(taken);
      // The states are in the inner loop: they have the energy in common.
      for (let state = 0; state < count; state++) {
        const after = low * count + to[state]!;
        const total = energyCt + ct[state]! + next[after]! + part * (next[after + count]! - next[after]!);
        if (total < value[i * count + state]!) value[i * count + state] = total;
      }
    };
    for (const kwh of this.#levels[t]!)
      for (let i = 0; i < this.#points && this.#fits(t, i * this.#spacing, kwh); i++) take(i, kwh);
    for (let i = this.#points - 2; i >= 0; i--) {
      const kwh = this.#totalKwh - i * this.#spacing;
      if (!this.#fits(t, i * this.#spacing, kwh)) break;
      take(i, kwh);
    }
    return value;
  }

  #fits(t: number, taken: number, kwh: number): boolean {
    const { mostKwh, plannedKwh } = this.#problem.quarters[t]!;
    return (
      kwh <= Math.max(mostKwh, plannedKwh) + TOLERANCE_KWH && taken + kwh <= this.#totalKwh + TOLERANCE_KWH
    );
  }

  /** The point below an energy, and the part of the way from it to the next one. */
  #pointOf(takenKwh: number): { low: number; part: number } {
    const x = Math.min(this.#points - 1, takenKwh / this.#spacing);
    const low = Math.min(this.#points - 2, Math.floor(x));
    return { low, part: x - low };
  }

  #valueAt(values: Float64Array, state: number, takenKwh: number): number {
    const { low, part } = this.#pointOf(takenKwh);
    const [from, to] = [low, low + 1].map((i) => values[i * this.#runs.count + state]!);
    return from! + part * (to! - from!);
  }

  /** The state after an energy of a quarter-hour, and what that costs beside what is planned, ct. */
  #move(t: number, state: number, kwh: number): { to: number; ct: number } {
    const move = this.#runs.move(t, state, kwh > TOLERANCE_KWH);
    return { to: move.to, ct: this.#energyCt(t, kwh) + this.#runCt(move) };
  }

  #energyCt(t: number, kwh: number): number {
    const { ctKwh, plannedKwh } = this.#problem.quarters[t]!;
    const moved = kwh - plannedKwh;
    return moved > 0
      ? moved * (Math.max(ctKwh, this.#usualCt) + MOVED_CT_KWH)
      : moved * Math.min(ctKwh, this.#usualCt);
  }

  #runCt({ shortBy, isStart, isBeyond }: RunMove): number {
    return shortBy * SHORT_CT_QUARTER + (isStart ? this.#problem.startCt : 0) + (isBeyond ? BEYOND_CT : 0);
  }

  /** Cost of holding other energy than planned at the end of a quarter-hour, ct. */
  #asideCt(t: number, takenKwh: number): number {
    const aside = takenKwh - this.#plannedKwh[t]!;
    const isCold = !this.#problem.mayWait && aside < -TOLERANCE_KWH;
    return Math.abs(aside) * (isCold ? MISSING_CT_KWH : ASIDE_CT_KWH);
  }
}

/** Energies of a quarter-hour that are compared, kWh. */
function levelsOf({ plannedKwh, leastKwh, mostKwh }: StoreQuarter): number[] {
  const levels = [0, plannedKwh];
  if (mostKwh >= leastKwh - TOLERANCE_KWH) {
    const steps = mostKwh - leastKwh < TOLERANCE_KWH ? 0 : STEPS;
    for (let n = 0; n <= steps; n++) levels.push(leastKwh + (n * (mostKwh - leastKwh)) / Math.max(1, steps));
  }
  return [...new Set(levels)];
}
