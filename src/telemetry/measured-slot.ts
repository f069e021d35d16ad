import { type FreshnessLimits, freshness } from "../domain/freshness.js";
import { type LiveState, readingOfSlot, type SlotReading } from "../domain/sample.js";
import type { SlotNumber } from "../domain/slot.js";

/** What a slot's device measures now. */
export interface MeasuredSlot {
  powerKw?: number;
  /** State of charge of the vehicle. */
  socPct?: number;
  /** Temperature of the tank. */
  temperatureC?: number;
  /** Time of the newest of these values. */
  at: Date;
}

/** The fresh readings of a slot; undefined without any. */
export function measuredSlotOf(
  live: LiveState,
  slot: SlotNumber,
  { now, limits }: { now: Date; limits: FreshnessLimits },
): MeasuredSlot | undefined {
  const times: Date[] = [];
  const fresh = (reading: SlotReading) => {
    const last = live[readingOfSlot(slot, reading)];
    if (last === undefined || freshness(last.at, now, limits) !== "fresh") return undefined;
    times.push(last.at);
    return last.value;
  };
  const powerKw = fresh("power_kw");
  const socPct = fresh("soc_pct");
  const temperatureC = fresh("temperature_c");
  if (times.length === 0) return undefined;
  return {
    ...(powerKw !== undefined && { powerKw }),
    ...(socPct !== undefined && { socPct }),
    ...(temperatureC !== undefined && { temperatureC }),
    at: new Date(Math.max(...times.map(Number))),
  };
}
