import { backtestDocument } from "../../api/documents/backtest.js";
import { DAY_MS } from "../../core/domain/interval.js";
import { formatIso } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { BacktestView } from "../../money/compare/past-site.js";
import { periodOf, simulationOf } from "../../money/compare/past-site.js";
import type { SimulationResult } from "../../plan/simulate.js";
import type { SimulatedRun } from "../../plan/simulated-run.js";
import {
  type Arguments,
  CommandError,
  command,
  EXIT,
  flagOption,
  printResult,
  progressBar,
  type Terminal,
} from "./command.js";
import { periodOptions, readPeriod } from "./options.js";
import { chosenData, chosenPlant, chosenSite, pastOptions } from "./past-options.js";

/** Within an hour without new prices the policy of a plan decides like a new one; results are the same, four times faster. */
const PLAN_EVERY_MINUTES = 60;

export const backtestCommand = command({
  name: "backtest",
  summary:
    "Replays recorded prices and load: cost with hourgate, without control, and with perfect foresight.",
  options: {
    ...periodOptions,
    forecast: flagOption("Replays the price forecast instead: its error by lead day."),
    ...pastOptions,
  },
  async run(args, terminal) {
    const chosen = chosenPlant(args, terminal);
    const { settings, plant } = chosen;
    const wanted = readPeriod(args, plant.timezone);
    const held = await chosenData(chosen, { from: wanted.from }, args, terminal);
    if (args.options.forecast) return backtestOfForecast(held.series, wanted, args, terminal);
    if (!plant.battery)
      throw new CommandError(`Plant ${plant.id} has no battery to plan; add one to its settings.`);
    const site = await chosenSite(plant, held, args, terminal);
    const period = periodOf(wanted, held, site);
    if (typeof period === "string") throw new CommandError(period);

    const { input, view } = simulationOf(plant, held, site, {
      ...period,
      stepMinutes: settings.market.resolution_minutes,
    });
    const bar = args.options.json ? undefined : progressBar(terminal, "Deciding each quarter-hour");
    const { simulateSite } = await import("../../plan/simulate.js");
    const result = simulateSite({
      ...input,
      planEveryMinutes: PLAN_EVERY_MINUTES,
      ...(bar !== undefined && { onProgress: bar }),
    });
    await printResult(args, terminal, backtestDocument(result, view), () => backtestText(result, view));
    return EXIT.done;
  },
});

/** Default period of a backtest of the forecast. */
const DEFAULT_DAYS = 365;

/** The accuracy of the price forecast over a period, by lead day, as a table or as JSON. */
async function backtestOfForecast(
  series: PriceSeries,
  period: { from?: Date; to?: Date },
  args: Arguments<{ json: boolean }>,
  terminal: Terminal,
): Promise<number> {
  const { backtestForecast, forecastReportText } = await import("../../forecast/price/backtest.js");
  const to = period.to ?? new Date(series.endMs);
  const from = period.from ?? new Date(Math.max(series.startMs, to.getTime() - DEFAULT_DAYS * DAY_MS));
  const bar = args.options.json ? undefined : progressBar(terminal, "Forecasting each day");
  const report = backtestForecast({ series, from, to, ...(bar !== undefined && { onProgress: bar }) });
  if (report.origins === 0)
    throw new CommandError(
      "No day of this period has both prices to forecast from and prices to compare with.",
    );
  await printResult(args, terminal, report, () => [forecastReportText(report)]);
  return EXIT.done;
}

/** The result of a backtest as a text table, by line. */
function backtestText(result: SimulationResult, view: BacktestView): string[] {
  const { planned, uncontrolled, noBattery, perfect } = result;
  const time = (at: Date) => formatIso(at, view.zone).slice(0, 16).replace("T", " ");
  const rows: [string, SimulatedRun][] = [
    ["no battery", noBattery],
    ["uncontrolled battery", uncontrolled],
    ["battery with hourgate", planned],
    ["perfect foresight", perfect],
  ];
  const cell = (value: number, digits: number, width: number) => value.toFixed(digits).padStart(width);
  const hours = Object.entries(result.hoursByMode)
    .filter(([, count]) => count > 0)
    .map(([mode, count]) => `${mode} ${count.toFixed(0)}`)
    .join(", ");
  const worse = result.worseDays.toSorted((a, b) => b.eur - a.eur);
  const named = worse.slice(0, 5).map(({ date, eur }) => `${date} (${eur.toFixed(2)} EUR)`);
  const captured =
    result.capturedShare === undefined
      ? "Control of the battery could not have saved any cost."
      : `hourgate reached ${(100 * result.capturedShare).toFixed(1)} % of the possible saving.`;
  return [
    `Plant ${view.siteId}, ${time(result.from)} to ${time(result.to)} (${result.days.toFixed(1)} days)`,
    `Prices: ${view.prices}`,
    `Load: ${view.load}; ${view.loadKwh.toFixed(0)} kWh`,
    `PV: ${view.pv}${view.pvKwh > 0 ? `; ${view.pvKwh.toFixed(0)} kWh` : ""}`,
    ...(view.loadHoursEstimated > 0
      ? [`${view.loadHoursEstimated} hours of it were not measured; the mean load is used for them.`]
      : []),
    ...(result.hoursLeftOut > 0 ? [`${result.hoursLeftOut} hours without a price are left out.`] : []),
    "",
    `${"".padEnd(22)}  cost EUR  saved EUR  import kWh  export kWh  cycles`,
    ...rows.map(
      ([name, run]) =>
        `${name.padEnd(22)}${cell(run.costEur, 2, 10)}${cell(uncontrolled.costEur - run.costEur, 2, 11)}` +
        `${cell(run.importKwh, 0, 12)}${cell(run.exportKwh, 0, 12)}${cell(run.cycles, 0, 8)}`,
    ),
    "",
    captured,
    `Mode changes a day: ${result.modeChangesPerDay.toFixed(1)}. Hours: ${hours}.`,
    worse.length === 0
      ? "No day cost more than with the uncontrolled battery."
      : `Days that cost more than with the uncontrolled battery: ${worse.length}, the worst ${named.join(", ")}.`,
    `Savings are relative to the uncontrolled battery. A kWh stored at the end counts ${result.storedWorthCtKwh.toFixed(1)} ct in every row.`,
  ];
}
