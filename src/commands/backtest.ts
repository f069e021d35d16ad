import { backtestDocument } from "../documents/backtest.js";
import { simulateSite } from "../plan/simulate.js";
import { backtestOfForecast } from "./backtest-forecast.js";
import { backtestSiteOf, periodOf, simulationOf } from "./backtest-site.js";
import { backtestText } from "./backtest-text.js";
import { type CliCommand, configOption, EXIT, jsonOption, textOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { heldData } from "./held-data.js";
import { periodOptions, readPeriod } from "./period.js";
import { progressBar } from "./progress.js";

export const backtestCommand: CliCommand = {
  name: "backtest",
  summary: "Replays recorded prices and use: what the battery costs with hourgate, without, and at best.",
  usage:
    "[--forecast] [--from TIME] [--to TIME] [--load FILE] [--pv FILE] [--prices FILE] [--site ID] [--config FILE] [--json]",
  options: {
    ...periodOptions,
    load: {
      type: "string",
      value: "FILE",
      help: "CSV start_utc,import_kwh of the house, quarter-hours or hours; default: its telemetry, else its settings.",
    },
    pv: {
      type: "string",
      value: "FILE",
      help: "CSV start_utc,pv_kwh of the PV, quarter-hours or hours; default: none.",
    },
    prices: {
      type: "string",
      value: "FILE",
      help: "CSV start_utc,eur_per_mwh; default: the data folder and the file sources of the configuration.",
    },
    forecast: { type: "boolean", help: "Replays the price forecast instead: its error by lead day." },
    site: { type: "string", value: "ID", help: "Plant to replay; default: the first one." },
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    const { settings } = configuration;
    const fail = (sentence: string) => {
      terminal.error(sentence);
      return EXIT.failed;
    };
    const id = textOption(args, "site");
    const plant = settings.plants.find((one) => id === undefined || one.id === id);
    if (plant === undefined)
      return fail(
        `There is no plant "${id}"; the configuration has ${settings.plants.map((one) => one.id).join(", ")}.`,
      );
    const asked = readPeriod(args, plant.timezone);
    if (typeof asked === "string") {
      terminal.error(asked);
      return EXIT.usage;
    }
    const held = await heldData(
      settings,
      plant,
      { pricesFile: textOption(args, "prices"), from: asked.from },
      terminal,
    );
    if (typeof held === "string") return fail(held);
    if (args.options.forecast === true) return backtestOfForecast(held.series, asked, args, terminal);
    if (!plant.battery) return fail(`Plant ${plant.id} has no battery to plan; add one to its settings.`);
    const house = backtestSiteOf(
      { load: textOption(args, "load"), pv: textOption(args, "pv") },
      plant,
      held,
      terminal,
    );
    if (typeof house === "string") return fail(house);
    const period = periodOf(asked, held, house);
    if (typeof period === "string") return fail(period);

    const { input, view } = simulationOf(plant, held, house, {
      ...period,
      stepMinutes: settings.market.resolution_minutes,
    });
    const bar = args.options.json === true ? undefined : progressBar(terminal, "Planning each quarter-hour");
    const result = simulateSite({ ...input, ...(bar !== undefined && { onProgress: bar }) });
    if (args.options.json === true) await terminal.out(JSON.stringify(backtestDocument(result, view)));
    else for (const line of backtestText(result, view)) await terminal.out(line);
    return EXIT.done;
  },
};
