import { type EnergyStep, HOUR_MS } from "./interval.js";

/** The value of one reading at one instant. */
export interface TimedValue {
  at: Date;
  value: number;
}

/**
 * Energy between the readings of a cumulative counter in kWh, in order of time. A falling counter is a new meter or
 * was reset; the step across the fall is left out, because its energy is unknown.
 */
export function counterDeltas(readings: readonly TimedValue[]): EnergyStep[] {
  const ordered = [...readings].sort((a, b) => a.at.getTime() - b.at.getTime());
  const deltas: EnergyStep[] = [];
  for (let index = 1; index < ordered.length; index++) {
    const before = ordered[index - 1]!;
    const after = ordered[index]!;
    if (after.at <= before.at || after.value < before.value) continue;
    deltas.push({ start: before.at, end: after.at, kwh: after.value - before.value });
  }
  return deltas;
}

/** Step of a counter that needs no time: its resolution, and clocks that differ. */
const COUNTER_TOLERANCE_KWH = 1;

/** Whether a counter can have come from one reading to a later one with at most that power. A counter never falls. */
export function isPossibleStep(from: TimedValue, to: TimedValue, mostKw: number): boolean {
  const kwh = to.value - from.value;
  const hours = Math.max(0, to.at.getTime() - from.at.getTime()) / HOUR_MS;
  return kwh === 0 || (kwh > 0 && kwh <= COUNTER_TOLERANCE_KWH + (hours > 0 ? mostKw * hours : 0));
}
