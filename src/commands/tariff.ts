import { stringify } from "yaml";
import {
  type PresetEntry,
  PresetError,
  presetsKnownUntil,
  tariffOfPresets,
  tariffPresets,
} from "../tariff/presets.js";
import { type CliCommand, EXIT, jsonOption, textOption } from "./command.js";

export const tariffListCommand: CliCommand = {
  name: "tariff list",
  summary: "Lists the grid areas, suppliers, municipalities and feed-in prices that are built in.",
  usage: "[--json]",
  options: { json: jsonOption },
  async run(args, terminal) {
    const presets = tariffPresets();
    if (args.options.json === true) {
      await terminal.out(JSON.stringify(presets));
      return EXIT.done;
    }
    const kinds: [string, readonly PresetEntry[]][] = [
      ["Grid areas (--area)", presets.areas],
      ["Suppliers (--supplier)", presets.suppliers],
      ["Municipal levies (--municipality)", presets.municipalities],
      ["Feed-in (--feed-in)", presets.feedIn],
    ];
    for (const [title, entries] of kinds) {
      await terminal.out(title);
      for (const { id, name, asOf, checked } of entries) {
        const source = checked === undefined ? asOf : `${asOf}, ${checked}`;
        await terminal.out(`  ${id.padEnd(36)} ${name} (${source})`);
      }
    }
    return EXIT.done;
  },
};

export const tariffShowCommand: CliCommand = {
  name: "tariff show",
  summary: "Prints the tariff of a grid area and a supplier as configuration.",
  usage: "--area ID [--supplier ID] [--municipality ID] [--feed-in ID] [--no-summer-low] [--json]",
  options: {
    area: { type: "string", value: "ID", help: "Grid area, see tariff list." },
    supplier: { type: "string", value: "ID", help: "Supplier; default: the market price without markup." },
    municipality: { type: "string", value: "ID", help: "Municipality with a levy of its own." },
    "feed-in": { type: "string", value: "ID", help: "Feed-in price; default: the market price." },
    "no-summer-low": {
      type: "boolean",
      help: "Without the summer low price, which needs quarter-hour values read by the operator.",
    },
    json: jsonOption,
  },
  async run(args, terminal) {
    const area = textOption(args, "area");
    if (area === undefined) {
      terminal.error("Name the grid area: hourgate tariff show --area ID. The list: hourgate tariff list.");
      return EXIT.usage;
    }
    try {
      const tariff = tariffOfPresets({
        area,
        supplier: textOption(args, "supplier"),
        municipality: textOption(args, "municipality"),
        feedIn: textOption(args, "feed-in"),
        summerLow: args.options["no-summer-low"] !== true,
      });
      if (args.options.json === true) await terminal.out(JSON.stringify(tariff));
      else {
        await terminal.out(
          `# Grid fees and levies are known until ${presetsKnownUntil()}. Add your metering fee:`,
        );
        await terminal.out("# grid_usage.metering_eur_month, see the invoice of your grid operator.");
        await terminal.out(
          stringify({ tariff }, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" }).trimEnd(),
        );
      }
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof PresetError)) throw error;
      terminal.error(error.message);
      return EXIT.failed;
    }
  },
};
