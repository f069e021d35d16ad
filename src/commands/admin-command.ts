import type { Settings } from "../config/settings.js";
import { administrate } from "./administration.js";
import {
  type Arguments,
  type CliCommand,
  configOption,
  EXIT,
  jsonOption,
  type Option,
  type Terminal,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

/** What a command of administration is made of. */
interface AdminCommand<Result extends object> {
  name: string;
  summary: string;
  /** What stands behind the name, without `--config` and `--json`. */
  usage?: string;
  options?: Readonly<Record<string, Option>>;
  /** The arguments that must be given, as help names them. */
  positionals?: readonly string[];
  /** The arguments of the request, or a sentence that says what is wrong with what was typed. */
  input?(args: Arguments, terminal: Terminal): object | string | Promise<object | string>;
  /** The result as people read it, a line each. */
  lines(result: Result, settings: Settings): string[];
  /** True for a result that is a failure all the same. */
  hasFailed?(result: Result): boolean;
}

/** A command that the running gateway does, or, where none runs, this process on the data folder. */
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
        terminal.error(`${missing.join(" and ")} must be given: hourgate ${usage}.`);
        return EXIT.usage;
      }
      const input = (await spec.input?.(args, terminal)) ?? {};
      if (typeof input === "string") {
        terminal.error(input);
        return EXIT.usage;
      }
      const configuration = loadConfiguration(args, terminal);
      if (configuration === undefined) return EXIT.failed;
      const { settings } = configuration;
      const request = { command: spec.name, arguments: input };
      const response = await administrate(settings, request, terminal).catch((error: Error) => ({
        ok: false as const,
        error: error.message,
      }));
      if (!response.ok) {
        terminal.error(response.error);
        return EXIT.failed;
      }
      // The gateway's answer is ours: same program, same operations.
      const result = response.result as Result;
      if (args.options.json === true) await terminal.out(JSON.stringify(result));
      else for (const line of spec.lines(result, settings)) await terminal.out(line);
      return spec.hasFailed?.(result) === true ? EXIT.failed : EXIT.done;
    },
  };
}

/** The password on standard input, without the line end of a terminal or `echo`; empty if there is none. */
export async function passwordFromInput(terminal: Terminal): Promise<string> {
  return (await terminal.input?.())?.replace(/\r?\n$/, "") ?? "";
}

/** `--site ID`. */
export const siteOption: Option = { type: "string", value: "ID", help: "Site (plant) that it is for." };
/** `--label L`. */
export const labelOption: Option = {
  type: "string",
  value: "L",
  help: "What people know it by, at most 80 characters.",
};

/** The texts of options that were given, under their own names; a sentence where a required one is missing. */
export function textInput(
  { options }: Arguments,
  required: readonly string[],
  optional: readonly string[] = [],
): Record<string, string> | string {
  const missing = required.filter((name) => typeof options[name] !== "string");
  if (missing.length > 0) return `${missing.map((name) => `--${name}`).join(" and ")} must be given.`;
  return Object.fromEntries(
    [...required, ...optional].flatMap((name) => {
      const value = options[name];
      return typeof value === "string" ? [[name, value] as const] : [];
    }),
  );
}

/** Rows as columns of equal width, under their titles. */
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
