import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { ConfigError, type ConfigProblem, problemText } from "../../config/error.js";
import { dotted } from "../../config/kit/node.js";
import { type Configuration, load } from "../../config/load.js";
import { plausibilityText, plausibilityWarnings } from "../../config/plausibility.js";
import type { Settings } from "../../config/settings.js";
import type { SchemaFinding } from "../../config/validate.js";
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
      const configuration = load(args.options.config, terminal.environment, language);
      const { settings, file, notes, warnings: unsafe } = configuration;
      const { problems, warnings } = await startFindings(configuration, texts.config);
      if (problems.length > 0) throw new ConfigError(problems);
      const plants = settings.plants.map((plant) => plant.id);
      const unlikely = [
        ...unlikelyValues(settings, language),
        ...warnings.map(({ key, message }) => ({ key, code: "not_used", message })),
      ];
      if (asJson) {
        terminal.out(
          JSON.stringify({
            ok: true,
            file: file ?? null,
            plants,
            notes: [...notes, ...unsafe],
            warnings: unlikely,
            problems: [],
          }),
        );
        return EXIT.done;
      }
      terminal.out(texts.config.correct(file, plants.join(", ")));
      for (const line of [...notes, ...unsafe]) terminal.out(line);
      for (const { key, message } of unlikely) terminal.out(`${texts.plausibility.what}: ${key}: ${message}`);
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (asJson) terminal.out(JSON.stringify({ ok: false, problems: error.problems }));
      else for (const problem of error.problems) terminal.error(problemText(problem));
      return EXIT.failed;
    }
  },
});

/** What a start would refuse or warn of in a valid configuration, and the files that it would wait for. */
async function startFindings(
  configuration: Configuration,
  texts: ConfigTexts,
): Promise<{ problems: ConfigProblem[]; warnings: readonly ConfigProblem[] }> {
  const { settings, problemsOf } = configuration;
  // Loaded here so that other commands do not load the devices.
  const { startFaults } = await import("../start-faults.js");
  const { problems, warnings, templates } = await startFaults(settings, texts);
  const missing = missingFiles(settings, texts);
  const others = problems.filter(
    ({ path }) => !missing.some((one) => dotted(one.path).startsWith(dotted(path))),
  );
  return {
    problems: problemsOf([...missing, ...others]),
    warnings: [
      ...problemsOf(warnings),
      ...templates.map(({ file, key, ...one }) => ({
        ...one,
        file,
        key: key === "" ? file : `${file}: ${key}`,
      })),
    ],
  };
}

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
  { file: texts }: ConfigTexts,
): SchemaFinding[] {
  const sources = { market: market.sources, weather: weather.sources };
  const paths: [key: string[], path: string][] = Object.entries(sources).flatMap(([key, list]) =>
    list.flatMap((source, index): [string[], string][] =>
      source.type === "file" ? [[[key, "sources", String(index), "path"], source.path]] : [],
    ),
  );
  const tls: [string[], typeof http.tls][] = [
    [["http", "tls"], http.tls],
    [["mqtt", "broker", "tls"], mqtt.broker.tls],
  ];
  for (const [key, files] of tls)
    if (files !== null)
      paths.push([[...key, "cert_file"], files.cert_file], [[...key, "key_file"], files.key_file]);
  if (mqtt.external.ca_file !== null) paths.push([["mqtt", "external", "ca_file"], mqtt.external.ca_file]);
  return paths.flatMap(([key, path]) => {
    try {
      accessSync(path, constants.R_OK);
      return [];
    } catch (error) {
      const isMissing = (error as { code?: unknown }).code === "ENOENT";
      const message = isMissing ? texts.missingOf(resolve(path)) : texts.unreadableOf(errorMessage(error));
      return [{ path: key, message }];
    }
  });
}
