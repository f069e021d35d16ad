import { floorTo, HOUR_MS } from "../../core/domain/interval.js";
import { BLOCK_HOURS, expectedKwh, type LoadModel } from "./load-model.js";
import { LocalHours } from "./local-hours.js";

/**
 * Expected load of `hours` hours from `start` on, kWh, and for each the equally likely factors on it (mean 1). An hour
 * that begins within a clock hour takes its share of both. Throws a RangeError that names the field for input that makes
 * no sense.
 */
export function forecastLoad(
  model: LoadModel,
  { start, hours }: { start: Date; hours: number },
): { loadKwh: number[]; ratios: number[][] } {
  if (!(start instanceof Date) || Number.isNaN(start.getTime())) {
    throw new RangeError("start must be a valid Date.");
  }
  if (!(Number.isInteger(hours) && hours >= 0)) {
    throw new RangeError("hours must be a whole number of 0 or more.");
  }
  const local = new LocalHours(model.timeZone);
  const firstMs = floorTo(start.getTime(), HOUR_MS);
  const begun = (start.getTime() - firstMs) / HOUR_MS;
  const clockHours = Array.from({ length: hours + 1 }, (_, k) => local.at(firstMs + k * HOUR_MS));
  const expected = clockHours.map(({ kind, hour }) =>
    expectedKwh(model.profileKwh[kind]![hour]!, model.lastDayKwh[hour]),
  );
  return {
    loadKwh: Array.from({ length: hours }, (_, k) => (1 - begun) * expected[k]! + begun * expected[k + 1]!),
    ratios: clockHours.slice(0, hours).map(({ hour }) => [...model.ratios[Math.floor(hour / BLOCK_HOURS)]!]),
  };
}
