import { stringify } from "yaml";
import {
  type PresetEntry,
  PresetError,
  presetsKnownUntil,
  tariffOfPresets,
  tariffPresets,
} from "../../tariff/presets.js";
import {
  CommandError,
  command,
  EXIT,
  flagOption,
  jsonOption,
  printResult,
  required,
  valueOption,
} from "./command.js";

/** Commands for presets of tariffs. */
export const tariffCommands = [
  command({
    name: "tariff list",
    summary: "Lists the grid areas, suppliers, municipalities and feed-in prices that are built in.",
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
  }),
  command({
    name: "tariff show",
    summary: "Prints the tariff of a grid area and a supplier as configuration.",
    hint: "The list: hourgate tariff list.",
    options: {
      area: required(valueOption("ID", "Grid area, see tariff list.")),
      supplier: valueOption("ID", "Supplier; default: the market price without markup."),
      municipality: valueOption("ID", "Municipality with a separate levy."),
      "feed-in": valueOption("ID", "Feed-in price; default: the market price."),
      "no-summer-low": flagOption(
        "Without the summer low price, which needs quarter-hour values read by the operator.",
      ),
      json: jsonOption,
    },
    async run(args, terminal) {
      const { area } = args.options;
      try {
        const tariff = tariffOfPresets({
          area,
          supplier: args.options.supplier,
          municipality: args.options.municipality,
          feedIn: args.options["feed-in"],
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
  }),
];

/** A tariff as a section of the configuration file. */
export function tariffYaml(tariff: unknown): string {
  return stringify({ tariff }, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" }).trimEnd();
}
