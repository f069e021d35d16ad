import { periodOf, simulationOf } from "../comparison/past-site.js";
import { backtestDocument } from "../documents/backtest.js";
import { DAY_MS } from "../domain/interval.js";
import type { PriceSeries } from "../market/price-series.js";
import { backtestText } from "./backtest-text.js";
import {
  type Arguments,
  type CliCommand,
  CommandError,
  EXIT,
  flagOption,
  printResult,
  progressBar,
  type Terminal,
} from "./command.js";
import { periodOptions, readPeriod } from "./options.js";
import { chosenData, chosenPlant, chosenSite, PAST_USAGE, pastOptions } from "./past-options.js";

/** Within an hour without new prices the policy of a plan decides like a new one; results are the same, four times faster. */
const PLAN_EVERY_MINUTES = 60;

export const backtestCommand: CliCommand = {
  name: "backtest",
  summary:
    "Replays recorded prices and load: cost with hourgate, without control, and with perfect foresight.",
  usage: `[--forecast] [--from TIME] [--to TIME] ${PAST_USAGE}`,
  options: {
    ...periodOptions,
    forecast: flagOption("Replays the price forecast instead: its error by lead day."),
    ...pastOptions,
  },
  async run(args, terminal) {
    const chosen = chosenPlant(args, terminal);
    const { settings, plant } = chosen;
    const wanted = readPeriod(args, plant.timezone);
    const held = await chosenData(chosen, wanted.from, args, terminal);
    if (args.options.forecast === true) return backtestOfForecast(held.series, wanted, args, terminal);
    if (!plant.battery)
      throw new CommandError(`Plant ${plant.id} has no battery to plan; add one to its settings.`);
    const site = await chosenSite(plant, held, args, terminal);
    const period = periodOf(wanted, held, site);
    if (typeof period === "string") throw new CommandError(period);

    const { input, view } = simulationOf(plant, held, site, {
      ...period,
      stepMinutes: settings.market.resolution_minutes,
    });
    const bar = args.options.json === true ? undefined : progressBar(terminal, "Deciding each quarter-hour");
    const { simulateSite } = await import("../plan/simulate.js");
    const result = simulateSite({
      ...input,
      planEveryMinutes: PLAN_EVERY_MINUTES,
      ...(bar !== undefined && { onProgress: bar }),
    });
    await printResult(args, terminal, backtestDocument(result, view), () => backtestText(result, view));
    return EXIT.done;
  },
};

/** Default period of a backtest of the forecast. */
const DEFAULT_DAYS = 365;

/** The accuracy of the price forecast over a period, by lead day, as a table or as JSON. */
async function backtestOfForecast(
  series: PriceSeries,
  period: { from?: Date; to?: Date },
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const { backtestForecast, forecastReportText } = await import("../forecast/backtest.js");
  const to = period.to ?? new Date(series.endMs);
  const from = period.from ?? new Date(Math.max(series.startMs, to.getTime() - DEFAULT_DAYS * DAY_MS));
  const bar = args.options.json === true ? undefined : progressBar(terminal, "Forecasting each day");
  const report = backtestForecast({ series, from, to, ...(bar !== undefined && { onProgress: bar }) });
  if (report.origins === 0)
    throw new CommandError(
      "No day of this period has both prices to forecast from and prices to compare with.",
    );
  await printResult(args, terminal, report, () => [forecastReportText(report)]);
  return EXIT.done;
}
