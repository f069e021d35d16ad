import { COUNTRIES, COUNTRY_READINGS, HOUR_WIDTH } from "../../forecast/forecast-issue-set.js";
import { windPower, windSpeedOf } from "../../forecast/wind-power.js";
import { MARKET_POINTS, type MarketPoint } from "./points.js";

/** Readings of one place by hour, in the order of the hours asked for; NaN where nothing was told. */
export interface PointReadings {
  windMs: Float64Array;
  irradianceWm2: Float64Array;
  temperatureC: Float64Array;
}

/** With less of a country's weight told, what is told says too little of it. */
const LEAST_WEIGHT = 0.5;

const WEIGHTS = {
  windMs: ({ windWeight }: MarketPoint) => windWeight,
  irradianceWm2: ({ sunWeight }: MarketPoint) => sunWeight,
  temperatureC: ({ peopleWeight }: MarketPoint) => peopleWeight,
};

/**
 * Weather of the countries from that of the places (in the order of `MARKET_POINTS`, undefined for one that is missing), as the
 * price model takes it: [hour][country][reading]. Each reading is the weighted mean of the places that tell it, their weights
 * brought to 1 again; wind is averaged as power. NaN where places of less than half the weight tell anything.
 */
export function countryWeather(places: readonly (PointReadings | undefined)[], hours: number): Float32Array {
  const values = new Float32Array(hours * HOUR_WIDTH).fill(Number.NaN);
  COUNTRIES.forEach((country, place) => {
    COUNTRY_READINGS.forEach((reading, slot) => {
      for (let hour = 0; hour < hours; hour++) {
        let sum = 0;
        let weight = 0;
        MARKET_POINTS.forEach((point, index) => {
          const told = places[index]?.[reading][hour] ?? Number.NaN;
          if (point.country !== country || Number.isNaN(told)) return;
          weight += WEIGHTS[reading](point);
          sum += WEIGHTS[reading](point) * (reading === "windMs" ? windPower(told) : told);
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
