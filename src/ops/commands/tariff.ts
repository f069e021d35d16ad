import { stringify } from "yaml";
import {
  type PresetEntry,
  PresetError,
  presetsKnownUntil,
  tariffOfPresets,
  tariffPresets,
} from "../../tariff/presets.js";
import {
  type CliCommand,
  CommandError,
  EXIT,
  flagOption,
  jsonOption,
  printResult,
  textOption,
  usageError,
  valueOption,
} from "./command.js";

export const tariffListCommand: CliCommand = {
  name: "tariff list",
  summary: "Lists the grid areas, suppliers, municipalities and feed-in prices that are built in.",
  usage: "[--json]",
  options: { json: jsonOption },
  async run(args, terminal) {
    const presets = tariffPresets();
    const kinds: [string, readonly PresetEntry[]][] = [
      ["Grid areas (--area)", presets.areas],
      ["Suppliers (--supplier)", presets.suppliers],
      ["Municipal levies (--municipality)", presets.municipalities],
      ["Feed-in (--feed-in)", presets.feedIn],
    ];
    const line = ({ id, name, asOf, checked }: PresetEntry) =>
      `  ${id.padEnd(36)} ${name} (${checked === undefined ? asOf : `${asOf}, ${checked}`})`;
    await printResult(args, terminal, presets, () =>
      kinds.flatMap(([title, entries]) => [title, ...entries.map(line)]),
    );
    return EXIT.done;
  },
};

export const tariffShowCommand: CliCommand = {
  name: "tariff show",
  summary: "Prints the tariff of a grid area and a supplier as configuration.",
  usage: "--area ID [--supplier ID] [--municipality ID] [--feed-in ID] [--no-summer-low] [--json]",
  options: {
    area: valueOption("ID", "Grid area, see tariff list."),
    supplier: valueOption("ID", "Supplier; default: the market price without markup."),
    municipality: valueOption("ID", "Municipality with a levy of its own."),
    "feed-in": valueOption("ID", "Feed-in price; default: the market price."),
    "no-summer-low": flagOption(
      "Without the summer low price, which needs quarter-hour values read by the operator.",
    ),
    json: jsonOption,
  },
  async run(args, terminal) {
    const area = textOption(args, "area");
    if (area === undefined)
      throw usageError("Name the grid area: hourgate tariff show --area ID. The list: hourgate tariff list.");
    try {
      const tariff = tariffOfPresets({
        area,
        supplier: textOption(args, "supplier"),
        municipality: textOption(args, "municipality"),
        feedIn: textOption(args, "feed-in"),
        summerLow: args.options["no-summer-low"] !== true,
      });
      await printResult(args, terminal, tariff, () => [
        `# Grid fees and levies are known until ${presetsKnownUntil()}. Add your metering fee:`,
        "# grid_usage.metering_eur_month, see the invoice of your grid operator.",
        tariffYaml(tariff),
      ]);
      return EXIT.done;
    } catch (error) {
      throw error instanceof PresetError ? new CommandError(error.message) : error;
    }
  },
};

/** A tariff as a section of the configuration file. */
export function tariffYaml(tariff: unknown): string {
  return stringify({ tariff }, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" }).trimEnd();
}
