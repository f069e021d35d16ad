import { HOUR_MS } from "../../core/domain/interval.js";
import { dayInterval, VIENNA } from "../../core/time/zone.js";
import { CELLS, LEADS, type OriginWeather, WEATHER_FEATURES } from "./features.js";
import {
  COUNTRIES,
  COUNTRY_READINGS,
  type Country,
  type ForecastIssueSet,
  HOUR_WIDTH,
} from "./forecast-issue-set.js";
import { dayDate } from "./market-days.js";
import { windPower } from "./wind-power.js";

/** Hours before and after the target hour at which wind is compared: fronts may arrive early or late. */
const SIDE_HOURS = 3;
/** Days up to the origin over which the usual weather is averaged. */
const WEEK = 7;
/** Local hour at which the prices of the next day are published: past origins use the weather known then. */
const PUBLISHED_BEFORE_MS = 11 * HOUR_MS;

/** Time of a past origin's forecast: when the prices of that day were published on the day before. */
export function originInstantMs(origin: number): number {
  return startOf(origin) - PUBLISHED_BEFORE_MS;
}

/**
 * Weather features of an origin (day number) as known at `nowMs`, by country: by how much the target hour, the mean of the
 * target day and the same hour of the origin differ from the same hours of the origin's week, of the share of wind power, of
 * irradiance in kW/m2 and (without the mean of the day) of temperature in tens of degrees; and the change of wind from three
 * hours before to three hours after the target hour.
 */
export function originWeather(
  issues: ForecastIssueSet,
  countries: readonly Country[],
  origin: number,
  nowMs: number,
): OriginWeather {
  const made: OriginWeather = {
    countries: countries.length,
    values: new Float64Array(CELLS * countries.length * WEATHER_FEATURES),
    complete: new Uint8Array(CELLS).fill(1),
  };
  const days = daysAround(origin);
  const startMs = days[0]![0]!;
  const hours = (days.at(-1)![23]! - startMs) / HOUR_MS + SIDE_HOURS + 1;
  const known = issues.knownAt(nowMs, startMs, hours);
  if (known.every((value) => Number.isNaN(value))) {
    made.complete.fill(0);
    return made;
  }
  /** Index of the local hour of a day (0: six days before the origin). */
  const at = days.map((day) => day.map((ms) => (ms - startMs) / HOUR_MS));
  countries.forEach((country, index) => {
    const base = COUNTRIES.indexOf(country) * COUNTRY_READINGS.length;
    const series = (reading: number, convert: (value: number) => number) =>
      comparedWithWeek(
        Float64Array.from({ length: hours }, (_, hour) =>
          convert(known[hour * HOUR_WIDTH + base + reading]!),
        ),
        at,
      );
    const wind = series(0, windPower);
    const light = series(1, (watts) => watts / 1000);
    const warmth = series(2, (degrees) => degrees / 10);
    for (let lead = 1; lead <= LEADS; lead++)
      for (let hour = 0; hour < 24; hour++) {
        const cell = (lead - 1) * 24 + hour;
        const values = [
          wind.at(lead, hour),
          wind.ofDay(lead),
          wind.at(0, hour),
          wind.change(lead, hour),
          light.at(lead, hour),
          light.ofDay(lead),
          light.at(0, hour),
          warmth.at(lead, hour),
          warmth.at(0, hour),
        ];
        if (values.every((value) => Number.isFinite(value)))
          made.values.set(values, (cell * countries.length + index) * WEATHER_FEATURES);
        else made.complete[cell] = 0;
      }
  });
  return made;
}

/** A series of hours relative to the week of the origin; lead 0 is the origin. NaN where something is unknown. */
function comparedWithWeek(values: Float64Array, at: readonly (readonly number[])[]) {
  const usual = Array.from({ length: 24 }, (_, hour) => {
    let sum = 0;
    for (let day = 0; day < WEEK; day++) sum += values[at[day]![hour]!]!;
    return sum / WEEK;
  });
  const above = (lead: number, hour: number) => values[at[WEEK - 1 + lead]![hour]!]! - usual[hour]!;
  const ofDay = Array.from({ length: LEADS + 1 }, (_, lead) => {
    let sum = 0;
    for (let hour = 0; hour < 24; hour++) sum += above(lead, hour);
    return sum / 24;
  });
  return {
    at: above,
    ofDay: (lead: number) => ofDay[lead]!,
    change: (lead: number, hour: number) => {
      const target = at[WEEK - 1 + lead]![hour]!;
      return values[target + SIDE_HOURS]! - values[target - SIDE_HOURS]!;
    },
  };
}

/** Instants of the 24 local hours of the days from six before the origin to seven after it; of a doubled hour the second. */
function daysAround(origin: number): number[][] {
  const starts = Array.from({ length: WEEK + LEADS + 1 }, (_, index) => startOf(origin - WEEK + 1 + index));
  return starts.slice(0, -1).map((startMs, index) => {
    const extraHours = (starts[index + 1]! - startMs) / HOUR_MS - 24;
    // Clocks change between two and three in the morning.
    return Array.from({ length: 24 }, (_, hour) => startMs + (hour > 2 ? hour + extraHours : hour) * HOUR_MS);
  });
}

/** Cache of midnights in Vienna: two weeks of origins use each day, and local time is expensive to compute. */
const midnights = new Map<number, number>();

function startOf(day: number): number {
  let startMs = midnights.get(day);
  if (startMs === undefined) {
    startMs = dayInterval(dayDate(day), VIENNA).start.getTime();
    if (midnights.size > 20_000) midnights.clear();
    midnights.set(day, startMs);
  }
  return startMs;
}
