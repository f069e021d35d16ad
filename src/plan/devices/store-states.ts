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
export interface EnergyStore {
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
}

/** A missing kWh costs more than any price. */
const MISSING_CT_KWH = 1000;
/** No energy is taken that does not fit. */
const SPILLED_CT_KWH = 100_000;
/** Of equal costs the earlier energy is chosen, ct a stage and kWh. */
const LATER_CT = 1e-6;
/** Steps of energy between none and that of a quarter-hour at the greatest power. */
const POWERS = 8;
const QUARTER_HOURS = 0.25;
const TOLERANCE_KWH = 1e-6;

/** Cost of what a device misses of what is wanted, less the worth of what it holds at the end, ct. */
export function storeCt(store: EnergyStore, kwh: readonly number[]): number {
  const frame = frameOf(store);
  let state = 0;
  let ct = 0;
  for (const [t, energy] of kwh.entries()) {
    state += frame.gainOf(t, energy);
    const stored = frame.storedOf(t, state);
    if (stored <= store.maxKwh + TOLERANCE_KWH) ct += frame.missingCt(t, stored);
    else if (energy > 0) ct += (stored - store.maxKwh) * SPILLED_CT_KWH;
  }
  return ct - store.worthCtKwh * Math.max(0, frame.storedOf(kwh.length - 1, state));
}

/** Energies of a device that takes all that it will need as soon as it can, kWh a stage. */
export function soonestKwh(store: EnergyStore): number[] {
  const frame = frameOf(store);
  let state = 0;
  return store.stages.map((stage, t) => {
    const roomKwh = (store.maxKwh - frame.storedOf(t, state)) / store.efficiency;
    const neededKwh = (frame.mostNeeded - state) / frame.gainOf(t, 1);
    const kwh = Math.max(0, Math.min(mostOf(store, stage), roomKwh, neededKwh));
    state += frame.gainOf(t, kwh);
    return kwh;
  });
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
  let reached = 0;
  const course = near.map((kwh, t) => {
    reached += frame.gainOf(t, kwh);
    return frame.storedOf(t, reached);
  });
  const most = 2 * STATES_ASIDE;
  /** Deviation after a stage in which the device takes what the course does, kWh. */
  const deviation = (t: number, state: number) =>
    (state - STATES_ASIDE) * spacing * (1 - lossPerHour) ** stages[t]!.hours;
  const isWanted = stages.some(({ leastKwh }) => leastKwh > 0);
  /** What fills the device within a quarter-hour at its least power, after which it takes no more; none where nobody wants it full. */
  const partsKwh = (t: number, states: readonly number[]) => {
    const mostKwh = mostOf(store, stages[t]!);
    return states
      .map((state) => near[t]! + (maxKwh - course[t]! - deviation(t, state)) / efficiency)
      .filter((kwh) => isWanted && kwh > TOLERANCE_KWH && kwh < mostKwh && !takes(t)(kwh));
  };
  const allStates = Array.from({ length: most + 1 }, (_, state) => state);
  const levels = stages.map((stage, t) => {
    const parts = partsKwh(t, allStates);
    if (!isModulating) return [...switchedLevels(store, stage), ...parts];
    const energies = [
      0,
      minPowerKw * Math.min(stage.hours, QUARTER_HOURS),
      minPowerKw * stage.hours,
      mostOf(store, stage),
      ...of.roomsKwh(t),
      ...STEPS_ASIDE.map((steps) => near[t]! + steps * stepKwh),
    ];
    return [...[...new Set(energies)].filter(takes(t)), ...parts];
  });
  return {
    count: most + 1,
    start: STATES_ASIDE,
    levels: (t) => levels[t]!,
    exactLevels: (t, state) => [
      ...[near[t]! - deviation(t, state) / efficiency].filter(takes(t)),
      ...partsKwh(t, [state]),
    ],
    move: (t, state, kwh) => {
      const aside = deviation(t, state) + efficiency * (kwh - near[t]!);
      const to = aside / spacing + STATES_ASIDE;
      const stored = course[t]! + aside;
      if (to < -TOLERANCE_KWH || to > most + TOLERANCE_KWH) return undefined;
      if (kwh > 0 && stored > maxKwh + TOLERANCE_KWH) return undefined;
      if (stored < maxKwh - TOLERANCE_KWH && !takes(t)(kwh)) return undefined;
      return { to, ct: moveCt(t, kwh) + frame.missingCt(t, stored) + LATER_CT * t * kwh };
    },
    endCt: (state) => -worthCtKwh * Math.max(0, course.at(-1)! + (state - STATES_ASIDE) * spacing),
  };
}

/**
 * The stored energy in each stage. Its state is the energy charged so far, discounted by the losses until then: idling, draws and
 * losses leave it unchanged.
 */
interface Frame {
  /** The state that covers all that is wanted and can be reached. */
  mostNeeded: number;
  /** By how much AC energy taken in a stage raises the state. */
  gainOf(t: number, kwh: number): number;
  /** Stored at the end of a stage, kWh; below 0 where a draw was not covered. */
  storedOf(t: number, state: number): number;
  /** Cost of what is wanted at the end of a stage, can be reached, and is missing. */
  missingCt(t: number, storedKwh: number): number;
}

function frameOf(store: EnergyStore): Frame {
  const { stages, maxKwh, efficiency, lossPerHour } = store;
  /** What of a kWh stored before the first stage is left at the end of each, and the stored energy without any charge. */
  const kept: number[] = [];
  const idle: number[] = [];
  const least: number[] = [];
  let factor = 1;
  let idleKwh = store.storedKwh;
  let mostKwh = store.storedKwh;
  for (const stage of stages) {
    const { hours, drawKwh, leastKwh } = stage;
    const keeps = (1 - lossPerHour) ** hours;
    factor *= keeps;
    const before = Math.min(maxKwh + drawKwh, mostKwh * keeps + efficiency * mostOf(store, stage));
    // A draw that even full power cannot cover is taken elsewhere.
    const drawn = Math.min(drawKwh, Math.max(0, before));
    mostKwh = Math.max(0, before - drawn);
    idleKwh = idleKwh * keeps - drawn;
    kept.push(factor);
    idle.push(idleKwh);
    least.push(Math.min(leastKwh, maxKwh, mostKwh));
  }
  return {
    mostNeeded: Math.max(...least.map((kwh, t) => (kwh - idle[t]!) / kept[t]!)),
    gainOf: (t, kwh) => (efficiency * kwh) / kept[t]!,
    storedOf: (t, state) => idle[t]! + kept[t]! * state,
    missingCt: (t, storedKwh) =>
      storedKwh < least[t]! - TOLERANCE_KWH ? (least[t]! - storedKwh) * MISSING_CT_KWH : 0,
  };
}

function canTake(store: EnergyStore, stage: StoreStage, kwh: number): boolean {
  const { minPowerKw, maxPowerKw } = store;
  if (kwh < TOLERANCE_KWH) return true;
  const mostKwh = mostOf(store, stage);
  if (kwh > mostKwh + TOLERANCE_KWH) return false;
  const { hours } = stage;
  if (maxPowerKw - minPowerKw > TOLERANCE_KWH)
    return kwh >= minPowerKw * Math.min(hours, QUARTER_HOURS) - TOLERANCE_KWH;
  const quarters = kwh / (maxPowerKw * QUARTER_HOURS);
  return kwh > mostKwh - TOLERANCE_KWH || Math.abs(quarters - Math.round(quarters)) < TOLERANCE_KWH;
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

/** AC energies that a stage allows a device that is only switched, ascending: whole quarter-hours, and all there is. */
function switchedLevels(store: EnergyStore, stage: StoreStage): number[] {
  const { maxPowerKw } = store;
  const mostKwh = mostOf(store, stage);
  if (mostKwh <= 0) return [0];
  const levels = [0];
  for (
    let kwh = maxPowerKw * Math.min(stage.hours, QUARTER_HOURS);
    kwh < mostKwh - TOLERANCE_KWH;
    kwh += maxPowerKw * QUARTER_HOURS
  )
    levels.push(kwh);
  return [...levels, mostKwh];
}
