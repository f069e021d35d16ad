import { dayInterval, VIENNA } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../../src/forecast/market/sources/file-format.js";
import { backtestForecast, forecastReportText } from "../../../src/forecast/price/backtest.js";
import { ForecastIssueSet } from "../../../src/forecast/price/forecast-issue-set.js";
import { HOURLY_PRICES, recordedText } from "../../support/recorded-data.js";
import { pseudoWeather } from "./pseudo-weather.js";

/**
 * Benefit of weather: accuracy of the forecast with weather derived from day-ahead forecasts of German wind and PV,
 * `npx tsx test/forecast/price/weather-backtest.ts 2025-07-01 2026-02-20 [first day of the weather | none]`.
 */
const [from = "2025-07-01", to = "2026-02-20", weatherFrom = "2024-02-01"] = process.argv.slice(2);
const csv = recordedText(HOURLY_PRICES);
const instant = (date: string) => dayInterval(date, VIENNA).start;
const report = backtestForecast({
  series: PriceSeries.of(parsePriceFile(csv).points),
  ...(weatherFrom === "none" ? {} : { weather: ForecastIssueSet.of(pseudoWeather(weatherFrom, to)) }),
  from: instant(from),
  to: instant(to),
});
console.log(forecastReportText(report));
