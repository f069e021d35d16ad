import { ConfigError, type ConfigProblem, problemText } from "../../config/error.js";
import { type Configuration, load } from "../../config/load.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { about, type DoctorTexts, type Finding } from "../doctor/finding.js";
import { command, configOption, EXIT, jsonOption, printResult } from "./command.js";
import { languageOf, languageOption } from "./options.js";

export const doctorCommand = command({
  name: "doctor",
  summary: "Checks configuration, data, clock, sources, broker and the running gateway, and says what to do.",
  options: { config: configOption, lang: languageOption, json: jsonOption },
  async run(args, terminal) {
    const language = languageOf(args, terminal);
    const texts = textsOf(language).doctor;
    const configuration = loadOrProblems(args.options.config, terminal.environment, language);
    terminal.status?.(texts.looking);
    const findings =
      "problems" in configuration
        ? configuration.problems.map((problem) => about(texts.what.configuration).bad(problemText(problem)))
        : await findingsOf(configuration, language);
    terminal.status?.("");
    const isWell = findings.every(({ verdict }) => verdict !== "bad");
    await printResult(args, terminal, { ok: isWell, findings }, () => linesOf(findings, texts));
    return isWell ? EXIT.done : EXIT.failed;
  },
});

function loadOrProblems(
  file: string | undefined,
  environment: Parameters<typeof load>[1],
  language: Language,
): Configuration | { problems: readonly ConfigProblem[] } {
  try {
    return load(file, environment, language);
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

async function findingsOf(configuration: Configuration, language: Language): Promise<Finding[]> {
  const { settings, file, notes, warnings, problemsOf } = configuration;
  // Loaded here so that other commands do not load it.
  const [{ examine }, { startFaults }] = await Promise.all([
    import("../doctor/examine.js"),
    import("../start-faults.js"),
  ]);
  const { doctor: texts, config } = textsOf(language);
  const found = about(texts.what.configuration);
  const faults = await startFaults(settings, config);
  const problems = problemsOf(faults.problems);
  const examined = await examine(settings, { language });
  return [
    ...(problems.length === 0
      ? [found.ok(texts.configuration.correct(file))]
      : problems.map((problem) => found.bad(problemText(problem)))),
    ...[...notes, ...warnings].map((sentence) => found.warn(sentence)),
    ...[...problemsOf(faults.warnings), ...faults.templates].map((problem) =>
      found.warn(problemText(problem)),
    ),
    // A device whose settings are wrong is already named, with its line.
    ...examined.filter(({ sentence }) => problems.every(({ message }) => message !== sentence)),
  ];
}

/** `warn  clock  — sentence`, in aligned columns. */
function linesOf(findings: readonly Finding[], { verdicts }: DoctorTexts): string[] {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const verdictWidth = Math.max(...Object.values(verdicts).map((text) => text.length));
  return findings.map(
    ({ verdict, what, sentence }) =>
      `${verdicts[verdict].padEnd(verdictWidth)}  ${what.padEnd(width)}  — ${sentence}`,
  );
}
