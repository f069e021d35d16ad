/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** The file, or the environment variable that set the value. */
  file: string;
  /** Line in the file, from 1; absent where the value came from elsewhere. */
  line?: number;
  /** Column in that line, from 1. */
  column?: number;
  /** Dotted path of the key, such as `plants.0.battery.capacity_kwh`; empty for the file as a whole. */
  key: string;
  /** What is allowed and what was found, as a sentence; never the value of a secret. */
  message: string;
}

/** A problem as one line: `file:line: key: message`. */
export function problemText(problem: ConfigProblem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return [place, ...(problem.key === "" ? [] : [problem.key]), problem.message].join(": ");
}

/** A configuration that cannot be used, with all of its problems at once. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(problemText).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
