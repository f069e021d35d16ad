import { pathToFileURL } from "node:url";
import { dayInterval, VIENNA } from "../../src/core/time/zone.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../src/forecast/market/sources/file-format.js";
import { backtestForecast, forecastReportText } from "../../src/forecast/price/backtest.js";
import { dayNumber, MarketDays } from "../../src/forecast/price/market-days.js";
import { forecastWith } from "../../src/forecast/price/model.js";
import { writeModel } from "../../src/forecast/price/model-document.js";
import { trainingDays, trainOn } from "../../src/forecast/price/train.js";
import { HOURLY_PRICES, recordedText } from "../support/recorded-data.js";
import { median, timed } from "./measure.js";

function recordedSeries(): PriceSeries {
  const csv = recordedText(HOURLY_PRICES);
  return PriceSeries.of(parsePriceFile(csv).points);
}

/** Measures training and prediction on four years of recorded prices. */
export function benchForecast() {
  const series = recordedSeries();
  const now = new Date("2026-02-20T13:00:00Z");
  const published = series.before(new Date("2026-02-21T23:00:00Z"));
  const days = trainingDays(published, now);
  // Processor time: the gateway trains in a process with low priority.
  const began = process.cpuUsage();
  const model = trainOn(days);
  const { user, system } = process.cpuUsage(began);
  if (model === undefined) throw new Error("Training on four years of prices gave no model.");
  const prediction = timed(40, () => forecastWith(model, published, { now, horizonHours: 192 }));
  const next = MarketDays.of(series, { fromDay: days.first, untilDay: dayNumber("2026-02-22") });
  const nextBegan = performance.now();
  trainOn(next);
  const nextMs = performance.now() - nextBegan;
  return [
    {
      name: `training on ${days.knownDays} days, processor time`,
      value: (user + system) / 1e6,
      unit: "s",
      goal: "below 2",
    },
    { name: "adding one day and fitting", value: nextMs / 1000, unit: "s", goal: "" },
    { name: "forecast of 192 hours, median", value: median(prediction), unit: "ms", goal: "below 50" },
    { name: "forecast of 192 hours, slowest", value: Math.max(...prediction), unit: "ms", goal: "" },
    {
      name: "trained model on disk",
      value: JSON.stringify(writeModel(model)).length / 1e6,
      unit: "MB",
      goal: "below 1",
    },
  ];
}

/** As a script: prints the times, or with two arguments `YYYY-MM-DD` the accuracy for origins from the first to before the second day. */
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [from, to] = process.argv.slice(2);
  if (from !== undefined && to !== undefined) {
    const instant = (date: string) => dayInterval(date, VIENNA).start;
    console.log(
      forecastReportText(
        backtestForecast({ series: recordedSeries(), from: instant(from), to: instant(to) }),
      ),
    );
  } else {
    for (const { name, value, unit, goal } of benchForecast())
      console.log(
        `${name.padEnd(40)} ${value.toFixed(2).padStart(8)} ${unit.padEnd(3)} ${goal && `goal: ${goal}`}`,
      );
  }
}
