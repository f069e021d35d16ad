import type { ParseArgsConfig } from "node:util";

/** Input and output of a command; replaced in tests. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line to standard output. May return a promise; await it before the next line when writing much. */
  out(line: string): unknown;
  /** Writes one line to standard error. */
  error(line: string): void;
  /** All of standard input as text. Absent without standard input. */
  input?(): Promise<string>;
  /** Rewrites the last line of the screen, empty: clears it. Absent without a terminal. */
  status?(line: string): void;
}

type OptionConfig = NonNullable<ParseArgsConfig["options"]>[string];

/** An option of a command; `value` is the placeholder that help shows, `help` one sentence. */
export type Option = OptionConfig & { help: string; value?: string };

/** Parsed options and arguments. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  positionals: readonly string[];
}

/** Exit codes: done; failed; wrong usage. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** One command, in a file of this folder and listed in catalogue.ts. */
export interface CliCommand {
  name: string;
  /** One sentence for the overview. */
  summary: string;
  /** Options and arguments after the name, such as `[--config FILE]`. */
  usage: string;
  options: Readonly<Record<string, Option>>;
  /** Maximum number of positional arguments. */
  positionals?: number;
  /** Runs the command and returns the exit code. */
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
