import { parseArgs } from "node:util";
import { didYouMean } from "../../config/kit/suggest.js";
import { errorMessage } from "../../core/error-message.js";
import { VERSION } from "../../core/version.js";
import type { Servers } from "../servers.js";
import { commands } from "./catalogue.js";
import {
  type Arguments,
  type CliCommand,
  CommandError,
  EXIT,
  type Option,
  type Terminal,
} from "./command.js";

/** Runs the arguments after `hourgate` and returns the exit code: 0 done, 1 failed, 2 invalid arguments. */
export async function main(typed: readonly string[], terminal: Terminal, servers: Servers): Promise<number> {
  const [first, ...rest] = typed;
  if (first === undefined) {
    terminal.error(overview(commands));
    return EXIT.usage;
  }
  if (first === "--version" || first === "-v") {
    terminal.out(VERSION);
    return EXIT.done;
  }
  const isHelp = first === "--help" || first === "-h" || first === "help";
  const words = isHelp ? rest : typed;
  if (words.length === 0) {
    terminal.out(overview(commands));
    return EXIT.done;
  }
  const command = findCommand(words);
  if (typeof command === "string") {
    terminal.error(`${command} See hourgate --help.`);
    return EXIT.usage;
  }
  if (isHelp) {
    terminal.out(commandHelp(command));
    return EXIT.done;
  }
  const args = readArguments(command, typed.slice(command.name.split(" ").length));
  if (typeof args === "string") {
    terminal.error(`${args} See hourgate ${command.name} --help.`);
    return EXIT.usage;
  }
  if (args.options.help === true) {
    terminal.out(commandHelp(command));
    return EXIT.done;
  }
  try {
    return await command.run(args, terminal, servers);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.error(error.message);
    return error.exitCode;
  }
}

/** The command that the words begin with (`check`, `import prices`), or an error sentence. */
function findCommand(words: readonly string[]): CliCommand | string {
  const [first = "", second = ""] = words;
  const one = commands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (one !== undefined) return one;
  if (first.startsWith("-"))
    return `"${first}" is not an option of hourgate.${didYouMean(first, ["--help", "--version"])}`;
  const names = commands.map(({ name }) => name);
  const continued = names.filter((name) => name.startsWith(`${first} `));
  if (continued.length > 0)
    return `"${first}" must be followed by ${continued.map((name) => name.slice(first.length + 1)).join(" or ")}.`;
  const meant = didYouMean(`${first} ${second}`, names) || didYouMean(first, names);
  return `"${first}" is not a command of hourgate.${meant}`;
}

/** The options and arguments of a command, or an error sentence. */
function readArguments(command: CliCommand, typed: readonly string[]): Arguments | string {
  const options = {
    ...Object.fromEntries(
      Object.entries(command.options).map(([name, { help: _help, value: _value, ...config }]) => [
        name,
        config,
      ]),
    ),
    help: { type: "boolean" as const, short: "h" },
  };
  const { tokens } = parseArgs({
    args: [...typed],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const known = Object.keys(options);
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!known.includes(token.name))
      return `"${token.rawName}" is not an option of hourgate ${command.name}.${didYouMean(
        token.rawName,
        known.map((name) => `--${name}`),
      )}`;
    const takesValue = command.options[token.name]?.type === "string";
    if (takesValue && (token.value === undefined || token.value === ""))
      return `${token.rawName} needs a value, such as ${token.rawName} ${command.options[token.name]?.value ?? "TEXT"}.`;
    if (!takesValue && token.value !== undefined) return `${token.rawName} takes no value.`;
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...typed],
      options,
      strict: true,
      allowPositionals: true,
    });
    const most = command.positionals ?? 0;
    if (positionals.length > most)
      return `"${positionals[most]}" is one argument too many; hourgate ${command.name} accepts ${most === 0 ? "no" : `at most ${most}`} positional arguments.`;
    return { options: values, positionals };
  } catch (error) {
    return errorMessage(error);
  }
}

/** Help of the program as a whole. */
function overview(commands: readonly CliCommand[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    "hourgate - energy gateway for homes on hourly electricity prices",
    "",
    "Usage: hourgate COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "Options:",
    "  -h, --help     Print help; after a command, the help of that command.",
    "  -v, --version  Print the version.",
  ].join("\n");
}

/** Help of one command. */
function commandHelp(command: CliCommand): string {
  const names = Object.entries(command.options).map(
    ([name, option]) => [optionText(name, option), option.help] as const,
  );
  const all = [...names, ["-h, --help", "Print this help."] as const];
  const width = Math.max(...all.map(([name]) => name.length));
  return [
    command.summary,
    "",
    `Usage: hourgate ${command.name} ${command.usage}`.trimEnd(),
    "",
    "Options:",
    ...all.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`),
  ].join("\n");
}

function optionText(name: string, option: Option): string {
  const long = `--${name}${option.value === undefined ? "" : ` ${option.value}`}`;
  return option.short === undefined ? `    ${long}` : `-${option.short}, ${long}`;
}
