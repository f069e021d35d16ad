import { COUNTRIES, COUNTRY_READINGS, HOUR_WIDTH } from "../../price/forecast-issue-set.js";
import { windPower, windSpeedOf } from "../../price/wind-power.js";
import { MARKET_POINTS, type MarketPoint } from "./points.js";

/** Readings of one place by hour, in the order of the request; NaN for gaps. */
export interface PointReadings {
  windMs: Float64Array;
  irradianceWm2: Float64Array;
  temperatureC: Float64Array;
}

/** Minimum total weight of the places of a country with data. */
const LEAST_WEIGHT = 0.5;

const WEIGHTS = {
  windMs: ({ windWeight }: MarketPoint) => windWeight,
  irradianceWm2: ({ sunWeight }: MarketPoint) => sunWeight,
  temperatureC: ({ populationWeight }: MarketPoint) => populationWeight,
};

/**
 * Weather of the countries from that of the places (in the order of `MARKET_POINTS`, undefined for a missing one), as used by
 * the price model: [hour][country][reading]. Each reading is the weighted mean of the places with data; wind is averaged as
 * power. NaN if the places with data have less than half of the weight.
 */
export function countryWeather(places: readonly (PointReadings | undefined)[], hours: number): Float32Array {
  const values = new Float32Array(hours * HOUR_WIDTH).fill(Number.NaN);
  COUNTRIES.forEach((country, place) => {
    COUNTRY_READINGS.forEach((reading, slot) => {
      for (let hour = 0; hour < hours; hour++) {
        let sum = 0;
        let weight = 0;
        MARKET_POINTS.forEach((point, index) => {
          const value = places[index]?.[reading][hour] ?? Number.NaN;
          if (point.country !== country || Number.isNaN(value)) return;
          weight += WEIGHTS[reading](point);
          sum += WEIGHTS[reading](point) * (reading === "windMs" ? windPower(value) : value);
        });
        if (weight < LEAST_WEIGHT) continue;
        const mean = sum / weight;
        values[hour * HOUR_WIDTH + place * COUNTRY_READINGS.length + slot] =
          reading === "windMs" ? windSpeedOf(mean) : mean;
      }
    });
  });
  return values;
}
