import { readFileSync } from "node:fs";
import { comparisonDocument } from "../../api/documents/comparison.js";
import { ConfigError } from "../../config/error.js";
import type { PlantSettings } from "../../config/settings.js";
import { parseTariff } from "../../config/tariff-file.js";
import { dayInterval, formatIso } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { compareMetered } from "../../money/compare/compare-tariff.js";
import { needsMarketPrices, withZeros } from "../../money/compare/market-prices.js";
import type { MeteredInstead } from "../../money/compare/metered-site.js";
import { compareAll } from "../../money/compare/parallel.js";
import { periodOf, simulationOf } from "../../money/compare/past-site.js";
import { type NamedTariff, presetTariffs } from "../../money/compare/preset-tariffs.js";
import { comparisonData } from "../../money/compare/site-comparison.js";
import { PresetError } from "../../tariff/presets.js";
import { textsOf } from "../../texts/index.js";
import { table } from "./admin-command.js";
import {
  CommandError,
  command,
  EXIT,
  patternOption,
  printResult,
  progressBar,
  type Terminal,
  unreadable,
  valueOption,
} from "./command.js";
import { chosenData, chosenPlant, chosenSite, type PastArguments, pastOptions } from "./past-options.js";

export const compareCommand = command({
  name: "compare",
  summary:
    "Compares what a year costs under several tariffs: without a battery, uncontrolled, with hourgate.",
  options: {
    tariffs: valueOption(
      "FILE,FILE",
      "YAML files with the key tariff; default: the built-in suppliers in the grid area of the plant.",
    ),
    year: patternOption(
      "YYYY",
      { pattern: /^20\d\d$/, form: (text) => `a year such as 2025, not "${text}"` },
      "Local calendar year; default: the newest 365 days with prices and load.",
    ),
    area: valueOption(
      "ID",
      "Grid area of the default list, see tariff list; default: the one whose grid fee the tariff of the plant has.",
    ),
    ...pastOptions,
  },
  async run(args, terminal) {
    const chosen = chosenPlant(args, terminal);
    const { settings, plant } = chosen;
    const { year, tariffs: files, area } = args.options;
    const tariffs = tariffsOf(plant, { files, area });
    const zone = plant.timezone;
    const wanted =
      year === undefined
        ? {}
        : { from: dayInterval(`${year}-01-01`, zone).start, to: dayInterval(`${year}-12-31`, zone).end };
    const { load, pv } = args.options;
    const instead = load === undefined ? { wanted, hasPvFile: pv !== undefined } : undefined;
    const needsPrices = needsMarketPrices(
      plant,
      tariffs.map(({ tariff }) => tariff),
      { hasPv: pv !== undefined },
    );
    const past = await chosenData(chosen, { from: wanted.from, instead, needsPrices }, args, terminal);
    const site = await chosenSite(plant, past, args, terminal);
    const { measured } = site;
    const isOfFile = load !== undefined && !needsPrices;
    const held = isOfFile
      ? { ...past, series: withZeros(past.series, { start: measured[0]!.start, end: measured.at(-1)!.end }) }
      : past;
    if (held.metered !== undefined)
      return printMetered({ plant, tariffs, series: held.series, metered: held.metered }, args, terminal);
    const period = periodOf(wanted, held, site, "Choose a --year in this period.");
    if (typeof period === "string") throw new CommandError(period);
    const time = timeIn(zone);
    if (wanted.to !== undefined && (period.start > wanted.from || period.end < wanted.to)) {
      terminal.error(
        `Prices and load of ${year} are known from ${time(period.start)} to ${time(period.end)}: the figures are those of this time.`,
      );
    }
    if (!plant.battery) {
      terminal.error(
        `Plant ${plant.id} has no battery: only the figures without one are known. Add a battery to its settings for the others.`,
      );
    }
    const stepMinutes = settings.market.resolution_minutes;
    const { view } = simulationOf(plant, held, site, { ...period, stepMinutes });
    const bar = progressBar(terminal, "Comparing tariffs");
    const costs = await compareAll(
      comparisonData(held, { plant, site, period, stepMinutes }),
      tariffs,
      (share) => bar(Math.min(share, 0.999), 1),
    );
    const rows = tariffs.map(({ name }, index) => ({ name, cost: costs[index]! }));
    bar(1, 1);
    const document = comparisonDocument(rows);
    await printResult(args, terminal, document, () => [
      `Plant ${plant.id}, ${time(period.start)} to ${time(period.end)}`,
      `Load: ${view.load}; ${view.loadKwh.toFixed(0)} kWh. PV: ${view.pv}; ${view.pvKwh.toFixed(0)} kWh.`,
      "",
      ...table(
        ["Tariff", "No battery EUR", "Uncontrolled EUR", "hourgate EUR", "Perfect EUR"],
        document.map((row) => [
          row.tariff,
          euro(row.no_battery_eur),
          euro(row.uncontrolled_eur),
          euro(row.hourgate_eur),
          euro(row.perfect_eur),
        ]),
      ),
    ]);
    return EXIT.done;
  },
});

const euro = (eur: number | null) => (eur === null ? "" : eur.toFixed(2));
const timeIn = (zone: string) => (at: Date) => formatIso(at, zone).slice(0, 16).replace("T", " ");

/** The bills of what the meter counted, as the portal shows them where PV or battery are not measured. */
async function printMetered(
  {
    plant,
    tariffs,
    series,
    metered,
  }: { plant: PlantSettings; tariffs: readonly NamedTariff[]; series: PriceSeries; metered: MeteredInstead },
  args: PastArguments,
  terminal: Terminal,
): Promise<number> {
  const { start, end, importKwh, exportKwh, hoursMissing, missing, energy } = metered;
  const texts = textsOf("en").whatIf.metered;
  const time = timeIn(plant.timezone);
  terminal.error(texts.why(missing.map((reading) => texts.readings[reading])));
  if (hoursMissing > 0) terminal.error(texts.missing(hoursMissing.toFixed(2)));
  const document = comparisonDocument(
    tariffs.map(({ name, tariff }) => ({
      name,
      cost: compareMetered(tariff, { plant, from: start, to: end, series }, energy),
    })),
  );
  await printResult(args, terminal, document, () => [
    `Plant ${plant.id}, ${time(start)} to ${time(end)}`,
    `Import: ${importKwh.toFixed(0)} kWh. Feed-in: ${exportKwh.toFixed(0)} kWh.`,
    "",
    ...table(
      ["Tariff", "As metered EUR"],
      document.map(({ tariff, metered_eur = null }) => [tariff, euro(metered_eur)]),
    ),
  ]);
  return EXIT.done;
}

/** The tariffs of the files, else of the presets. Throws CommandError if there are none. */
function tariffsOf(
  plant: PlantSettings,
  { files, area }: { files: string | undefined; area: string | undefined },
): NamedTariff[] {
  const named = (files ?? "")
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  try {
    if (files === undefined) return presetTariffs(plant.tariff, area);
    if (named.length > 0)
      return named.map((path) => ({ name: path, tariff: parseTariff(textOf(path), path) }));
  } catch (error) {
    throw error instanceof ConfigError || error instanceof PresetError
      ? new CommandError(error.message)
      : error;
  }
  throw new CommandError("--tariffs must name one or more files, such as --tariffs a.yaml,b.yaml.");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadable(path, error);
  }
}
