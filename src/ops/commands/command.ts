import type { ParseArgsConfig } from "node:util";
import { errorMessage } from "../../core/error-message.js";
import type { Servers } from "../servers.js";

/** Input and output of a command; replaced in tests. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line to standard output. May return a promise that resolves when the buffer has room; await it in long output. */
  out(line: string): unknown;
  /** Writes one line to standard error. */
  error(line: string): void;
  /** All of standard input as text; absent without standard input. */
  input?(): Promise<string>;
  /** Replaces the last line of the screen; an empty line clears it. Absent if the output is not a terminal. */
  status?(line: string): void;
}

type OptionConfig = NonNullable<ParseArgsConfig["options"]>[string];

/** An option of a command; `value` is the placeholder that help shows, `help` one sentence. */
export type Option = OptionConfig & { help: string; value?: string };

/** An option with a value; `value` is the placeholder that help shows. */
export const valueOption = (value: string, help: string): Option => ({ type: "string", value, help });

/** An option without a value. */
export const flagOption = (help: string): Option => ({ type: "boolean", help });

/** The parsed arguments after the name of the command. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  positionals: readonly string[];
}

/** Exit codes; `usage` for invalid arguments. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Ends a command with an exit code; the message is printed on standard error. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The end of a command with invalid arguments. */
export const usageError = (message: string): CommandError => new CommandError(message, EXIT.usage);

/** The end of a command whose input file cannot be read. */
export const unreadable = (path: string, error: unknown): CommandError =>
  new CommandError(`${path} cannot be read: ${errorMessage(error)}`);

/** One command; listed in catalogue.ts. */
export interface CliCommand {
  name: string;
  /** One sentence for the overview. */
  summary: string;
  /** Arguments as shown in help, such as `[--config FILE]`. */
  usage: string;
  options: Readonly<Record<string, Option>>;
  /** Maximum number of positional arguments; default 0. */
  positionals?: number;
  /** Returns the exit code. Throws CommandError. */
  run(args: Arguments, terminal: Terminal, servers: Servers): Promise<number>;
}

/** `--config FILE`, an option of most commands. */
export const configOption: Option = {
  type: "string",
  short: "c",
  value: "FILE",
  help: "Configuration file; default: HOURGATE_CONFIG, else config/hourgate.yaml, else the defaults.",
};

/** `--json`. */
export const jsonOption: Option = flagOption("Print the result as one JSON document.");

/** Value of a text option. */
export function textOption(args: Arguments, name: string): string | undefined {
  const value = args.options[name];
  return typeof value === "string" ? value : undefined;
}

/** Prints a result: as one JSON document with `--json`, otherwise as lines. */
export async function printResult(
  args: Arguments,
  terminal: Terminal,
  document: unknown,
  lines: () => readonly string[],
): Promise<void> {
  if (args.options.json === true) await terminal.out(JSON.stringify(document));
  else for (const line of lines()) await terminal.out(line);
}

const PROGRESS_WIDTH = 30;

/** A progress bar on the last line of the screen, for `onProgress`; does nothing if the output is not a terminal. */
export function progressBar(terminal: Terminal, label: string): (done: number, total: number) => void {
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((100 * done) / total);
    if (percent === shown) return;
    shown = percent;
    const filled = Math.round((PROGRESS_WIDTH * done) / total);
    const bar = `${"#".repeat(filled)}${"-".repeat(PROGRESS_WIDTH - filled)}`;
    terminal.status?.(done < total ? `${label} [${bar}] ${percent} %` : "");
  };
}
