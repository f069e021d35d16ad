import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval, localTime, VIENNA } from "../../core/time/zone.js";
import { pointsOf, whyUnusable } from "../market/points.js";
import { PriceSeries } from "../market/price-series.js";
import type { ForecastHour } from "./forecast.js";
import type { WeatherForFeatures, WeatherHour, WeatherIssue } from "./forecast-issue-set.js";
import { COUNTRIES, COUNTRY_READINGS, ForecastIssueSet } from "./forecast-issue-set.js";
import { type Forecast, forecastWith } from "./model.js";
import { type PriceModel, readModel, writeModel } from "./model-document.js";
import { quarterDeviation, quarterPrice } from "./quarter-shape.js";
import { train } from "./train.js";

/** No model uses older prices. */
const HISTORY_MS = 5 * 366 * DAY_MS;
/** Gate closure of the auction; before that, prices of the next day cannot be known. */
const GATE_CLOSURE_HOUR = 12;
const LONGEST_HORIZON_HOURS = 24 * 366;
/** 90 % quantile of the standard normal distribution. */
const Z90 = 1.2816;
const LONGEST_WEATHER_MS = 92 * DAY_MS;

export interface TrainPriceModelInput {
  now: Date;
  /** Published prices, hourly or quarter-hourly, in any order, without entries for unknown hours. */
  history: readonly { start: Date; eurPerMwh: number }[];
  /**
   * Issued weather forecasts, one or more per day; those issued after `now` are ignored. With at least 200 days of them the
   * model uses weather.
   */
  weather?: WeatherForFeatures | undefined;
}

export interface ForecastPricesInput extends TrainPriceModelInput {
  /** Number of hours from the current hour on; default 168. */
  horizonHours?: number | undefined;
  /** A model of `trainPriceModel`, at most 90 days old; default: a model is trained. */
  model?: PriceModel | undefined;
  /** 15: the result also has the quarter-hours; default 60. */
  resolutionMinutes?: 60 | 15 | undefined;
}

export interface PriceForecast extends Forecast {
  /** With `resolutionMinutes` 15: one entry per quarter-hour of `hours`. */
  quarters?: ForecastHour[];
}

/**
 * Forecast of the Austrian day-ahead price, EUR/MWh, one entry per hour from the current hour on. Published hours are
 * returned unchanged (p10 = p50 = p90). Pure and deterministic. Ignores prices that cannot be public at `now` (those of
 * tomorrow before noon in Vienna, when the auction closes, and those after tomorrow) and weather issued later. Without `model`
 * and with at least 200 days of history it trains one: about half a second for four years, much less for the same
 * history again or a day more. Throws RangeError that names the field of an invalid input.
 *
 * @example
 * const { hours } = forecastPrices({ now: new Date(), history: [{ start: new Date("2026-01-15T00:00Z"), eurPerMwh: 91.2 }] });
 * hours[0]?.p50; // price of the current hour
 */
export function forecastPrices(input: ForecastPricesInput): PriceForecast {
  const { now, prices, issues } = readInput("forecastPrices", input);
  const { horizonHours = 168, model, resolutionMinutes = 60 } = input;
  if (!Number.isInteger(horizonHours) || horizonHours < 1 || horizonHours > LONGEST_HORIZON_HOURS)
    throw new RangeError(`horizonHours must be an integer from 1 to ${LONGEST_HORIZON_HOURS}.`);
  if (resolutionMinutes !== 60 && resolutionMinutes !== 15)
    throw new RangeError("resolutionMinutes must be 60 or 15.");
  const given = model === undefined ? undefined : readModel(model);
  if (model !== undefined && given === undefined)
    throw new RangeError("model must be a result of trainPriceModel of this version; train it again.");
  const trained = given ?? train(prices, now, issues);
  const forecast = forecastWith(trained, prices, { now, horizonHours, weather: issues });
  return resolutionMinutes === 15 ? { ...forecast, quarters: quartersOf(forecast.hours, prices) } : forecast;
}

/**
 * Trains the model of `forecastPrices` and returns it as a JSON value of about 0.1 MB, which can be stored and given to
 * later calls; undefined with less than 200 days of history. Pure and deterministic; throws like `forecastPrices`.
 *
 * @example
 * const model = trainPriceModel({ now, history });
 * forecastPrices({ now, history, model });
 */
export function trainPriceModel(input: TrainPriceModelInput): PriceModel | undefined {
  const { now, prices, issues } = readInput("trainPriceModel", input);
  const model = train(prices, now, issues);
  return model && writeModel(model);
}

function readInput(name: string, input: TrainPriceModelInput) {
  if (typeof input !== "object" || input === null)
    throw new RangeError(`${name} takes an object with now and history.`);
  const { now, history, weather } = input;
  if (!isDate(now)) throw new RangeError("now must be a Date from 2000 to 2099.");
  if (!Array.isArray(history)) throw new RangeError("history must be a list of { start, eurPerMwh }.");
  const fromMs = now.getTime() - HISTORY_MS;
  const untilMs = publicAtMostUntil(now).getTime();
  const rows = new Map<number, number>();
  history.forEach((entry, index) => {
    check(entry, index);
    const startMs = entry.start.getTime();
    if (startMs >= fromMs && startMs < untilMs) rows.set(startMs, entry.eurPerMwh);
  });
  const issues =
    weather === undefined ? ForecastIssueSet.empty : ForecastIssueSet.from(checkedWeather(weather));
  return { now, prices: PriceSeries.of(pointsOf(rows)), issues: issues.until(now.getTime()) };
}

/**
 * Published quarter-hours unchanged; the others with the usual shape of their hour, and the band widened by the deviations
 * from it.
 */
function quartersOf(hours: readonly ForecastHour[], prices: PriceSeries): ForecastHour[] {
  const deviation = quarterDeviation(prices);
  return hours.flatMap((hour) =>
    [0, 1, 2, 3].map((index) => {
      const startMs = hour.start.getTime() + index * QUARTER_MS;
      const start = new Date(startMs);
      const published = prices.quarter(startMs);
      if (published !== undefined)
        return { start, p10: published, p50: published, p90: published, source: "day_ahead" as const };
      const p50 = quarterPrice(prices, { eurMwh: hour.p50, isPublished: false }, startMs);
      const own = Z90 * deviation(startMs);
      return {
        start,
        p10: p50 - Math.hypot(hour.p50 - hour.p10, own),
        p50,
        p90: p50 + Math.hypot(hour.p90 - hour.p50, own),
        source: hour.source,
      };
    }),
  );
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

/** Plausible ranges of the weather readings; values outside have the wrong unit. */
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
    const readings = hour[country];
    if (readings === undefined) continue;
    for (const reading of COUNTRY_READINGS) {
      const { least, most, unit } = POSSIBLE[reading];
      if (!(readings?.[reading] >= least && readings[reading] <= most))
        throw new RangeError(`${name}.${country}.${reading} must be ${least} to ${most} ${unit}.`);
    }
  }
}
