import type { PlantSettings } from "../../config/settings.js";
import { HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import { forecastRuns, hoursOfRuns, type PastRun } from "../../forecast/price/rolling.js";
import type { PvLearning } from "../../forecast/pv/learning.js";
import { WeatherSeries, type WeatherSeriesHour } from "../../forecast/weather/weather-series.js";
import type { Tariff } from "../../tariff/tariff.js";
import { type ComparedSite, compareTariff, type TariffCost } from "./compare-tariff.js";
import { type BacktestSite, type HeldData, simulationOf } from "./past-site.js";

/** What a comparison needs, as plain data that can be sent to another thread. */
export interface ComparisonData {
  plant: PlantSettings;
  site: BacktestSite;
  period: Interval;
  stepMinutes: 60 | 15;
  /** Prices by quarter-hour from `startMs`, EUR/MWh; NaN is a gap. */
  prices: { startMs: number; eurPerMwh: Float64Array };
  weather: WeatherSeriesHour[];
  pvLearning: PvLearning;
}

/** A model of at most a week is as good as one of the day, and takes a fraction of the time. */
const TRAIN_EVERY_DAYS = 7;

/** The data of a comparison without its functions. */
export function comparisonData(
  { series, weather, pvLearning }: HeldData,
  of: Pick<ComparisonData, "plant" | "site" | "period" | "stepMinutes">,
): ComparisonData {
  const count = Math.round((series.endMs - series.startMs) / QUARTER_MS);
  const eurPerMwh = Float64Array.from(
    { length: count },
    (_, t) => series.quarter(series.startMs + t * QUARTER_MS) ?? Number.NaN,
  );
  return { ...of, prices: { startMs: series.startMs, eurPerMwh }, weather: weather.hours(), pvLearning };
}

/** A site prepared for a comparison, in any thread. */
export class SiteComparison {
  readonly #series: PriceSeries;
  readonly #site: Omit<ComparedSite, "hoursAt">;
  readonly #period: Interval;

  constructor({ plant, site, period, stepMinutes, prices, weather, pvLearning }: ComparisonData) {
    this.#series = PriceSeries.of(
      Array.from(prices.eurPerMwh, (eurPerMwh, t) => ({
        start: new Date(prices.startMs + t * QUARTER_MS),
        minutes: 15 as const,
        eurPerMwh,
      })),
    );
    const held = {
      series: this.#series,
      prices: "",
      measured: [],
      measuredPv: [],
      pvLearning,
      weather: WeatherSeries.of(weather),
    };
    this.#site = simulationOf(plant, held, site, { ...period, stepMinutes }).input;
    this.#period = period;
  }

  /** The price forecasts of a part of the period; they are the same for all tariffs. */
  forecasts({ start, end }: Interval, onProgress: (hours: number) => void): PastRun[] {
    return forecastRuns(this.#series, { start, end, trainEveryDays: TRAIN_EVERY_DAYS, onProgress });
  }

  /** The cost under a tariff. `onProgress` is called with the hours that are done. */
  cost(tariff: Tariff, runs: readonly PastRun[], onProgress: (hours: number) => void): TariffCost {
    const settled = this.#hasQuarterPrices() ? {} : { stepMinutes: 60 as const };
    const hoursAt = hoursOfRuns(runs);
    return compareTariff(tariff, { ...this.#site, hoursAt, onProgress }, settled);
  }

  /** Whether prices within an hour differ anywhere in the period; if not, quarter-hours say nothing more than hours. */
  #hasQuarterPrices(): boolean {
    const { start, end } = this.#period;
    for (let ms = start.getTime(); ms < end.getTime(); ms += HOUR_MS) {
      for (const quarter of [1, 2, 3])
        if (this.#series.quarter(ms) !== this.#series.quarter(ms + quarter * QUARTER_MS)) return true;
    }
    return false;
  }
}
