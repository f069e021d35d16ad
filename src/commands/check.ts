import { ConfigError, problemText } from "../config/error.js";
import { load } from "../config/load.js";
import { type CliCommand, configOption, EXIT, jsonOption, textOption } from "./command.js";

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
