import type { Settings } from "../../config/settings.js";
import { resultOfRequest } from "./administration.js";
import {
  type Arguments,
  type CliCommand,
  configOption,
  EXIT,
  jsonOption,
  type Option,
  printResult,
  type Terminal,
  textOption,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

/** Definition of an administration command. */
interface AdminCommand<Result extends object> {
  name: string;
  summary: string;
  /** Arguments as shown in help, without `--config` and `--json`. */
  usage?: string;
  options?: Readonly<Record<string, Option>>;
  /** Names of the required positional arguments, as shown in help. */
  positionals?: readonly string[];
  /** The arguments of the request. Throws CommandError for invalid arguments. */
  input?(args: Arguments, terminal: Terminal): object | Promise<object>;
  /** The result as text lines. */
  lines(result: Result, settings: Settings): string[];
  /** True for a result that ends with exit code 1. */
  hasFailed?(result: Result): boolean;
}

/** A command that the running gateway executes; if none is running, this process does on the data folder. */
export function adminCommand<Result extends object>(spec: AdminCommand<Result>): CliCommand {
  const positionals = spec.positionals ?? [];
  return {
    name: spec.name,
    summary: spec.summary,
    usage: [...positionals, spec.usage, "[--config FILE] [--json]"].filter(Boolean).join(" "),
    options: { ...spec.options, config: configOption, json: jsonOption },
    positionals: positionals.length,
    async run(args, terminal) {
      const missing = positionals.slice(args.positionals.length);
      if (missing.length > 0) {
        const usage = [spec.name, ...positionals].join(" ");
        throw usageError(`${missing.join(" and ")} must be given: hourgate ${usage}.`);
      }
      const input = (await spec.input?.(args, terminal)) ?? {};
      const configuration = loadConfiguration(args, terminal);
      const dataDir = textOption(args, "data-dir");
      const settings = { ...configuration.settings, ...(dataDir !== undefined && { data_dir: dataDir }) };
      const request = { command: spec.name, arguments: input };
      // The gateway is the same program: its result has the type of this command.
      const result = (await resultOfRequest(settings, request, terminal)) as Result;
      await printResult(args, terminal, result, () => spec.lines(result, settings));
      return spec.hasFailed?.(result) === true ? EXIT.failed : EXIT.done;
    },
  };
}

/** The password from standard input without a line end. Throws CommandError if there is none. */
export async function passwordFromInput(terminal: Terminal): Promise<string> {
  const password = (await terminal.input?.())?.replace(/\r?\n$/, "") ?? "";
  if (password === "") throw usageError("Standard input contains no password.");
  return password;
}

/** `--site ID`. */
export const siteOption: Option = valueOption("ID", "Site (plant).");
/** `--label L`. */
export const labelOption: Option = valueOption("L", "Description, at most 80 characters.");

/** The values of text options by name. Throws CommandError if a required one is missing. */
export function textInput(
  { options }: Arguments,
  required: readonly string[],
  optional: readonly string[] = [],
): Record<string, string> {
  const missing = required.filter((name) => typeof options[name] !== "string");
  if (missing.length > 0)
    throw usageError(`${missing.map((name) => `--${name}`).join(" and ")} must be given.`);
  return Object.fromEntries(
    [...required, ...optional].flatMap((name) => {
      const value = options[name];
      return typeof value === "string" ? [[name, value] as const] : [];
    }),
  );
}

/** A text table with aligned columns. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
