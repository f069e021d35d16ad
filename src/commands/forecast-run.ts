import { forecastFrom } from "../forecast/model.js";
import { publicUntil } from "../market/publication.js";
import { formatIso, parseTime, VIENNA } from "../time/zone.js";
import { type Command, configOption, EXIT, jsonOption, textOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { heldData } from "./held-data.js";

/** When the prices of tomorrow are public, Vienna time. */
const PUBLISHED_AT = "13:00";
const HORIZON_HOURS = 168;

export const forecastRunCommand: Command = {
  name: "forecast run",
  summary: "Forecasts 168 hours from the prices held, or from a file, and prints them.",
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
      help: "ISO time of the forecast; what was not public by then is not looked at. Default: now.",
    },
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    const told = textOption(args, "now");
    const now = told === undefined ? new Date() : parseTime(told, VIENNA);
    if (now === undefined) {
      terminal.error(`--now must be an ISO time such as 2026-01-15T14:00, not "${told}".`);
      return EXIT.usage;
    }
    const { settings } = configuration;
    const pricesFile = textOption(args, "prices");
    const held = await heldData(settings, settings.plants[0]!, { pricesFile, from: now }, terminal);
    if (typeof held === "string") {
      terminal.error(held);
      return EXIT.failed;
    }
    const known = held.series.before(publicUntil(now, PUBLISHED_AT));
    const { modelVersion, tier, hours } = forecastFrom(known, now, HORIZON_HOURS);
    if (args.options.json === true) {
      const document = {
        now: formatIso(now, VIENNA),
        model_version: modelVersion,
        tier,
        hours: hours.map(({ start, p10, p50, p90, source }) => ({
          start: formatIso(start, VIENNA),
          p10_eur_mwh: cents(p10),
          p50_eur_mwh: cents(p50),
          p90_eur_mwh: cents(p90),
          source,
        })),
      };
      await terminal.out(JSON.stringify(document));
      return EXIT.done;
    }
    await terminal.out(`${modelVersion}, from ${held.prices}, EUR/MWh`);
    for (const { start, p10, p50, p90, source } of hours) {
      const figures = [p10, p50, p90].map((price) => price.toFixed(2).padStart(9)).join("");
      await terminal.out(`${formatIso(start, VIENNA)}${figures}  ${source}`);
    }
    return EXIT.done;
  },
};

function cents(price: number): number {
  return Math.round(price * 100) / 100;
}
