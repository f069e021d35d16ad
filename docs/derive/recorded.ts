import { load } from "../../src/config/load.js";
import type { Interval } from "../../src/core/domain/interval.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../src/forecast/market/sources/file-format.js";
import { EMPTY_PV_LEARNING } from "../../src/forecast/pv/learning.js";
import { WeatherSeries } from "../../src/forecast/weather/weather-series.js";
import { simulationOf } from "../../src/money/compare/past-site.js";
import type { SimulationInput } from "../../src/plan/simulate.js";
import { parseLoadFile } from "../../src/telemetry/load-file.js";
import { HOURLY_PRICES, recordedText } from "../../test/support/recorded-data.js";

const measuredLoad = (name: string) =>
  parseLoadFile(recordedText(`household/at_smart_meter_15min/${name}.csv`)).load;

/** The recorded Austrian day-ahead prices. */
export function recordedPrices(): PriceSeries {
  return PriceSeries.of(parsePriceFile(recordedText(HOURLY_PRICES)).points);
}

/** A metered household with the battery and the tariff of config/example-home.yaml, over a period of full hours. */
export function recordedSite(name: string, period: Interval, series: PriceSeries): SimulationInput {
  const { settings } = load(new URL("../../config/example-home.yaml", import.meta.url).pathname, {});
  const held = {
    series,
    prices: "",
    measured: [],
    measuredPv: [],
    pvLearning: EMPTY_PV_LEARNING,
    weather: WeatherSeries.empty,
  };
  return simulationOf(
    settings.plants[0]!,
    held,
    { measured: measuredLoad(name), name },
    { ...period, stepMinutes: 60 },
  ).input;
}

/** The recorded prices of hours, EUR/MWh. Throws a RangeError for an hour without a price. */
export function actualPrices(startsMs: readonly number[]): number[] {
  const series = recordedPrices();
  return startsMs.map((startMs) => known(series.hour(startMs), startMs, "price"));
}

function known(value: number | undefined, startMs: number, what: string): number {
  if (value === undefined)
    throw new RangeError(`${new Date(startMs).toISOString()} has no recorded ${what}.`);
  return value;
}
