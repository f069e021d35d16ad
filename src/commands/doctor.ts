import { ConfigError, type ConfigProblem, problemText } from "../config/error.js";
import { type Configuration, load } from "../config/load.js";
import type { Finding } from "../doctor/finding.js";
import { type CliCommand, configOption, EXIT, jsonOption, textOption } from "./command.js";

export const doctorCommand: CliCommand = {
  name: "doctor",
  summary: "Checks configuration, data, clock, sources, broker and the running gateway, and says what to do.",
  usage: "[--config FILE] [--json]",
  options: { config: configOption, json: jsonOption },
  async run(args, terminal) {
    const configuration = loadOrProblems(textOption(args, "config"), terminal.environment);
    terminal.status?.("Looking …");
    const findings =
      "problems" in configuration
        ? configuration.problems.map((problem) => ofConfiguration("bad", problemText(problem)))
        : await findingsOf(configuration);
    terminal.status?.("");
    const isWell = findings.every(({ verdict }) => verdict !== "bad");
    if (args.options.json === true) await terminal.out(JSON.stringify({ ok: isWell, findings }));
    else for (const line of linesOf(findings)) await terminal.out(line);
    return isWell ? EXIT.done : EXIT.failed;
  },
};

function loadOrProblems(
  file: string | undefined,
  environment: Parameters<typeof load>[1],
): Configuration | { problems: readonly ConfigProblem[] } {
  try {
    return load(file, environment);
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

async function findingsOf({ settings, file, notes }: Configuration): Promise<Finding[]> {
  // Loaded here so that the other commands do not pay for it.
  const { examine } = await import("../doctor/examine.js");
  return [
    ofConfiguration("ok", `${file ?? "No file, the defaults"}: correct.`),
    ...notes.map((sentence) => ofConfiguration("warn", sentence)),
    ...(await examine(settings)),
  ];
}

function ofConfiguration(verdict: Finding["verdict"], sentence: string): Finding {
  return { verdict, what: "configuration", sentence };
}

/** `warn  clock  — what to do`, the columns below one another. */
function linesOf(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings.map(
    ({ verdict, what, sentence }) => `${verdict.padEnd(4)}  ${what.padEnd(width)}  — ${sentence}`,
  );
}
