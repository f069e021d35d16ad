import type { Settings } from "../../config/settings.js";
import type { OperationName, ResultOf } from "../admin/operations.js";
import { resultOfRequest } from "./administration.js";
import {
  type Arguments,
  type ArgumentsOf,
  type CliCommand,
  configOption,
  EXIT,
  jsonOption,
  type Options,
  printResult,
  type Terminal,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

interface AdminCommand<Name extends OperationName, Known extends Options>
  extends Omit<CliCommand<Known>, "name" | "options" | "run"> {
  name: Name;
  options?: Known;
  /** The arguments of the request where they are others than those of the command. Throws CommandError. */
  input?(request: object, args: ArgumentsOf<Known>, terminal: Terminal): object | Promise<object>;
  lines(result: ResultOf<Name>, settings: Settings): string[];
  /** True for a result that ends with exit code 1. */
  hasFailed?(result: ResultOf<Name>): boolean;
}

/** A command that the running gateway executes; if none is running, this process does on the data folder. */
export function adminCommand<Name extends OperationName, Known extends Options = Record<never, never>>({
  input,
  lines,
  hasFailed,
  options,
  ...spec
}: AdminCommand<Name, Known>): CliCommand {
  return {
    ...spec,
    options: { ...options, config: configOption, json: jsonOption },
    async run(
      args: ArgumentsOf<Known> &
        Arguments<{ config: string | undefined; json: boolean; "data-dir"?: string }>,
      terminal,
    ) {
      const typed = requestOf(args, spec.operands ?? []);
      const given = (await input?.(typed, args, terminal)) ?? typed;
      const configuration = loadConfiguration(args, terminal);
      const dataDir = args.options["data-dir"];
      const settings = { ...configuration.settings, ...(dataDir !== undefined && { data_dir: dataDir }) };
      const request = { command: spec.name, arguments: given };
      const result = await resultOfRequest(settings, request, terminal);
      await printResult(args, terminal, result, () => lines(result, settings));
      return hasFailed?.(result) === true ? EXIT.failed : EXIT.done;
    },
  };
}

/** Options that are not part of the request. */
const LOCAL = new Set(["config", "json", "data-dir", "password-stdin"]);

/** The arguments of a command by the names of the request: `EMAIL` is `email`, `--remove-totp` is `remove_totp`. */
function requestOf({ options, positionals }: Arguments, operands: readonly string[]): object {
  const given = Object.entries(options).filter(
    ([name, value]) => !LOCAL.has(name) && value !== undefined && value !== false,
  );
  return Object.fromEntries([
    ...operands.map((name, index) => [name.toLowerCase(), positionals[index]]),
    ...given.map(([name, value]) => [name.replaceAll("-", "_"), value]),
  ]);
}

/** The password from standard input without a line end. Throws CommandError if there is none. */
export async function passwordFromInput(terminal: Terminal): Promise<string> {
  const password = (await terminal.input?.())?.replace(/\r?\n$/, "") ?? "";
  if (password === "") throw usageError("Standard input contains no password.");
  return password;
}

/** `--site ID`. */
export const siteOption = valueOption("ID", "Site (plant).");
/** `--label L`. */
export const labelOption = valueOption("L", "Description, at most 80 characters.");

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
