import { resolve } from "node:path";
import { askGateway } from "../admin/client.js";
import type { Settings } from "../config/settings.js";
import { type ForecastRunDocument, forecastRunDocument } from "../documents/forecast-run.js";
import { errorMessage } from "../error-message.js";
import { publicUntil } from "../market/publication.js";
import { parseTime, VIENNA } from "../time/zone.js";
import {
  type Arguments,
  type CliCommand,
  configOption,
  EXIT,
  jsonOption,
  type Terminal,
  textOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { heldData } from "./held-data.js";

/** Vienna time at which tomorrow's prices are published. */
const PUBLISHED_AT = "13:00";
const HORIZON_HOURS = 168;

export const forecastRunCommand: CliCommand = {
  name: "forecast run",
  summary: "Computes the forecast now, in the gateway if one is running, and prints its 168 hours.",
  usage: "[--prices FILE] [--now TIME] [--config FILE] [--json]",
  options: {
    prices: {
      type: "string",
      value: "FILE",
      help: "CSV start_utc,eur_per_mwh; default: the data folder and the file sources of the configuration.",
    },
    now: {
      type: "string",
      value: "TIME",
      help: "ISO time of the forecast; only prices published by then are used. Default: now.",
    },
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    const time = textOption(args, "now");
    const now = time === undefined ? new Date() : parseTime(time, VIENNA);
    if (now === undefined) {
      terminal.error(`--now must be an ISO time such as 2026-01-15T14:00, not "${time}".`);
      return EXIT.usage;
    }
    const { settings } = configuration;
    const pricesFile = textOption(args, "prices");
    if (time === undefined && pricesFile === undefined) {
      const run = await runOfGateway(settings);
      if (typeof run === "string") {
        terminal.error(run);
        return EXIT.failed;
      }
      if (run !== undefined) {
        await print(run, "the running gateway", args, terminal);
        return EXIT.done;
      }
    }
    const held = await heldData(settings, settings.plants[0]!, { pricesFile, from: now }, terminal);
    if (typeof held === "string") {
      terminal.error(held);
      return EXIT.failed;
    }
    const { forecastFrom } = await import("../forecast/model.js");
    const known = held.series.before(publicUntil(now, PUBLISHED_AT));
    const forecast = forecastFrom(known, now, HORIZON_HOURS);
    await print(forecastRunDocument({ now, ...forecast }), held.prices, args, terminal);
    return EXIT.done;
  },
};

/** A forecast run of the gateway on the data folder; undefined if none is running, a sentence on failure. */
async function runOfGateway(settings: Settings): Promise<ForecastRunDocument | string | undefined> {
  const request = { command: "forecast run", arguments: {} };
  try {
    const response = await askGateway(resolve(settings.data_dir), request);
    if (response === undefined) return undefined;
    return response.ok ? (response.result as ForecastRunDocument) : response.error;
  } catch (error) {
    return errorMessage(error);
  }
}

async function print(document: ForecastRunDocument, from: string, args: Arguments, terminal: Terminal) {
  if (args.options.json === true) {
    await terminal.out(JSON.stringify(document));
    return;
  }
  await terminal.out(`${document.model_version}, from ${from}, EUR/MWh`);
  for (const { start, p10_eur_mwh, p50_eur_mwh, p90_eur_mwh, source } of document.hours) {
    const figures = [p10_eur_mwh, p50_eur_mwh, p90_eur_mwh]
      .map((price) => price.toFixed(2).padStart(9))
      .join("");
    await terminal.out(`${start}${figures}  ${source}`);
  }
}
