import type { ParseArgsConfig } from "node:util";

/** The world around a command; tests put their own in its place. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line to standard output. May give a promise: whoever has much to write awaits it before the next. */
  out(line: string): unknown;
  /** Writes one line to standard error. */
  error(line: string): void;
  /** All of standard input as text. Absent where there is none. */
  input?(): Promise<string>;
  /** Rewrites the last line of the screen, empty: clears it. Absent where nobody watches. */
  status?(line: string): void;
}

type OptionConfig = NonNullable<ParseArgsConfig["options"]>[string];

/** An option of a command; `value` is the placeholder that help shows, `help` one sentence. */
export type Option = OptionConfig & { help: string; value?: string };

/** What was typed behind the command's name, after parsing. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  positionals: readonly string[];
}

/** Exit codes: done; failed; called wrongly. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** One command: a file of its own in this folder, listed in catalogue.ts. */
export interface CliCommand {
  name: string;
  /** One sentence for the overview. */
  summary: string;
  /** What stands behind the name, such as `[--config FILE]`. */
  usage: string;
  options: Readonly<Record<string, Option>>;
  /** How many positional arguments it takes at most. */
  positionals?: number;
  /** Runs it and gives the exit code. */
  run(args: Arguments, terminal: Terminal): Promise<number>;
}

/** `--config FILE`, which most commands take. */
export const configOption: Option = {
  type: "string",
  short: "c",
  value: "FILE",
  help: "Configuration file; default: HOURGATE_CONFIG, else config/hourgate.yaml, else the defaults.",
};

/** `--json`. */
export const jsonOption: Option = { type: "boolean", help: "Print the result as one JSON document." };

/** Value of a text option. */
export function textOption(args: Arguments, name: string): string | undefined {
  const value = args.options[name];
  return typeof value === "string" ? value : undefined;
}
