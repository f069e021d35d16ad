import { ConfigError, problemText } from "../config/error.js";
import { type Configuration, load } from "../config/load.js";
import {
  type Arguments,
  type CliCommand,
  configOption,
  EXIT,
  jsonOption,
  type Terminal,
  textOption,
} from "./command.js";

/** Loads the configuration of `--config`. If it is invalid, prints its problems and returns undefined. */
export function loadConfiguration(args: Arguments, terminal: Terminal): Configuration | undefined {
  try {
    const configuration = load(textOption(args, "config"), terminal.environment);
    for (const note of configuration.notes) terminal.error(note);
    return configuration;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) terminal.error(problemText(problem));
    return undefined;
  }
}

export const checkCommand: CliCommand = {
  name: "check",
  summary: "Validates a configuration; errors name file, line, key and what is allowed.",
  usage: "[--config FILE] [--json]",
  options: {
    config: configOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const asJson = args.options.json === true;
    try {
      const { settings, file, notes } = load(textOption(args, "config"), terminal.environment);
      const plants = settings.plants.map((plant) => plant.id);
      if (asJson) {
        terminal.out(JSON.stringify({ ok: true, file: file ?? null, plants, notes, problems: [] }));
        return EXIT.done;
      }
      terminal.out(`${file ?? "No file, the defaults"}: correct. Plants: ${plants.join(", ")}.`);
      for (const line of notes) terminal.out(line);
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (asJson) terminal.out(JSON.stringify({ ok: false, problems: error.problems }));
      else for (const problem of error.problems) terminal.error(problemText(problem));
      return EXIT.failed;
    }
  },
};
