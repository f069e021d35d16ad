import { interpolate } from "../interpolate.js";
import { type RunMove, RunStates, type SlotLimits } from "./run-states.js";

/** A quarter-hour, or what is left of one, in which a tank may be heated. */
export interface TankQuarter {
  hours: number;
  /** Cost of a kWh, ct. */
  ctKwh: number;
  /** Heat that is expected to be drawn and lost, kWh. */
  drawKwh: number;
  /** The part of `drawKwh` that is certain: losses, and heat above the greatest temperature. */
  certainKwh: number;
  /** Least heat at its end, kWh. */
  leastKwh: number;
  available: boolean;
}

/** A tank, and the limits of its runs in quarter-hours. */
export interface TankRunsProblem extends SlotLimits {
  quarters: readonly TankQuarter[];
  /** Heat above the least temperature now and at most, kWh. */
  storedKwh: number;
  maxKwh: number;
  powerKw: number;
  /** What a kWh that is left at the end is worth, ct. */
  worthCtKwh: number;
}

/** Draws as factors on the expected one, less what is certain, with their shares: when hot water is used is not known. */
const DRAWS: readonly (readonly [factor: number, share: number])[] = [
  [0.5, 0.3],
  [1, 0.4],
  [1.5, 0.3],
];
const CERTAIN: typeof DRAWS = [[1, 1]];
/** Cost of missing a kWh for a quarter-hour, of a run that is cut short, of a start and of one beyond the limit, ct. */
const MISSING_CT_KWH = 100;
const SHORT_CT_QUARTER = 100;
const START_CT = 0.2;
const BEYOND_CT = 400;
/**
 * Part of a quarter-hour's heat that has to fit, but for a run that is still too short: a full tank is not heated for what it loses,
 * for which no thermostat closes.
 */
const LEAST_FIT = 0.5;
const POINTS = 48;
/** Most phases of a run: four hours in quarter-hours, a day in steps of an hour and a half. */
const MOST_PHASES = 16;
/** Most starts of a day that are counted. */
const MOST_STARTS = 6;
/** How far below the least heat a tank is followed, as a share of the greatest. */
const BELOW = 0.15;

/**
 * Energies of quarter-hours in which a tank is heated at its power, in runs of their least length; where the tank gets hot,
 * its thermostat ends the heating. Where the day has no start left, only a tank below its least temperature is heated.
 * What is heated now is decided over uncertain draws; later energies are those at the expected ones.
 *
 * Dynamic programming over (quarter-hour, state of the run, heat). Pure.
 */
export function tankRuns({ quarters, ...tank }: TankRunsProblem): number[] {
  const { maxKwh, powerKw, worthCtKwh } = tank;
  const lowKwh = -BELOW * maxKwh;
  const topKwh = Math.max(maxKwh, tank.storedKwh);
  const spacing = (topKwh - lowKwh) / (POINTS - 1);
  const runs = tankStates(tank);
  const held = Float64Array.from({ length: POINTS }, (_, i) => lowKwh + i * spacing);
  /** Expected cost of what follows, by state and heat: before the uncertain draw of each quarter-hour and, in `after`, after it. */
  const befores = new Array<Float64Array>(quarters.length);
  const pointOf = (heldKwh: number) => Math.max(0, Math.min(POINTS - 1, (heldKwh - lowKwh) / spacing));
  const valueAt = (values: Float64Array, state: number, point: number): number =>
    interpolate(values, state * POINTS, POINTS - 2, point);
  /** Heat that fits into a quarter-hour: there is room for what leaves the tank for certain. */
  const heatKwh = ({ hours, certainKwh }: TankQuarter, heldKwh: number) =>
    Math.max(0, Math.min(powerKw * hours, maxKwh - heldKwh + certainKwh));
  /** `kwh` is the heat that fits; `off` and `on` are the moves of not heating and heating. */
  const mayHeat = (quarter: TankQuarter, heldKwh: number, kwh: number, off: RunMove, on: RunMove) => {
    const fits = kwh >= LEAST_FIT * powerKw * quarter.hours || (kwh > 0 && off.shortBy > 0);
    return quarter.available && fits && (!on.isBeyond || heldKwh <= 0);
  };
  const runCt = ({ isStart, isBeyond, shortBy }: RunMove) =>
    shortBy * SHORT_CT_QUARTER + (isStart ? START_CT : 0) + (isBeyond ? BEYOND_CT : 0);
  let after = Float64Array.from(
    { length: runs.count * POINTS },
    (_, k) =>
      -worthCtKwh * held[k % POINTS]! +
      runs.shortBy(quarters.length, Math.floor(k / POINTS)) * SHORT_CT_QUARTER,
  );
  for (let t = quarters.length - 1; t >= 0; t--) {
    const quarter = quarters[t]!;
    const { drawKwh, certainKwh, leastKwh, ctKwh } = quarter;
    const before = new Float64Array(runs.count * POINTS);
    const usedKwh = drawKwh - certainKwh;
    for (const [factor, share] of usedKwh > 0 ? DRAWS : CERTAIN) {
      const drawn = held.map((heldKwh) => heldKwh - factor * usedKwh);
      const points = drawn.map(pointOf);
      const missingCt = drawn.map((heldKwh) => Math.max(0, leastKwh - heldKwh) * MISSING_CT_KWH);
      for (let state = 0; state < runs.count; state++)
        for (let i = 0; i < POINTS; i++)
          before[state * POINTS + i]! += share * (valueAt(after, state, points[i]!) + missingCt[i]!);
    }
    befores[t] = before;
    after = new Float64Array(runs.count * POINTS);
    const [offMoves, onMoves] = [runs.moves(t, false), runs.moves(t, true)];
    const heats = held.map((heldKwh) => heatKwh(quarter, heldKwh));
    const idlePoints = held.map((heldKwh) => pointOf(heldKwh - certainKwh));
    const points = held.map((heldKwh, i) => pointOf(heldKwh + heats[i]! - certainKwh));
    for (let state = 0; state < runs.count; state++) {
      const [off, on] = [offMoves[state]!, onMoves[state]!];
      const [offCt, onCt] = [runCt(off), runCt(on)];
      for (let i = 0; i < POINTS; i++) {
        const kwh = heats[i]!;
        const idle = valueAt(before, off.to, idlePoints[i]!) + offCt;
        after[state * POINTS + i] = mayHeat(quarter, held[i]!, kwh, off, on)
          ? Math.min(idle, kwh * ctKwh + onCt + valueAt(before, on.to, points[i]!))
          : idle;
      }
    }
  }
  let heldKwh = tank.storedKwh;
  let state = runs.first;
  return quarters.map((quarter, t) => {
    const mostKwh = heatKwh(quarter, heldKwh);
    const leftKwh = heldKwh - quarter.certainKwh;
    const [off, on] = [runs.move(t, state, false), runs.move(t, state, true)];
    const idle = valueAt(befores[t]!, off.to, pointOf(leftKwh)) + runCt(off);
    const heated =
      mostKwh * quarter.ctKwh + runCt(on) + valueAt(befores[t]!, on.to, pointOf(leftKwh + mostKwh));
    const isOn = mayHeat(quarter, heldKwh, mostKwh, off, on) && heated < idle;
    const kwh = isOn ? mostKwh : 0;
    heldKwh = Math.max(lowKwh, leftKwh + kwh - (quarter.drawKwh - quarter.certainKwh));
    state = (isOn ? on : off).to;
    return kwh;
  });
}

/** The states of the runs of a tank. */
export function tankStates(limits: SlotLimits): RunStates {
  return new RunStates({ limits, mostPhases: MOST_PHASES, mostStarts: MOST_STARTS });
}
