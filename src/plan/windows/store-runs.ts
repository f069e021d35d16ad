import { interpolate } from "../interpolate.js";
import type { SlotLimits } from "./run-limits.js";

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
  /** Whether energy may also be taken later: a vehicle before its departure, not a tank that gets cold. */
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
const TOLERANCE_KWH = 1e-6;

/**
 * Energies of quarter-hours near those planned, in runs that keep to the limits: a run in progress goes on, at a lower power if need be, short
 * runs are lengthened, runs are joined, each where it costs least. All that is planned is taken: where time and power leave no other
 * way, in more or shorter runs.
 *
 * Dynamic programming over (quarter-hour, starts left, quarter-hours that the run still needs, energy taken so far). Pure.
 */
export function storeRuns(problem: StoreRunsProblem): number[] {
  const totalKwh = problem.quarters.reduce((sum, { plannedKwh }) => sum + plannedKwh, 0);
  if (totalKwh < TOLERANCE_KWH) return problem.quarters.map(() => 0);
  const states = new RunStates(problem, totalKwh);
  const planned = problem.quarters.map(({ plannedKwh }) => plannedKwh);
  const energies = states.energies();
  return states.costCt(energies) < states.costCt(planned) ? energies : planned;
}

/** What an energy of a quarter-hour costs beside what is planned, ct, and the state of the device after it. */
interface Move {
  ct: number;
  left: number;
  phase: number;
}

/** The device by starts left, phase of its run and energy taken so far. A phase is the quarter-hours that a run still needs, or off. */
class RunStates {
  readonly #problem: StoreRunsProblem;
  readonly #totalKwh: number;
  readonly #leastRun: number;
  readonly #off: number;
  /** Starts left at the beginning of each quarter-hour that begins a day; empty where they are not limited. */
  readonly #startsFrom = new Map<number, number>();
  readonly #mostStarts: number;
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
    // A shorter demand is one run, or the rest of the one in progress.
    const mostRun = limits.running === undefined ? Math.ceil(totalKwh / leastKwh - TOLERANCE_KWH) : Infinity;
    this.#leastRun = Math.max(1, Math.min(limits.leastRun, mostRun));
    this.#off = this.#leastRun + 1;
    this.#mostStarts = Math.max(0, ...limits.starts.filter(Number.isFinite));
    if (limits.starts.some(Number.isFinite))
      for (const [day, { from }] of limits.days.entries())
        this.#startsFrom.set(from, Math.min(limits.starts[day]!, this.#mostStarts));
    this.#points = Math.max(2, Math.min(MOST_POINTS, Math.ceil((2 * totalKwh) / leastKwh) + 1));
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
    let { left, phase } = this.#start();
    let taken = 0;
    return quarters.map((_, t) => {
      let best = { ct: Number.POSITIVE_INFINITY, kwh: 0, left, phase };
      for (const kwh of [...this.#levels[t]!, this.#totalKwh - taken]) {
        if (!this.#fits(t, taken, kwh)) continue;
        const move = this.#move(t, { left, phase }, kwh);
        const ct = move.ct + this.#asideCt(t, taken + kwh) + this.#valueAt(values[t + 1]!, move, taken + kwh);
        if (ct < best.ct - TOLERANCE_KWH) best = { ...move, ct, kwh };
      }
      [left, phase] = [best.left, best.phase];
      taken += best.kwh;
      return best.kwh;
    });
  }

  /** What energies cost beside what is planned, ct. */
  costCt(energies: readonly number[]): number {
    let state = this.#start();
    let taken = 0;
    let ct = 0;
    for (const [t, kwh] of energies.entries()) {
      const move = this.#move(t, state, kwh);
      taken += kwh;
      ct += move.ct + this.#asideCt(t, taken);
      state = move;
    }
    return ct + this.#endCt(state.phase, taken);
  }

  #start(): Pick<Move, "left" | "phase"> {
    const { running } = this.#problem.limits;
    const phase = running === undefined ? this.#off : Math.max(0, this.#leastRun - running);
    return { left: this.#startsFrom.get(0) ?? 0, phase };
  }

  /** Cost of what is missing at the end, and of a run that is cut short, ct. */
  #endCt(phase: number, takenKwh: number): number {
    const needs = this.#problem.mayWait && phase < this.#off ? phase : 0;
    return Math.max(0, this.#totalKwh - takenKwh) * MISSING_CT_KWH + needs * SHORT_CT_QUARTER;
  }

  #atEnd(): Float64Array {
    const value = new Float64Array((this.#mostStarts + 1) * (this.#off + 1) * this.#points);
    for (let k = 0; k < value.length; k++) {
      const phase = Math.floor(k / this.#points) % (this.#off + 1);
      value[k] = this.#endCt(phase, (k % this.#points) * this.#spacing);
    }
    return value;
  }

  #before(t: number, next: Float64Array): Float64Array {
    const value = new Float64Array(next.length).fill(Number.POSITIVE_INFINITY);
    for (let left = 0; left <= this.#mostStarts; left++)
      for (let phase = 0; phase <= this.#off; phase++) {
        const first = this.#indexOf({ left, phase });
        const take = (i: number, kwh: number, move: Move) => {
          const taken = i * this.#spacing + kwh;
          const ct = move.ct + this.#asideCt(t, taken) + this.#valueAt(next, move, taken);
          if (ct < value[first + i]!) value[first + i] = ct;
        };
        for (const kwh of this.#levels[t]!) {
          const move = this.#move(t, { left, phase }, kwh);
          for (let i = 0; i < this.#points && this.#fits(t, i * this.#spacing, kwh); i++) take(i, kwh, move);
        }
        for (let i = this.#points - 2; i >= 0; i--) {
          const kwh = this.#totalKwh - i * this.#spacing;
          if (!this.#fits(t, i * this.#spacing, kwh)) break;
          take(i, kwh, this.#move(t, { left, phase }, kwh));
        }
      }
    return value;
  }

  #fits(t: number, taken: number, kwh: number): boolean {
    const { mostKwh, plannedKwh } = this.#problem.quarters[t]!;
    return (
      kwh <= Math.max(mostKwh, plannedKwh) + TOLERANCE_KWH && taken + kwh <= this.#totalKwh + TOLERANCE_KWH
    );
  }

  #indexOf({ left, phase }: Pick<Move, "left" | "phase">): number {
    return (left * (this.#off + 1) + phase) * this.#points;
  }

  #valueAt(values: Float64Array, state: Pick<Move, "left" | "phase">, takenKwh: number): number {
    const x = Math.min(this.#points - 1, takenKwh / this.#spacing);
    return interpolate(values, this.#indexOf(state), this.#points - 2, x);
  }

  #move(t: number, { left, phase }: Pick<Move, "left" | "phase">, kwh: number): Move {
    const { quarters, startCt } = this.#problem;
    const { ctKwh, plannedKwh, joins } = quarters[t]!;
    const isOn = kwh > TOLERANCE_KWH;
    const goesOn = isOn && phase < this.#off && (joins || t === 0);
    const moved = kwh - plannedKwh;
    let ct =
      moved > 0
        ? moved * (Math.max(ctKwh, this.#usualCt) + MOVED_CT_KWH)
        : moved * Math.min(ctKwh, this.#usualCt);
    if (!goesOn && phase < this.#off) ct += phase * SHORT_CT_QUARTER;
    const isStart = isOn && !goesOn;
    if (isStart) ct += startCt + (left === 0 && this.#startsFrom.size > 0 ? BEYOND_CT : 0);
    return {
      ct,
      left: this.#startsFrom.get(t + 1) ?? (isStart ? Math.max(0, left - 1) : left),
      phase: goesOn ? Math.max(0, phase - 1) : isOn ? this.#leastRun - 1 : this.#off,
    };
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
