import type { NamedBatterySettings } from "../config/settings.js";
import { type FreshnessLimits, freshness } from "../core/domain/freshness.js";
import { type LiveState, type Reading, readingOfBattery, type Sample } from "../core/domain/sample.js";

/**
 * The samples with the readings of all batteries together, where those of single ones bring them up to date: the SOC
 * weighted by capacity, and the sum of the powers. A sample gets them only if the readings of every battery are fresh at
 * its time, none is later, and it has no reading of the kind itself.
 */
export function withAggregateReadings(
  samples: readonly Sample[],
  {
    batteries,
    live,
    limits,
  }: { batteries: readonly NamedBatterySettings[]; live: LiveState; limits: FreshnessLimits },
): readonly Sample[] {
  if (batteries.length === 0) return samples;
  const last: LiveState = { ...live };
  const names = {
    soc_pct: batteries.map(({ id }) => readingOfBattery(id, "soc_pct")),
    battery_power_kw: batteries.map(({ id }) => readingOfBattery(id, "power_kw")),
  };
  const capacityKwh = batteries.reduce((sum, battery) => sum + battery.capacity_kwh, 0);
  const shares = {
    soc_pct: batteries.map((battery) => battery.capacity_kwh / capacityKwh),
    battery_power_kw: batteries.map(() => 1),
  };
  return samples.map((sample) => {
    const values = { ...sample.values };
    for (const [reading, value] of Object.entries(sample.values) as [Reading, number | undefined][])
      if (value !== undefined && !(last[reading] !== undefined && last[reading].at > sample.at))
        last[reading] = { value, at: sample.at };
    for (const kind of ["soc_pct", "battery_power_kw"] as const) {
      const isNew = names[kind].some((name) => sample.values[name] !== undefined);
      if (!isNew || values[kind] !== undefined) continue;
      const readings = names[kind].map((name) => last[name]);
      const areFresh = readings.every(
        (one) => one !== undefined && one.at <= sample.at && freshness(one.at, sample.at, limits) === "fresh",
      );
      if (!areFresh) continue;
      const total = readings.reduce((sum, one, index) => sum + shares[kind][index]! * one!.value, 0);
      values[kind] = kind === "soc_pct" ? Math.min(100, total) : total;
    }
    return { at: sample.at, values };
  });
}
