import { DAY_MS } from "../domain/interval.js";
import { backtestForecast, forecastReportText } from "../forecast/backtest.js";
import type { PriceSeries } from "../market/price-series.js";
import { type Arguments, EXIT, type Terminal } from "./command.js";
import { progressBar } from "./progress.js";

/** Days that a backtest of the forecast covers when nothing says otherwise. */
const USUAL_DAYS = 365;

/** The accuracy of the price forecast over a period, by lead day, as a table or as JSON. */
export async function backtestOfForecast(
  series: PriceSeries,
  asked: { from?: Date; to?: Date },
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const to = asked.to ?? new Date(series.endMs);
  const from = asked.from ?? new Date(Math.max(series.startMs, to.getTime() - USUAL_DAYS * DAY_MS));
  const bar = args.options.json === true ? undefined : progressBar(terminal, "Forecasting each day anew");
  const report = backtestForecast({ series, from, to, ...(bar !== undefined && { onProgress: bar }) });
  if (report.origins === 0) {
    terminal.error("No day of this period has prices to forecast from and to compare with.");
    return EXIT.failed;
  }
  await terminal.out(args.options.json === true ? JSON.stringify(report) : forecastReportText(report));
  return EXIT.done;
}
