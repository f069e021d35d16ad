import { pointsOf, whyUnusable } from "../market/points.js";
import { PriceSeries } from "../market/price-series.js";
import { DAY_MS } from "../time/interval.js";
import { addDays, dayInterval, localTime, VIENNA } from "../time/zone.js";
import { type Forecast, forecastFrom } from "./model.js";
import type { WeatherForFeatures } from "./weather-features.js";

/** No model looks further back. */
const HISTORY_MS = 5 * 366 * DAY_MS;
/** The auction's gate closes at noon; before that nobody can know a price of tomorrow. */
const GATE_CLOSURE_HOUR = 12;
const LONGEST_HORIZON_HOURS = 24 * 366;

export interface ForecastPricesInput {
  now: Date;
  /** Published prices, hourly or quarter-hourly, in any order; hours that are not known are left out. */
  history: readonly { start: Date; eurPerMwh: number }[];
  /** Weather forecasts as they were issued; no model of this version reads them. */
  weather?: WeatherForFeatures | undefined;
  /** Elapsed hours from the hour in progress on; default 168. */
  horizonHours?: number | undefined;
}

/**
 * Forecast of the Austrian day-ahead price, EUR/MWh, one entry an elapsed hour from the hour in progress on. Published
 * hours come back as they are (p10 = p50 = p90). Pure and deterministic. Never looks at prices that cannot be public at
 * `now`: those of tomorrow before noon in Vienna, when the auction closes, and those after tomorrow. With 200 days of history and
 * more it trains a model: seconds for four years, much less for a later `now` on the same history. Throws RangeError that
 * names the field of an input that cannot be used.
 *
 * @example
 * const { hours } = forecastPrices({ now: new Date(), history: [{ start: new Date("2026-01-15T00:00Z"), eurPerMwh: 91.2 }] });
 * hours[0]?.p50; // price of the hour in progress
 */
export function forecastPrices(input: ForecastPricesInput): Forecast {
  const { now, history, horizonHours = 168 } = input;
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
  return forecastFrom(PriceSeries.of(pointsOf(rows)), now, horizonHours);
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
