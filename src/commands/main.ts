import { parseArgs } from "node:util";
import { didYouMean } from "../config/suggest.js";
import { errorMessage } from "../error-message.js";
import { VERSION } from "../version.js";
import { commands } from "./catalogue.js";
import { type Arguments, type CliCommand, EXIT, type Terminal } from "./command.js";
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
  const words = asksHelp ? rest : typed;
  if (words.length === 0) {
    terminal.out(overview(commands));
    return EXIT.done;
  }
  const command = findCommand(words);
  if (typeof command === "string") {
    terminal.error(`${command} See hourgate --help.`);
    return EXIT.usage;
  }
  if (asksHelp) {
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
  return command.run(args, terminal);
}

/** The command that the words begin with (`check`, `import prices`), or a sentence that says why there is none. */
function findCommand(words: readonly string[]): CliCommand | string {
  const [first = "", second = ""] = words;
  const one = commands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (one !== undefined) return one;
  if (first.startsWith("-"))
    return `"${first}" is no option of hourgate.${didYouMean(first, ["--help", "--version"])}`;
  const names = commands.map(({ name }) => name);
  const continued = names.filter((name) => name.startsWith(`${first} `));
  if (continued.length > 0)
    return `"${first}" needs to be followed by ${continued.map((name) => name.slice(first.length + 1)).join(" or ")}.`;
  const meant = didYouMean(`${first} ${second}`, names) || didYouMean(first, names);
  return `"${first}" is no command of hourgate.${meant}`;
}

/** The options and arguments of a command, or a sentence that says what does not fit. */
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
    return errorMessage(error);
  }
}
