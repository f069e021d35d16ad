import { interpolate } from "../interpolate.js";
import type { DeviceStates } from "./with-battery.js";

/** One stage of a storage device: a vehicle or a heat store. Energies kWh of the stage. */
export interface StoreStage {
  hours: number;
  /** False: the device cannot charge, because the vehicle is away or its user forbids it. */
  available: boolean;
  /** Expected to be taken out in the stage. */
  drawKwh: number;
  /** The part of `drawKwh` that does not depend on its user, such as losses; left out: none. */
  certainKwh?: number;
  /** Least energy stored at the end of the stage that its user wants; 0: none. */
  leastKwh: number;
  /** AC energy that may be taken at most; left out: what the greatest power allows. */
  mostKwh?: number;
}

/** A storage device. Powers are kW on the AC side, energies kWh stored. */
export interface StoreProblem {
  stages: readonly StoreStage[];
  storedKwh: number;
  maxKwh: number;
  /** Stored per AC kWh, in (0, 1]. */
  efficiency: number;
  /** Least power while charging; equal to the greatest where the device is only switched on and off. */
  minPowerKw: number;
  maxPowerKw: number;
  /** Share of the stored energy that is lost in an hour, below 1. */
  lossPerHour: number;
  /** What one kWh stored at the end is worth, ct. */
  worthCtKwh: number;
  /** Expected cost of AC energy taken in a stage, ct. */
  costCt: (stage: number, kwh: number) => number;
}

/** A storage device without the cost of its energy. */
export type EnergyStore = Omit<StoreProblem, "costCt">;

/** AC energy of each stage and what is stored at its end, kWh. */
export interface StorePlan {
  kwh: number[];
  storedKwh: number[];
  /** The largest energy by which what is wanted is missed, kWh; more power or time would be needed. */
  missingKwh: number;
}

/** A missing kWh costs more than any price. */
const MISSING_CT_KWH = 1000;
/** No energy is taken that does not fit. */
const SPILLED_CT_KWH = 100_000;
/** Of equal costs the earlier energy is chosen, ct a stage and kWh. */
const LATER_CT = 1e-6;
/** Powers between the least and the greatest that are compared. */
const POWERS = 8;
const MOST_POINTS = 1200;
const QUARTER_HOURS = 0.25;
const TOLERANCE_KWH = 1e-6;

/**
 * Least-cost charging of one storage device by dynamic programming. Its state is the energy charged so far, discounted by
 * the losses until the end: idling, draws and losses leave it unchanged, so a grid of states does not blur the plan over
 * many stages. What its user wants is met as far as power and time allow.
 */
export function planStore(problem: StoreProblem): StorePlan {
  const frame = frameOf(problem);
  const { stages } = problem;
  const levels = stages.map((stage, t) =>
    levelsOf(problem, stage, frame.stepKwh).map((kwh) => ({ kwh, ct: costOf(problem, t, kwh) })),
  );
  const points = Math.max(2, Math.ceil(frame.mostState / frame.spacing) + 1);
  const values: Float64Array[] = new Array<Float64Array>(stages.length + 1);
  values[stages.length] = Float64Array.from(
    { length: points },
    (_, i) => -problem.worthCtKwh * Math.max(0, frame.storedOf(stages.length - 1, i * frame.spacing)),
  );
  for (let t = stages.length - 1; t >= 0; t--) {
    const next = values[t + 1]!;
    const value = new Float64Array(points);
    for (let i = 0; i < points; i++) {
      let least = Infinity;
      for (const { kwh, ct } of levels[t]!) {
        const state = i * frame.spacing + frame.gainOf(t, kwh);
        least = Math.min(
          least,
          ct + frame.boundsCt(t, state, kwh) + interpolate(next, 0, points - 2, state / frame.spacing),
        );
      }
      value[i] = least;
    }
    values[t] = value;
  }
  return follow(problem, { frame, values, levels });
}

/** The forward pass: also energies that reach exactly what is wanted are compared. */
function follow(
  problem: StoreProblem,
  solved: {
    frame: Frame;
    values: readonly Float64Array[];
    levels: readonly (readonly { kwh: number; ct: number }[])[];
  },
): StorePlan {
  const { frame, values, levels } = solved;
  const plan: StorePlan = { kwh: [], storedKwh: [], missingKwh: frame.missingKwh };
  let state = 0;
  for (const t of problem.stages.keys()) {
    let best = { ct: Infinity, kwh: 0, state };
    const next = values[t + 1]!;
    const exact = frame.exactLevels(t, state).map((kwh) => ({ kwh, ct: costOf(problem, t, kwh) }));
    for (const { kwh, ct } of [...levels[t]!, ...exact]) {
      const after = state + frame.gainOf(t, kwh);
      const total =
        ct + frame.boundsCt(t, after, kwh) + interpolate(next, 0, next.length - 2, after / frame.spacing);
      if (total < best.ct - 1e-9) best = { ct: total, kwh, state: after };
    }
    state = best.state;
    plan.kwh.push(best.kwh);
    plan.storedKwh.push(Math.max(0, frame.storedOf(t, state)));
  }
  return plan;
}

/** Cost of what a device misses of what is wanted, less the worth of what it holds at the end, ct. */
export function storeCt(store: EnergyStore, kwh: readonly number[]): number {
  const frame = frameOf(store);
  let state = 0;
  let ct = 0;
  for (const [t, energy] of kwh.entries()) {
    state += frame.gainOf(t, energy);
    ct += frame.boundsCt(t, state, energy);
  }
  return ct - store.worthCtKwh * Math.max(0, frame.storedOf(kwh.length - 1, state));
}

/** States on either side of the course so far. */
const STATES_ASIDE = 24;
/** Energies around that of the course so far, in steps. */
const STEPS_ASIDE = [-16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16];

/**
 * A storage device for planning it together with the battery. Its states are deviations of the stored energy from the course with
 * the energies `near`; a larger `scale` reaches farther in larger steps. `moveCt` is the cost of an energy besides its price, and
 * `roomsKwh` are energies that may be worth taking: what other loads leave of the PV surplus and of the import limit.
 */
export function storeStates(
  store: EnergyStore,
  of: {
    near: readonly number[];
    scale: number;
    moveCt: (t: number, kwh: number) => number;
    roomsKwh: (t: number) => readonly number[];
  },
): DeviceStates {
  const { near, scale, moveCt } = of;
  const { stages, efficiency, lossPerHour, maxKwh, minPowerKw, maxPowerKw, worthCtKwh } = store;
  const frame = frameOf(store);
  const isModulating = maxPowerKw - minPowerKw > TOLERANCE_KWH;
  const stepKwh = QUARTER_HOURS * maxPowerKw * (isModulating ? scale / POWERS : 1);
  const spacing = isModulating ? efficiency * stepKwh : (efficiency * stepKwh) / 3;
  const takes = (t: number) => (kwh: number) =>
    kwh === 0 || (kwh > TOLERANCE_KWH && canTake(store, stages[t]!, kwh));
  const levels = stages.map((stage, t) => {
    if (!isModulating) return levelsOf(store, stage, stepKwh);
    const energies = [
      0,
      minPowerKw * Math.min(stage.hours, QUARTER_HOURS),
      minPowerKw * stage.hours,
      mostOf(store, stage),
      ...of.roomsKwh(t),
      ...STEPS_ASIDE.map((steps) => near[t]! + steps * stepKwh),
    ];
    return [...new Set(energies)].filter(takes(t));
  });
  let reached = 0;
  const course = near.map((kwh, t) => {
    reached += frame.gainOf(t, kwh);
    return frame.storedOf(t, reached);
  });
  const most = 2 * STATES_ASIDE;
  /** Deviation after a stage in which the device takes what the course does, kWh. */
  const deviation = (t: number, state: number) =>
    (state - STATES_ASIDE) * spacing * (1 - lossPerHour) ** stages[t]!.hours;
  return {
    count: most + 1,
    start: STATES_ASIDE,
    levels: (t) => levels[t]!,
    exactLevels: (t, state) => [near[t]! - deviation(t, state) / efficiency].filter(takes(t)),
    move: (t, state, kwh) => {
      const aside = deviation(t, state) + efficiency * (kwh - near[t]!);
      const to = aside / spacing + STATES_ASIDE;
      const stored = course[t]! + aside;
      if (to < -TOLERANCE_KWH || to > most + TOLERANCE_KWH) return undefined;
      if (kwh > 0 && stored > maxKwh + TOLERANCE_KWH) return undefined;
      return { to, ct: moveCt(t, kwh) + frame.missingCt(t, stored) + LATER_CT * t * kwh };
    },
    endCt: (state) => -worthCtKwh * Math.max(0, course.at(-1)! + (state - STATES_ASIDE) * spacing),
  };
}

/** The states of a problem and what they mean in each stage. */
interface Frame {
  /** Distance of two states; a whole number of them for each step of energy where nothing is lost. */
  spacing: number;
  /** The AC energies of a stage are multiples of this where the power can be chosen, kWh. */
  stepKwh: number;
  mostState: number;
  missingKwh: number;
  /** By how much AC energy taken in a stage raises the state. */
  gainOf(t: number, kwh: number): number;
  /** Stored at the end of a stage, kWh; below 0 where a draw was not covered. */
  storedOf(t: number, state: number): number;
  /** Cost of what is missing at the end of a stage, and of energy that does not fit. */
  boundsCt(t: number, state: number, kwh: number): number;
  /** Cost of what is wanted at the end of a stage, can be reached, and is missing. */
  missingCt(t: number, storedKwh: number): number;
  /** AC energies that cover exactly what is needed next, or all that fits. */
  exactLevels(t: number, state: number): number[];
}

function frameOf(problem: EnergyStore): Frame {
  const { stages, maxKwh, efficiency, maxPowerKw, minPowerKw, lossPerHour } = problem;
  /** What of a kWh stored before the first stage is left at the end of each, and the stored energy without any charge. */
  const kept: number[] = [];
  const idle: number[] = [];
  const least: number[] = [];
  let missingKwh = 0;
  let factor = 1;
  let idleKwh = problem.storedKwh;
  let mostKwh = problem.storedKwh;
  for (const stage of stages) {
    const { hours, drawKwh, leastKwh } = stage;
    const keeps = (1 - lossPerHour) ** hours;
    factor *= keeps;
    const fullKwh = efficiency * mostOf(problem, stage);
    const before = Math.min(maxKwh + drawKwh, mostKwh * keeps + fullKwh);
    // A draw that even full power cannot cover is taken elsewhere.
    const drawn = Math.min(drawKwh, Math.max(0, before));
    mostKwh = Math.max(0, before - drawn);
    idleKwh = idleKwh * keeps - drawn;
    const wanted = Math.min(leastKwh, maxKwh);
    missingKwh = Math.max(missingKwh, wanted - mostKwh, drawKwh - drawn);
    kept.push(factor);
    idle.push(idleKwh);
    least.push(Math.max(0, Math.min(wanted, mostKwh)));
  }
  const needs = least.map((kwh, t) => (kwh - idle[t]!) / kept[t]!);
  const mostState = stages.reduce((most, _, t) => Math.max(most, (maxKwh - idle[t]!) / kept[t]!), 0);
  const isModulating = maxPowerKw - minPowerKw > TOLERANCE_KWH;
  const quarterKwh = QUARTER_HOURS * (isModulating ? maxPowerKw / POWERS : maxPowerKw);
  const parts = Math.max(1, Math.ceil(mostState / (MOST_POINTS * efficiency * quarterKwh)));
  const stepKwh = quarterKwh * parts;
  const frame: Frame = {
    spacing: efficiency * (isModulating ? stepKwh : quarterKwh * parts) * (lossPerHour > 0 ? 0.5 : 1),
    stepKwh,
    mostState,
    missingKwh,
    gainOf: (t, kwh) => (efficiency * kwh) / kept[t]!,
    storedOf: (t, state) => idle[t]! + kept[t]! * state,
    boundsCt: (t, state, kwh) => {
      const stored = frame.storedOf(t, state);
      if (stored > maxKwh + TOLERANCE_KWH) return kwh > 0 ? (stored - maxKwh) * SPILLED_CT_KWH : 0;
      return frame.missingCt(t, stored);
    },
    missingCt: (t, storedKwh) =>
      storedKwh < least[t]! - TOLERANCE_KWH ? (least[t]! - storedKwh) * MISSING_CT_KWH : 0,
    exactLevels: (t, state) => {
      const stored = frame.storedOf(t, state);
      // What the next stage needs that is not covered yet, and all that fits.
      const needed = needs.find((need, later) => later >= t && need > state + TOLERANCE_KWH);
      const energies = [(maxKwh - stored) / efficiency];
      if (needed !== undefined) energies.push(((needed - state) * kept[t]!) / efficiency);
      return energies.filter((kwh) => kwh > TOLERANCE_KWH && canTake(problem, stages[t]!, kwh));
    },
  };
  return frame;
}

function costOf({ costCt }: StoreProblem, t: number, kwh: number): number {
  return kwh === 0 ? 0 : costCt(t, kwh) + LATER_CT * t * kwh;
}

function canTake(store: EnergyStore, stage: StoreStage, kwh: number): boolean {
  const { minPowerKw, maxPowerKw } = store;
  if (kwh < TOLERANCE_KWH) return true;
  if (kwh > mostOf(store, stage) + TOLERANCE_KWH) return false;
  const { hours } = stage;
  if (maxPowerKw - minPowerKw > TOLERANCE_KWH)
    return kwh >= minPowerKw * Math.min(hours, QUARTER_HOURS) - TOLERANCE_KWH;
  const quarters = kwh / (maxPowerKw * QUARTER_HOURS);
  return Math.abs(quarters - Math.round(quarters)) < TOLERANCE_KWH;
}

/** Greatest AC energy of a stage, kWh; 0 where it is less than a device that only switches takes in a quarter-hour. */
export function mostOf(
  { maxPowerKw, minPowerKw }: EnergyStore,
  { hours, available, mostKwh }: StoreStage,
): number {
  if (!available) return 0;
  const kwh = Math.min(maxPowerKw * hours, mostKwh ?? Number.POSITIVE_INFINITY);
  return kwh >= minPowerKw * Math.min(hours, QUARTER_HOURS) - TOLERANCE_KWH ? kwh : 0;
}

/** AC energies that a stage allows, ascending: quarter-hours at the least power, and powers up to the greatest. */
function levelsOf(store: EnergyStore, stage: StoreStage, stepKwh: number): number[] {
  const { minPowerKw, maxPowerKw } = store;
  const { hours } = stage;
  const leastKwh = Math.max(minPowerKw * Math.min(hours, QUARTER_HOURS), stepKwh);
  const mostKwh = mostOf(store, stage);
  if (mostKwh <= 0) return [0];
  const levels = [0];
  if (maxPowerKw - minPowerKw < TOLERANCE_KWH) {
    for (
      let kwh = maxPowerKw * Math.min(hours, QUARTER_HOURS);
      kwh < mostKwh - TOLERANCE_KWH;
      kwh += maxPowerKw * QUARTER_HOURS
    )
      levels.push(kwh);
  } else {
    const every = stepKwh * Math.max(1, Math.round(mostKwh / (2 * POWERS) / stepKwh));
    for (let kwh = Math.ceil(leastKwh / stepKwh) * stepKwh; kwh < mostKwh - TOLERANCE_KWH; kwh += every)
      levels.push(kwh);
  }
  levels.push(mostKwh);
  return levels;
}
