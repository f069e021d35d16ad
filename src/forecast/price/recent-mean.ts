import { HOUR_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval, VIENNA } from "../../core/time/zone.js";
import type { PriceSeries } from "../market/price-series.js";
import { hourClass } from "./calendar.js";
import { lastPublishedDay } from "./market-days.js";
import type { Quantiles } from "./quantile.js";

const WINDOW_DAYS = 28;
/** Minimum number of values of a class. */
const LEAST_VALUES = 3;
/** 90 % quantile of the standard normal distribution. */
const Z90 = 1.2816;
/** Minimum deviation: four similar Saturdays do not make the fifth one certain; EUR/MWh. */
const LEAST_DEVIATION = 8;

interface Spread {
  mean: number;
  deviation: number;
}

/** The 28 local days up to the last published one at `now`. Later hours are ignored. */
export function learningWindow(prices: PriceSeries, now: Date): { fromMs: number; untilMs: number } {
  const last = lastPublishedDay(prices, now);
  return {
    fromMs: dayInterval(addDays(last, 1 - WINDOW_DAYS), VIENNA).start.getTime(),
    untilMs: dayInterval(last, VIENNA).end.getTime(),
  };
}

/**
 * Mean price, EUR/MWh, of the same local hour over 28 days, by type of day (workday, Saturday, Sunday with public
 * holidays); over all days where the type has fewer than three values; undefined where these have fewer, too. P10 and P90
 * from the spread of the values, as of a normal distribution, widened for their small number.
 */
export function recentMean(
  prices: PriceSeries,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): (atMs: number) => Quantiles | undefined {
  const values = new Map<string, number[]>();
  const add = (key: string, price: number) => {
    const list = values.get(key);
    if (list === undefined) values.set(key, [price]);
    else list.push(price);
  };
  for (let at = fromMs; at < untilMs; at += HOUR_MS) {
    const price = prices.hour(at);
    if (price === undefined) continue;
    const { hour, type } = hourClass(at);
    add(`${type} ${hour}`, price);
    add(`all ${hour}`, price);
  }
  const spreads = new Map<string, Spread>();
  for (const [key, list] of values) if (list.length >= LEAST_VALUES) spreads.set(key, spreadOf(list));
  return (atMs) => {
    const { hour, type } = hourClass(atMs);
    const all = spreads.get(`all ${hour}`);
    const spread = spreads.get(`${type} ${hour}`) ?? all;
    return spread === undefined ? undefined : quantilesOf(spread, all?.deviation ?? 0);
  };
}

/** There are few days of a type, so their spread is combined with that of all days. */
function quantilesOf({ mean, deviation }: Spread, deviationOfAll: number): Quantiles {
  const reach = Z90 * Math.max(LEAST_DEVIATION, (deviation + deviationOfAll) / 2);
  return { p10: mean - reach, p50: mean, p90: mean + reach };
}

/** Mean and predictive deviation of another value: sample deviation times sqrt(1 + 1/n). */
function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt((squares / (values.length - 1)) * (1 + 1 / values.length)) };
}
