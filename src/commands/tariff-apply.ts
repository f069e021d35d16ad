import { stringify } from "yaml";
import { siteOption } from "./admin-command.js";
import { administrate } from "./administration.js";
import { type CliCommand, configOption, EXIT, jsonOption, textOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";

/** The result of the operation. */
interface Applied {
  site: string;
  tariff: object[];
  applied: { part: string; value: unknown; preset: string; as_of: string; checked?: string }[];
  kept: { part: string; value: unknown; preset: unknown }[];
}

/** Most presets that can be named: one of each kind. */
const MOST_PRESETS = 4;

export const tariffApplyCommand: CliCommand = {
  name: "tariff apply",
  summary: "Puts the figures of presets into the tariff of a plant; values that were typed in stay.",
  usage: "PRESET… [--print] [--no-summer-low] [--site ID] [--config FILE] [--json]",
  options: {
    print: {
      type: "boolean",
      help: "Prints the tariff as configuration and stores nothing.",
    },
    "no-summer-low": {
      type: "boolean",
      help: "Without the summer low price, which needs quarter-hour values read by the operator.",
    },
    site: siteOption,
    config: configOption,
    json: jsonOption,
  },
  positionals: MOST_PRESETS,
  async run(args, terminal) {
    if (args.positionals.length === 0) {
      terminal.error(
        "Name the presets: hourgate tariff apply area:wien tiwag_flex_privat. The list: hourgate tariff list.",
      );
      return EXIT.usage;
    }
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    const site = textOption(args, "site");
    const printsOnly = args.options.print === true;
    const request = {
      command: printsOnly ? "tariff preview" : "tariff apply",
      arguments: {
        presets: args.positionals.join(","),
        ...(site !== undefined && { site }),
        ...(args.options["no-summer-low"] === true && { no_summer_low: true }),
      },
    };
    const response = await administrate(configuration.settings, request, terminal).catch((error: Error) => ({
      ok: false as const,
      error: error.message,
    }));
    if (!response.ok) {
      terminal.error(response.error);
      return EXIT.failed;
    }
    // The gateway is the same program: its result has the type of this command.
    const result = response.result as Applied;
    if (args.options.json === true) {
      await terminal.out(JSON.stringify(result));
      return EXIT.done;
    }
    const mark = printsOnly ? "# " : "";
    for (const { part, value, preset, as_of, checked } of result.applied) {
      const source = checked === undefined ? as_of : `${as_of}, ${checked}`;
      await terminal.out(`${mark}${part.padEnd(26)} ${preset} (source of ${source}): ${short(value)}`);
    }
    for (const { part, value, preset } of result.kept) {
      await terminal.out(
        `${mark}${part.padEnd(26)} kept as entered: ${short(value)}; the preset has ${short(preset)}`,
      );
    }
    if (printsOnly) {
      const yaml = stringify(
        { tariff: result.tariff },
        { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" },
      );
      await terminal.out(yaml.trimEnd());
    } else {
      await terminal.out(
        `The tariff of ${result.site} is stored with its portal settings. They apply before the configuration file.`,
      );
    }
    return EXIT.done;
  },
};

/** A value on one line, cut where it is long. */
function short(value: unknown): string {
  const text = JSON.stringify(value).replaceAll('"', "");
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}
