import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { ConfigError, type ConfigProblem, problemText } from "../../config/error.js";
import { dotted } from "../../config/kit/node.js";
import { type Configuration, load } from "../../config/load.js";
import { plausibilityText, plausibilityWarnings } from "../../config/plausibility.js";
import type { Settings } from "../../config/settings.js";
import { errorMessage } from "../../core/error-message.js";
import type { Language } from "../../core/language.js";
import { type ConfigTexts, textsOf } from "../../texts/index.js";
import {
  type Arguments,
  CommandError,
  command,
  configOption,
  EXIT,
  jsonOption,
  type Terminal,
} from "./command.js";
import { languageOf, languageOption } from "./options.js";

/** Loads the configuration of `--config`. Throws CommandError with its problems. */
export function loadConfiguration(
  args: Arguments<{ config: string | undefined }>,
  terminal: Terminal,
): Configuration {
  try {
    const configuration = load(args.options.config, terminal.environment);
    for (const note of configuration.notes) terminal.error(note);
    return configuration;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CommandError(error.problems.map(problemText).join("\n"));
  }
}

export const checkCommand = command({
  name: "check",
  summary: "Validates a configuration; errors name file, line, key and what is allowed.",
  options: {
    config: configOption,
    lang: languageOption,
    json: jsonOption,
  },
  async run(args, terminal) {
    const asJson = args.options.json;
    const language = languageOf(args, terminal);
    const texts = textsOf(language);
    try {
      const {
        settings,
        file,
        notes,
        warnings: unsafe,
      } = load(args.options.config, terminal.environment, language);
      const missing = missingFiles(settings, file, texts.config);
      if (missing.length > 0) throw new ConfigError(missing);
      const plants = settings.plants.map((plant) => plant.id);
      if (asJson) {
        const warnings = unlikelyValues(settings, language);
        terminal.out(
          JSON.stringify({
            ok: true,
            file: file ?? null,
            plants,
            notes: [...notes, ...unsafe],
            warnings,
            problems: [],
          }),
        );
        return EXIT.done;
      }
      terminal.out(texts.config.correct(file, plants.join(", ")));
      for (const line of [...notes, ...unsafe]) terminal.out(line);
      for (const { key, message } of unlikelyValues(settings, language))
        terminal.out(`${texts.plausibility.what}: ${key}: ${message}`);
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (asJson) terminal.out(JSON.stringify({ ok: false, problems: error.problems }));
      else for (const problem of error.problems) terminal.error(problemText(problem));
      return EXIT.failed;
    }
  },
});

/** Valid settings that are probably not meant, each with its key in the configuration. */
function unlikelyValues(
  { plants }: Settings,
  language: Language,
): { key: string; code: string; message: string }[] {
  return plants.flatMap((plant, index) =>
    plausibilityWarnings(plant).map((warning) => ({
      key: dotted(["plants", String(index), ...warning.path]),
      code: warning.code,
      message: plausibilityText(warning, language),
    })),
  );
}

/** Files of the configuration that cannot be read. `serve` starts without those of sources and waits for them. */
function missingFiles(
  { market, weather, http, mqtt }: Settings,
  file: string | undefined,
  { file: texts }: ConfigTexts,
): ConfigProblem[] {
  const sources = { "market.sources": market.sources, "weather.sources": weather.sources };
  const paths: [key: string, path: string][] = Object.entries(sources).flatMap(([key, list]) =>
    list.flatMap((source, index): [string, string][] =>
      source.type === "file" ? [[`${key}.${index}.path`, source.path]] : [],
    ),
  );
  for (const [key, tls] of Object.entries({ "http.tls": http.tls, "mqtt.broker.tls": mqtt.broker.tls }))
    if (tls !== null) paths.push([`${key}.cert_file`, tls.cert_file], [`${key}.key_file`, tls.key_file]);
  return paths.flatMap(([key, path]) => {
    try {
      accessSync(path, constants.R_OK);
      return [];
    } catch (error) {
      const isMissing = (error as { code?: unknown }).code === "ENOENT";
      const message = isMissing ? texts.missingOf(resolve(path)) : texts.unreadableOf(errorMessage(error));
      return [{ file: file ?? "defaults", key, message }];
    }
  });
}
