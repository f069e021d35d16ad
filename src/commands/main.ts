import { parseArgs } from "node:util";
import { didYouMean } from "../config/suggest.js";
import { VERSION } from "../version.js";
import { commands } from "./catalogue.js";
import { type Arguments, type Command, EXIT, type Terminal } from "./command.js";
import { commandHelp, overview } from "./help.js";

/** Runs what was typed behind `hourgate` and gives the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function main(typed: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = typed;
  if (first === undefined) {
    terminal.error(overview(commands));
    return EXIT.usage;
  }
  if (first === "--version" || first === "-v") {
    terminal.out(VERSION);
    return EXIT.done;
  }
  const asksHelp = first === "--help" || first === "-h" || first === "help";
  const name = asksHelp ? rest[0] : first;
  if (name === undefined) {
    terminal.out(overview(commands));
    return EXIT.done;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    const what = name.startsWith("-") ? "option" : "command";
    const known = what === "option" ? ["--help", "--version"] : commands.map((candidate) => candidate.name);
    terminal.error(`"${name}" is no ${what} of hourgate.${didYouMean(name, known)} See hourgate --help.`);
    return EXIT.usage;
  }
  if (asksHelp) {
    terminal.out(commandHelp(command));
    return EXIT.done;
  }
  const args = readArguments(command, rest);
  if (typeof args === "string") {
    terminal.error(`${args} See hourgate ${command.name} --help.`);
    return EXIT.usage;
  }
  if (args.options.help === true) {
    terminal.out(commandHelp(command));
    return EXIT.done;
  }
  return command.run(args, terminal);
}

/** The options and arguments of a command, or a sentence that says what does not fit. */
function readArguments(command: Command, typed: readonly string[]): Arguments | string {
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
      return `"${token.rawName}" is no option of hourgate ${command.name}.${didYouMean(
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
      return `"${positionals[most]}" is too much; hourgate ${command.name} takes ${most === 0 ? "no" : `at most ${most}`} further arguments.`;
    return { options: values, positionals };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
