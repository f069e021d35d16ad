import type { PlantSettings } from "../../config/settings.js";
import { type EnergyStep, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import { forecastRuns, hoursOfRuns, type PastRun } from "../../forecast/price/rolling.js";
import type { PvLearning } from "../../forecast/pv/learning.js";
import { WeatherSeries, type WeatherSeriesHour } from "../../forecast/weather/weather-series.js";
import type { Tariff } from "../../tariff/tariff.js";
import { type ComparedSite, compareTariff, type TariffCost } from "./compare-tariff.js";
import { type PackedSteps, packSteps, unpackSteps } from "./packed.js";
import { type BacktestSite, type HeldData, simulationOf } from "./past-site.js";
import { changedSite, type SiteChange } from "./site-change.js";

/** What a comparison needs, as plain data that can be sent to another thread. */
export interface ComparisonData {
  plant: PlantSettings;
  period: Interval;
  stepMinutes: 60 | 15;
  /** Measured; empty without a measurement. */
  load: PackedSteps;
  /** Measured; left out: none. */
  pv?: PackedSteps;
  /** What the measured load has of vehicles. */
  vehicle: PackedSteps;
  /** Prices by quarter-hour from `startMs`, EUR/MWh; NaN is a gap. */
  prices: { startMs: number; eurPerMwh: Float64Array };
  weather: WeatherSeriesHour[];
  pvLearning: PvLearning;
}

/** What the cost is computed for: a tariff, and a change of the site; left out: the site as it is. */
export interface ComparedCase {
  tariff: Tariff;
  change?: SiteChange;
  /** Only the cost that counts is computed, `rankedEur`; the others are null. */
  rankedOnly?: boolean;
}

/** A model of at most a week is as good as one of the day, and takes a fraction of the time. */
const TRAIN_EVERY_DAYS = 7;

/** The data of a comparison without its functions. */
export function comparisonData(
  { series, weather, pvLearning }: HeldData,
  {
    plant,
    period,
    stepMinutes,
    site: { measured, pv },
    vehicle = [],
  }: Pick<ComparisonData, "plant" | "period" | "stepMinutes"> & {
    site: BacktestSite;
    /** What the measured load has of vehicles; left out: not known. */
    vehicle?: readonly EnergyStep[];
  },
): ComparisonData {
  const count = Math.round((series.endMs - series.startMs) / QUARTER_MS);
  const eurPerMwh = Float64Array.from(
    { length: count },
    (_, t) => series.quarter(series.startMs + t * QUARTER_MS) ?? Number.NaN,
  );
  return {
    plant,
    period: { start: period.start, end: period.end },
    stepMinutes,
    load: packSteps(measured),
    ...(pv && { pv: packSteps(pv.measured) }),
    vehicle: packSteps(vehicle),
    prices: { startMs: series.startMs, eurPerMwh },
    weather: weather.hours(),
    pvLearning,
  };
}

/** A site prepared for a comparison, in any thread. */
export class SiteComparison {
  readonly #data: ComparisonData;
  readonly #site: BacktestSite;
  readonly #vehicle: readonly EnergyStep[];
  readonly #series: PriceSeries;
  readonly #weather: WeatherSeries;

  constructor(data: ComparisonData) {
    const { prices, weather, load, pv, vehicle } = data;
    this.#data = data;
    this.#site = {
      measured: unpackSteps(load),
      name: "",
      ...(pv && { pv: { measured: unpackSteps(pv), name: "" } }),
    };
    this.#vehicle = unpackSteps(vehicle);
    this.#series = PriceSeries.of(
      Array.from(prices.eurPerMwh, (eurPerMwh, t) => ({
        start: new Date(prices.startMs + t * QUARTER_MS),
        minutes: 15 as const,
        eurPerMwh,
      })),
    );
    this.#weather = WeatherSeries.of(weather);
  }

  /** The price forecasts of a part of the period; they are the same in all cases. */
  forecasts(part: Interval, onProgress: (hours: number) => void): PastRun[] {
    const { start } = this.#data.period;
    return forecastRuns(this.#series, { start, part, trainEveryDays: TRAIN_EVERY_DAYS, onProgress });
  }

  /** The cost of a case. `onProgress` is called with the hours that are done. */
  cost(
    { tariff, change, rankedOnly = false }: ComparedCase,
    runs: readonly PastRun[],
    onProgress: (hours: number) => void,
  ): TariffCost {
    const settled = this.#hasQuarterPrices() ? {} : { stepMinutes: 60 as const };
    return compareTariff(
      tariff,
      { ...this.#siteWith(change), hoursAt: hoursOfRuns(runs), onProgress },
      { ...settled, rankedOnly },
    );
  }

  #siteWith(change: SiteChange | undefined): Omit<ComparedSite, "hoursAt"> {
    const { plant: asIs, period, stepMinutes, pvLearning } = this.#data;
    const held: HeldData = {
      series: this.#series,
      prices: "",
      measured: [],
      measuredPv: [],
      pvLearning,
      weather: this.#weather,
    };
    const { plant, site, pvFactor } = changedSite(
      { plant: asIs, site: this.#site, period, vehicle: this.#vehicle },
      held,
      change ?? {},
    );
    const { input } = simulationOf(plant, held, site, { ...period, stepMinutes });
    const { actualPvKwh, expectedPvKwh } = input;
    if (pvFactor === 1 || actualPvKwh === undefined) return input;
    return {
      ...input,
      actualPvKwh: actualPvKwh.map((kwh) => kwh * pvFactor),
      ...(expectedPvKwh && {
        expectedPvKwh: (now, steps) => expectedPvKwh(now, steps).map((kwh) => kwh * pvFactor),
      }),
    };
  }

  /** Whether prices within an hour differ anywhere in the period; if not, quarter-hours say nothing more than hours. */
  #hasQuarterPrices(): boolean {
    const { start, end } = this.#data.period;
    for (let ms = start.getTime(); ms < end.getTime(); ms += HOUR_MS) {
      for (const quarter of [1, 2, 3])
        if (this.#series.quarter(ms) !== this.#series.quarter(ms + quarter * QUARTER_MS)) return true;
    }
    return false;
  }
}
