import { DAY_MS, HOUR_MS } from "../domain/interval.js";
import { pointsOf, whyUnusable } from "../market/points.js";
import { PriceSeries } from "../market/price-series.js";
import { addDays, dayInterval, localTime, VIENNA } from "../time/zone.js";
import { COUNTRIES, COUNTRY_READINGS, ForecastIssueSet } from "./forecast-issue-set.js";
import { type Forecast, forecastFrom } from "./model.js";
import type { WeatherForFeatures, WeatherHour, WeatherIssue } from "./weather-features.js";

/** No model looks further back. */
const HISTORY_MS = 5 * 366 * DAY_MS;
/** The auction's gate closes at noon; before that nobody can know a price of tomorrow. */
const GATE_CLOSURE_HOUR = 12;
const LONGEST_HORIZON_HOURS = 24 * 366;
const LONGEST_WEATHER_MS = 92 * DAY_MS;

export interface ForecastPricesInput {
  now: Date;
  /** Published prices, hourly or quarter-hourly, in any order; hours that are not known are left out. */
  history: readonly { start: Date; eurPerMwh: number }[];
  /**
   * Weather forecasts as they were issued, one or more a day; what was issued after `now` is not looked at. With 200 days of them
   * they are learnt from.
   */
  weather?: WeatherForFeatures | undefined;
  /** Elapsed hours from the hour in progress on; default 168. */
  horizonHours?: number | undefined;
}

/**
 * Forecast of the Austrian day-ahead price, EUR/MWh, one entry an elapsed hour from the hour in progress on. Published
 * hours come back as they are (p10 = p50 = p90). Pure and deterministic. Never looks at prices that cannot be public at
 * `now`: those of tomorrow before noon in Vienna, when the auction closes, and those after tomorrow; nor at weather issued later. With 200 days of history and
 * more it trains a model: seconds for four years, much less for a later `now` on the same history. Throws RangeError that
 * names the field of an input that cannot be used.
 *
 * @example
 * const { hours } = forecastPrices({ now: new Date(), history: [{ start: new Date("2026-01-15T00:00Z"), eurPerMwh: 91.2 }] });
 * hours[0]?.p50; // price of the hour in progress
 */
export function forecastPrices(input: ForecastPricesInput): Forecast {
  if (typeof input !== "object" || input === null)
    throw new RangeError("forecastPrices takes an object with now and history.");
  const { now, history, horizonHours = 168, weather } = input;
  if (!isDate(now)) throw new RangeError("now must be a Date from 2000 to 2099.");
  if (!Number.isInteger(horizonHours) || horizonHours < 1 || horizonHours > LONGEST_HORIZON_HOURS)
    throw new RangeError(`horizonHours must be a whole number from 1 to ${LONGEST_HORIZON_HOURS}.`);
  if (!Array.isArray(history)) throw new RangeError("history must be a list of { start, eurPerMwh }.");
  const fromMs = now.getTime() - HISTORY_MS;
  const untilMs = publicAtMostUntil(now).getTime();
  const rows = new Map<number, number>();
  history.forEach((entry, index) => {
    check(entry, index);
    const startMs = entry.start.getTime();
    if (startMs >= fromMs && startMs < untilMs) rows.set(startMs, entry.eurPerMwh);
  });
  const book =
    weather === undefined ? ForecastIssueSet.empty : ForecastIssueSet.from(checkedWeather(weather));
  return forecastFrom(PriceSeries.of(pointsOf(rows)), now, horizonHours, book);
}

/** End of the last local day whose prices can be public at `now`. */
function publicAtMostUntil(now: Date): Date {
  const { date, hour } = localTime(now, VIENNA);
  return dayInterval(hour >= GATE_CLOSURE_HOUR ? addDays(date, 1) : date, VIENNA).end;
}

function isDate(value: unknown): value is Date {
  return (
    value instanceof Date && value.getTime() >= Date.UTC(2000, 0, 1) && value.getTime() < Date.UTC(2100, 0, 1)
  );
}

function check(entry: { start: Date; eurPerMwh: number } | undefined, index: number): void {
  if (typeof entry !== "object" || entry === null)
    throw new RangeError(`history[${index}] must be { start, eurPerMwh }.`);
  if (!isDate(entry.start) || whyUnusable(entry.start.getTime(), 0) !== undefined)
    throw new RangeError(`history[${index}].start must be a Date from 2000 to 2099 on a quarter-hour.`);
  if (
    typeof entry.eurPerMwh !== "number" ||
    whyUnusable(entry.start.getTime(), entry.eurPerMwh) !== undefined
  )
    throw new RangeError(
      `history[${index}].eurPerMwh must be a number of EUR/MWh; leave out hours that are not known.`,
    );
}

/** What an hour of weather can be; beyond lies a mistake of units. */
const POSSIBLE = {
  windMs: { least: 0, most: 120, unit: "m/s" },
  irradianceWm2: { least: 0, most: 1600, unit: "W/m2" },
  temperatureC: { least: -90, most: 60, unit: "degrees Celsius" },
} as const;

function checkedWeather(weather: WeatherForFeatures): WeatherForFeatures {
  if (!Array.isArray(weather?.issues)) throw new RangeError("weather must be { issues: [...] }.");
  weather.issues.forEach((issue, index) => {
    const name = `weather.issues[${index}]`;
    if (!isDate(issue?.issuedAt) || !Array.isArray(issue.hours))
      throw new RangeError(`${name} must be { issuedAt, hours } with a Date from 2000 to 2099.`);
    issue.hours.forEach((hour: WeatherHour, at: number) => {
      checkWeatherHour(hour, issue, `${name}.hours[${at}]`);
    });
  });
  return weather;
}

function checkWeatherHour(hour: WeatherHour, { issuedAt }: WeatherIssue, name: string): void {
  if (!isDate(hour?.start) || hour.start.getTime() % HOUR_MS !== 0)
    throw new RangeError(`${name}.start must be a Date on the full hour.`);
  if (Math.abs(hour.start.getTime() - issuedAt.getTime()) > LONGEST_WEATHER_MS)
    throw new RangeError(`${name}.start must lie within 92 days of its issue.`);
  for (const country of COUNTRIES) {
    const told = hour[country];
    if (told === undefined) continue;
    for (const reading of COUNTRY_READINGS) {
      const { least, most, unit } = POSSIBLE[reading];
      if (!(told?.[reading] >= least && told[reading] <= most))
        throw new RangeError(`${name}.${country}.${reading} must be ${least} to ${most} ${unit}.`);
    }
  }
}
