import { HOUR_MS, hourOf } from "../../core/domain/interval.js";
import type { PriceSeries } from "../market/price-series.js";
import { climatology } from "./climatology.js";
import { quantilesAround } from "./error-bands.js";
import { LEADS, originInputs } from "./features.js";
import { FORECAST_TIERS, type ForecastHour, type ForecastTier } from "./forecast.js";
import { ForecastIssueSet } from "./forecast-issue-set.js";
import { dayAndHour, dayNumber, lastPublishedDay, MarketDays } from "./market-days.js";
import { meanForecast } from "./mean-forecast.js";
import { originWeather } from "./origin-weather.js";
import type { Quantiles } from "./quantile.js";
import { learningWindow, recentMean } from "./recent-mean.js";
import { train } from "./train.js";
import { predict, type TrainedModel } from "./trainer.js";

/** Public names of the tiers; the number increases when the same history gives other values. */
export const MODEL_VERSIONS: Record<ForecastTier, string> = {
  weather_ridge: "weather-ridge-2",
  ridge: "ridge-2",
  exponential_mean: "exponential-mean-2",
  recent_mean: "recent-mean-1",
  climatology: "climatology-1",
};

/** Days of history of a forecast: those from which the exponential mean learns its band, and a reserve for gaps. */
const HISTORY_DAYS = 250;
/** Minimum history of a trained model: its lags, and enough days for its units. */
const LEAST_RIDGE_HISTORY_DAYS = 90;
/** Maximum age of a model. */
const OLDEST_MODEL_DAYS = 90;

export interface Forecast {
  modelVersion: string;
  tier: ForecastTier;
  hours: ForecastHour[];
}

interface ForecastRequest {
  now: Date;
  horizonHours: number;
  /** Default: no weather. */
  weather?: ForecastIssueSet;
}

/**
 * Prices of `horizonHours` hours from the current hour on, EUR/MWh: published ones unchanged, the others from the best tier
 * available for each hour. Trains the model first if the history is long enough: about half a second for the first call on
 * four years, some hundredths of a second for the days after it. Deterministic; all given prices count as published. Weather issued
 * after `now` is ignored.
 */
export function forecastFrom(
  prices: PriceSeries,
  now: Date,
  horizonHours: number,
  weather: ForecastIssueSet = ForecastIssueSet.empty,
): Forecast {
  const known = weather.until(now.getTime());
  return forecastWith(train(prices, now, known), prices, { now, horizonHours, weather: known });
}

/**
 * The same with a model that has been trained before, which takes milliseconds; if it is undefined the tiers below the ridge
 * are used.
 */
export function forecastWith(
  model: TrainedModel | undefined,
  prices: PriceSeries,
  { now, horizonHours, weather = ForecastIssueSet.empty }: ForecastRequest,
): Forecast {
  const startMs = hourOf(now).getTime();
  const expect = ladder(model, prices, now, weather);
  let best: number = FORECAST_TIERS.length;
  const hours: ForecastHour[] = [];
  for (let index = 0; index < horizonHours; index++) {
    const at = startMs + index * HOUR_MS;
    const start = new Date(at);
    const published = prices.hour(at);
    if (published !== undefined) {
      hours.push({ start, p10: published, p50: published, p90: published, source: "day_ahead" });
      continue;
    }
    const { tier, p10, p50, p90 } = expect(at);
    best = Math.min(best, FORECAST_TIERS.indexOf(tier));
    hours.push({ start, p10, p50, p90, source: tier === "climatology" ? "climatology" : "forecast" });
  }
  const tiers: readonly ForecastTier[] = FORECAST_TIERS;
  const tier = tiers[best] ?? expect(startMs + horizonHours * HOUR_MS).tier;
  return { modelVersion: MODEL_VERSIONS[tier], tier, hours };
}

/** Quantiles of an hour by its start (ms), from the best tier available. */
function ladder(
  model: TrainedModel | undefined,
  prices: PriceSeries,
  now: Date,
  weather: ForecastIssueSet,
): (atMs: number) => Quantiles & { tier: ForecastTier } {
  const untilDay = dayNumber(lastPublishedDay(prices, now));
  const days = MarketDays.of(prices, { fromDay: untilDay - HISTORY_DAYS, untilDay });
  const usable =
    model !== undefined &&
    days.last - days.first >= LEAST_RIDGE_HISTORY_DAYS &&
    Math.abs(days.last - model.trainedTo) <= OLDEST_MODEL_DAYS;
  const ridge = usable ? trainedForecast(model, days, { issues: weather, now }) : undefined;
  let lower: ReturnType<typeof lowerTiers> | undefined;
  return (atMs) => {
    const { day, hour } = dayAndHour(atMs);
    const learnt = ridge?.(day - days.last, hour);
    if (learnt !== undefined) return learnt;
    lower ??= lowerTiers(prices, days, now);
    return lower(atMs, day, hour);
  };
}

/** The tiers that need no training. */
function lowerTiers(prices: PriceSeries, days: MarketDays, now: Date) {
  const mean = meanForecast(days);
  const window = learningWindow(prices, now);
  const recent = recentMean(prices, window);
  const usual = climatology(prices, window.untilMs);
  return (atMs: number, day: number, hour: number): Quantiles & { tier: ForecastTier } => {
    const spread = recent(atMs);
    if (mean !== undefined) return { tier: "exponential_mean", ...mean(day, hour, spread) };
    if (spread !== undefined) return { tier: "recent_mean", ...spread };
    return { tier: "climatology", ...usual(atMs) };
  };
}

/** Start of the first hour without a published price; the end of the last hour if all have one. */
export function firstForecastStart(hours: readonly ForecastHour[]): Date | undefined {
  const first = hours.find(({ source }) => source !== "day_ahead");
  if (first !== undefined) return first.start;
  const last = hours.at(-1);
  return last === undefined ? undefined : new Date(last.start.getTime() + HOUR_MS);
}

/** Quantiles of an hour, EUR/MWh, and the tier they come from. */
type TrainedHour = Quantiles & { tier: Extract<ForecastTier, "weather_ridge" | "ridge"> };

interface ForecastWeather {
  issues: ForecastIssueSet;
  /** Later issues are ignored. */
  now: Date;
}

/**
 * Forecast of the seven days after the last of `days` by a trained model, EUR/MWh: by lead (1 to 7) and local hour; undefined
 * for other leads. Hours with known weather, of leads trained with weather, come from the tier with weather.
 */
function trainedForecast(
  model: TrainedModel,
  days: MarketDays,
  { issues, now }: ForecastWeather,
): (lead: number, hour: number) => TrainedHour | undefined {
  const { weather } = model;
  const inputs = originInputs(
    days,
    days.last,
    weather && originWeather(issues, weather.countries, days.last, now.getTime()),
  );
  const plain = predict(model.coefficients, inputs, model);
  const withWeather = weather && predict(weather.coefficients, inputs, model);
  return (lead, hour) => {
    if (lead < 1 || lead > LEADS) return undefined;
    const cell = (lead - 1) * 24 + hour;
    if (weather !== undefined && lead <= weather.leads && inputs.withWeather![cell] === 1)
      return { tier: "weather_ridge", ...quantilesAround(withWeather![cell]!, weather.band, lead, hour) };
    return { tier: "ridge", ...quantilesAround(plain[cell]!, model.band, lead, hour) };
  };
}
