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

/** An option of a command: without `value` a flag, otherwise with a value. */
export interface Option<Value> {
  /** One sentence for help. */
  help: string;
  /** The placeholder that help shows for the value. */
  value?: string;
  short?: string;
  isRequired?: boolean;
  /** May be given several times. */
  isRepeatable?: boolean;
  standard: Value;
  /** The value of a text; `flag` is `--name`. Throws CommandError. */
  read?(text: string, flag: string): Value;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The parsed arguments after the name of the command. */
export interface Arguments<Given = object> {
  /** The values of the options by their names. */
  options: Given;
  positionals: readonly string[];
}

/** The arguments of a command with these options. */
export type ArgumentsOf<Known extends Options> = Arguments<{
  [Name in keyof Known]: Known[Name]["standard"];
}>;

/** An option with a value; `value` is the placeholder that help shows. */
export const valueOption = (value: string, help: string): Option<string | undefined> => ({
  value,
  help,
  standard: undefined,
});

/** An option without a value. */
export const flagOption = (help: string): Option<boolean> => ({ help, standard: false });

/** An option with one of some values. */
export const choiceOption = <const Choice extends string>(
  choices: readonly Choice[],
  help: string,
  value = choices.join("|"),
): Option<Choice | undefined> => ({
  value,
  help,
  standard: undefined,
  read(text, flag) {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw usageError(`${flag} must be ${choices.join(", ").replace(/, ([^,]*)$/, " or $1")}, not "${text}".`);
  },
});

/** An option with a number within limits. */
export const numberOption = (
  { standard, min, max, integer = false }: { standard: number; min: number; max: number; integer?: boolean },
  help: string,
): Option<number> => ({
  value: "N",
  help,
  standard,
  read(text, flag) {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= min && value <= max && (!integer || Number.isInteger(value))) return value;
    throw usageError(`${flag} must be ${integer ? "a whole number" : "a number"} from ${min} to ${max}.`);
  },
});

/** An option whose text must match a pattern; `form` says what it must be. */
export const patternOption = (
  value: string,
  { pattern, form }: { pattern: RegExp; form: (text: string) => string },
  help: string,
): Option<string | undefined> => ({
  value,
  help,
  standard: undefined,
  read(text, flag) {
    if (pattern.test(text)) return text;
    throw usageError(`${flag} must be ${form(text)}.`);
  },
});

/** An option that may be given several times. */
export const repeatableOption = (value: string, help: string): Option<readonly string[]> => ({
  value,
  help,
  standard: [],
  isRepeatable: true,
});

/** An option that must be given. */
export const required = <Value>(option: Option<Value | undefined>): Option<Value> =>
  ({
    ...option,
    isRequired: true,
  }) as Option<Value>;

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
export interface CliCommand<Known extends Options = Options> {
  name: string;
  /** One sentence for the overview. */
  summary: string;
  options: Known;
  /**
   * The arguments without a name, as shown in help: `EMAIL`, or `FILE…` for one or more. All must be given but those in
   * brackets, which come last.
   */
  operands?: readonly string[];
  /** Where to find what must be given; ends the sentence about what is missing. */
  hint?: string;
  /** Returns the exit code. Throws CommandError. */
  run(args: ArgumentsOf<Known>, terminal: Terminal, servers: Servers): Promise<number>;
}

/** A command whose arguments have the types of its options. */
export const command = <Known extends Options>(spec: CliCommand<Known>): CliCommand<Known> => spec;

/** `--config FILE`, an option of most commands. */
export const configOption: Option<string | undefined> = {
  ...valueOption(
    "FILE",
    "Configuration file; default: HOURGATE_CONFIG, else config/hourgate.yaml, else the defaults.",
  ),
  short: "c",
};

/** `--json`. */
export const jsonOption: Option<boolean> = flagOption("Print the result as one JSON document.");

/** Prints a result: as one JSON document with `--json`, otherwise as lines. */
export async function printResult(
  args: Arguments<{ json: boolean }>,
  terminal: Terminal,
  document: unknown,
  lines: () => readonly string[],
): Promise<void> {
  if (args.options.json) await terminal.out(JSON.stringify(document));
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
