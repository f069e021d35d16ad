import type { ResultOf } from "../admin/operations.js";
import { siteOption } from "./admin-command.js";
import { resultOfRequest } from "./administration.js";
import { command, configOption, EXIT, flagOption, jsonOption, printResult } from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { tariffYaml } from "./tariff.js";

export const tariffApplyCommand = command({
  name: "tariff apply",
  summary: "Puts the figures of presets into the tariff of a plant; values that were typed in stay.",
  hint: "The list: hourgate tariff list.",
  options: {
    print: flagOption("Prints the tariff as configuration and stores nothing."),
    "no-summer-low": flagOption(
      "Without the summer low price, which needs quarter-hour values read by the operator.",
    ),
    site: siteOption,
    config: configOption,
    json: jsonOption,
  },
  operands: ["PRESET…"],
  async run(args, terminal) {
    const { settings } = loadConfiguration(args, terminal);
    const site = args.options.site;
    const printsOnly = args.options.print;
    const request = {
      command: printsOnly ? ("tariff preview" as const) : ("tariff apply" as const),
      arguments: {
        presets: args.positionals.join(","),
        ...(site !== undefined && { site }),
        ...(args.options["no-summer-low"] && { no_summer_low: true }),
      },
    };
    const result = await resultOfRequest(settings, request, terminal);
    await printResult(args, terminal, result, () => {
      const lines = appliedLines(result);
      return printsOnly
        ? [...lines.map((line) => `# ${line}`), tariffYaml(result.tariff)]
        : [
            ...lines,
            `The tariff of ${result.site} is stored with its portal settings. They apply before the configuration file.`,
          ];
    });
    return EXIT.done;
  },
});

function appliedLines({ applied, kept }: ResultOf<"tariff apply">): string[] {
  return [
    ...applied.map(({ part, value, preset, as_of, checked }) => {
      const source = checked === undefined ? as_of : `${as_of}, ${checked}`;
      return `${part.padEnd(26)} ${preset} (source of ${source}): ${short(value)}`;
    }),
    ...kept.map(
      ({ part, value, preset }) =>
        `${part.padEnd(26)} kept as entered: ${short(value)}; the preset has ${short(preset)}`,
    ),
  ];
}

/** A value on one line, cut where it is long. */
function short(value: unknown): string {
  const text = JSON.stringify(value).replaceAll('"', "");
  return text.length > 100 ? `${text.slice(0, 97)}…` : text;
}
