import { readFileSync } from "node:fs";
import { comparisonDocument } from "../../api/documents/comparison.js";
import { ConfigError } from "../../config/error.js";
import type { PlantSettings } from "../../config/settings.js";
import { parseTariff } from "../../config/tariff-file.js";
import { dayInterval, formatIso } from "../../core/time/zone.js";
import { compareAll } from "../../money/compare/parallel.js";
import { periodOf, simulationOf } from "../../money/compare/past-site.js";
import { presetTariffs } from "../../money/compare/preset-tariffs.js";
import { comparisonData } from "../../money/compare/site-comparison.js";
import { PresetError } from "../../tariff/presets.js";
import type { Tariff } from "../../tariff/tariff.js";
import { table } from "./admin-command.js";
import {
  CommandError,
  command,
  EXIT,
  patternOption,
  printResult,
  progressBar,
  unreadable,
  valueOption,
} from "./command.js";
import { chosenData, chosenPlant, chosenSite, pastOptions } from "./past-options.js";

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
    const held = await chosenData(chosen, wanted.from, args, terminal);
    const site = await chosenSite(plant, held, args, terminal);
    const period = periodOf(wanted, held, site, "Choose a --year in this period.");
    if (typeof period === "string") throw new CommandError(period);
    const time = (at: Date) => formatIso(at, zone).slice(0, 16).replace("T", " ");
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
      tariffs.map(({ tariff }) => tariff),
      (share) => bar(Math.min(share, 0.999), 1),
    );
    const rows = tariffs.map(({ name }, index) => ({ name, cost: costs[index]! }));
    bar(1, 1);
    const document = comparisonDocument(rows);
    const euro = (eur: number | null) => (eur === null ? "" : eur.toFixed(2));
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

/** The tariffs of the files, else of the presets. Throws CommandError if there are none. */
function tariffsOf(
  plant: PlantSettings,
  { files, area }: { files: string | undefined; area: string | undefined },
): { name: string; tariff: Tariff }[] {
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
