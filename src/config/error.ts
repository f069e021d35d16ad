/** One problem of a configuration. */
export interface ConfigProblem {
  /** The file, or the environment variable that set the value. */
  file: string;
  /** Line in the file, from 1; undefined for a value from elsewhere. */
  line?: number;
  /** Column in that line, from 1. */
  column?: number;
  /** Dotted path of the key, such as `plants.0.battery.capacity_kwh`; empty for the whole file. */
  key: string;
  /** A sentence with what is allowed and what was found; never the value of a secret. */
  message: string;
}

/** A problem as one line: `file:line: key: message`. */
export function problemText(problem: ConfigProblem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return [place, ...(problem.key === "" ? [] : [problem.key]), problem.message].join(": ");
}

/** An invalid configuration, with all of its problems. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(problemText).join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}
