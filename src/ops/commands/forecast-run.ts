import { resolve } from "node:path";
import { type ForecastRunDocument, forecastRunDocument } from "../../api/documents/forecast-run.js";
import type { Settings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import { VIENNA } from "../../core/time/zone.js";
import { publicUntil } from "../../forecast/market/publication.js";
import { askGateway } from "../admin/client.js";
import {
  type Arguments,
  CommandError,
  command,
  configOption,
  EXIT,
  jsonOption,
  printResult,
  type Terminal,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { heldData } from "./held-data.js";
import { timeOption } from "./options.js";

/** Vienna time at which tomorrow's prices are published. */
const PUBLISHED_AT = "13:00";
const HORIZON_HOURS = 168;

export const forecastRunCommand = command({
  name: "forecast run",
  summary: "Computes the forecast now, in the gateway if one is running, and prints its 168 hours.",
  options: {
    prices: valueOption(
      "FILE",
      "CSV start_utc,eur_per_mwh; default: the data folder and the file sources of the configuration.",
    ),
    now: timeOption(
      { value: "TIME", zone: VIENNA, form: "an ISO time such as 2026-01-15T14:00" },
      "ISO time of the forecast; only prices published by then are used. Default: now.",
    ),
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const { settings } = loadConfiguration(args, terminal);
    const { now = new Date(), prices: pricesFile } = args.options;
    if (args.options.now === undefined && pricesFile === undefined) {
      const run = await runOfGateway(settings);
      if (run !== undefined) {
        await print(run, "the running gateway", args, terminal);
        return EXIT.done;
      }
    }
    const held = await heldData(settings, settings.plants[0]!, { pricesFile, from: now }, terminal);
    const { forecastFrom } = await import("../../forecast/price/model.js");
    const known = held.series.before(publicUntil(now, PUBLISHED_AT));
    const forecast = forecastFrom(known, now, HORIZON_HOURS);
    await print(forecastRunDocument({ now, ...forecast }), held.prices, args, terminal);
    return EXIT.done;
  },
});

/** A forecast run of the gateway on the data folder; undefined if none is running. Throws CommandError. */
async function runOfGateway(settings: Settings): Promise<ForecastRunDocument | undefined> {
  const request = { command: "forecast run", arguments: {} };
  const response = await askGateway(resolve(settings.data_dir), request).catch((error) => {
    throw new CommandError(errorMessage(error));
  });
  if (response?.ok === false) throw new CommandError(response.error);
  return response?.result as ForecastRunDocument | undefined;
}

async function print(
  document: ForecastRunDocument,
  from: string,
  args: Arguments<{ json: boolean }>,
  terminal: Terminal,
) {
  await printResult(args, terminal, document, () => [
    `${document.model_version}, from ${from}, EUR/MWh`,
    ...document.hours.map(({ start, p10_eur_mwh, p50_eur_mwh, p90_eur_mwh, source }) => {
      const figures = [p10_eur_mwh, p50_eur_mwh, p90_eur_mwh].map((price) => price.toFixed(2).padStart(9));
      return `${start}${figures.join("")}  ${source}`;
    }),
  ]);
}
