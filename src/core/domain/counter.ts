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

/** What a counter has counted beyond that power from one reading to a later one, with the excess of before, kWh. */
export function excessOf(from: TimedValue, to: TimedValue, mostKw: number, beforeKwh = 0): number {
  const hours = Math.max(0, to.at.getTime() - from.at.getTime()) / HOUR_MS;
  return Math.max(0, beforeKwh + to.value - from.value - (hours > 0 ? mostKw * hours : 0));
}

/**
 * Whether a counter can have come from one reading to a later one with at most that power. A counter never falls. Frequent
 * readings share one tolerance: what they had of it is `beforeKwh`.
 */
export function isPossibleStep(from: TimedValue, to: TimedValue, mostKw: number, beforeKwh: number): boolean {
  if (to.value <= from.value) return to.value === from.value;
  return excessOf(from, to, mostKw, beforeKwh) <= COUNTER_TOLERANCE_KWH;
}

/** Whether a counter runs from one reading to a later one with at most that power, without any tolerance. */
export function isRunning(from: TimedValue, to: TimedValue, mostKw: number): boolean {
  return to.value >= from.value && excessOf(from, to, mostKw) === 0;
}
