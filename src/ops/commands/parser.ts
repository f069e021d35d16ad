import { Argument, Command, Option as CommanderOption, type ErrorOptions } from "commander";
import { didYouMean } from "../../config/kit/suggest.js";
import { VERSION } from "../../core/version.js";
import type { Servers } from "../servers.js";
import { type CliCommand, EXIT, type Option, type Terminal, usageError } from "./command.js";

/** What a command does; its exit code. */
type Work = (terminal: Terminal, servers: Servers) => Promise<number>;

/** A command of the library that refuses wrong use with the sentences of hourgate. */
class Parser extends Command {
  override createCommand(name?: string): Command {
    return new Parser(name);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    const name = `hourgate ${nameOf(this)}`;
    const most = this.registeredArguments.length;
    const see = `See ${name} --help.`;
    if (code === "commander.excessArguments")
      throw usageError(
        `"${this.args[most]}" is one argument too many; ${name} accepts ${most === 0 ? "no" : `at most ${most}`} positional arguments. ${see}`,
      );
    if (code !== "commander.unknownOption") throw usageError(`${message} ${see}`);
    const [flag = ""] = this.args.find((arg) => arg.startsWith("-"))?.split("=") ?? [];
    const known = [...this.options.map(({ long }) => long ?? ""), "--help"];
    if (known.includes(flag)) throw usageError(`${flag} takes no value. ${see}`);
    throw usageError(`"${flag}" is not an option of ${name}.${didYouMean(flag, known)} ${see}`);
  }
}

/** All commands in a parser; the one that is named hands its work to `run`. */
export function createProgram(
  commands: readonly CliCommand[],
  terminal: Terminal,
  run: (work: Work) => Promise<void>,
): Command {
  const program = new Parser("hourgate")
    .description("hourgate - energy gateway for homes on hourly electricity prices")
    .usage("COMMAND [OPTIONS]")
    .option("-h, --help", "Print help; after a command, the help of that command.")
    .version(VERSION, "-v, --version", "Print the version.")
    .helpOption(false)
    .helpCommand(false)
    // The options of a command follow its name.
    .enablePositionalOptions()
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()) })
    .configureHelp({
      visibleCommands: (parent) =>
        parent.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : one)),
      subcommandTerm: nameOf,
      optionTerm: (option) => {
        const value = option instanceof KnownOption ? option.spec.value : undefined;
        const flags = `${option.short === undefined ? "   " : `${option.short},`} ${option.long}`;
        return value === undefined ? flags : `${flags} ${value}`;
      },
    });
  program.action(() =>
    run(async () => {
      if (program.args.length > 0)
        throw usageError(`${unknownText(program.args, commands)} See hourgate --help.`);
      const isAsked = program.opts().help === true;
      (isAsked ? terminal.out : terminal.error)(program.helpInformation().trimEnd());
      return isAsked ? EXIT.done : EXIT.usage;
    }),
  );
  for (const spec of commands) addCommand(program, spec, run);
  return program;
}

function addCommand(program: Command, spec: CliCommand, run: (work: Work) => Promise<void>): void {
  const [first = "", second] = spec.name.split(" ");
  const parent = second === undefined ? program : groupOf(program, first);
  const operands = (spec.operands ?? []).filter((operand) => !isOptional(operand));
  const hint = spec.hint === undefined ? "" : ` ${spec.hint}`;
  const options = Object.entries(spec.options).map(([name, option]) => new KnownOption(name, option));
  const command = parent
    .command(second ?? first)
    .description(spec.summary)
    .usage(usageOf(spec))
    .helpOption("-h, --help", "Print this help.")
    .allowExcessArguments(false);
  for (const operand of spec.operands ?? [])
    command.addArgument(new Argument(`[${operand.replace(/[[\]]/g, "").replace("…", "...")}]`));
  for (const option of options) command.addOption(option);
  command.action(() => {
    const missing = operands.slice(command.args.length);
    if (missing.length > 0)
      throw usageError(
        `${missing.join(" and ")} must be given: hourgate ${[spec.name, ...operands].join(" ")}.${hint}`,
      );
    const given = command.opts<Record<string, unknown>>();
    const absent = options.filter((one) => one.spec.isRequired && given[one.attributeName()] === undefined);
    if (absent.length > 0)
      throw usageError(`${absent.map(({ long }) => long).join(" and ")} must be given.${hint}`);
    const values = options.map((one) => [one.key, one.read(given[one.attributeName()], spec.name)]);
    const args = { options: Object.fromEntries(values), positionals: command.args };
    return run((terminal, servers) => spec.run(args, terminal, servers));
  });
}

/** `[TARGET…]`: it may be left out. */
function isOptional(operand: string): boolean {
  return operand.startsWith("[");
}

/** An option of a command as the library knows it. */
class KnownOption extends CommanderOption {
  readonly key: string;
  readonly spec: Option<unknown>;

  constructor(key: string, spec: Option<unknown>) {
    // The value is optional for the library, so that it never takes the next option for one.
    super(
      `${spec.short === undefined ? "" : `-${spec.short}, `}--${key}${spec.value === undefined ? "" : " [value]"}`,
      spec.help,
    );
    this.key = key;
    this.spec = spec;
    if (spec.isRepeatable) this.argParser((text, before: string[] = []) => [...before, text]);
  }

  /** The value of what was given. Throws CommandError. */
  read(given: unknown, command: string): unknown {
    const { value, standard, read } = this.spec;
    if (value === undefined) return given === !this.negate;
    if (given === undefined) return standard;
    if (given === true || given === "")
      throw usageError(
        `${this.long} needs a value, such as ${this.long} ${value}. See hourgate ${command} --help.`,
      );
    return typeof given === "string" && read !== undefined ? read(given, `${this.long}`) : given;
  }
}

/** `account`, of which the commands `account create` and so on are part. */
function groupOf(program: Command, name: string): Command {
  const known = program.commands.find((one) => one.name() === name);
  if (known !== undefined) return known;
  const group = program
    .command(name)
    .usage("COMMAND [OPTIONS]")
    .helpOption("-h, --help", "Print this help.")
    .allowUnknownOption();
  return group.action(() => {
    const following = group.commands.map((one) => one.name()).join(" or ");
    throw usageError(`"${name}" must be followed by ${following}. See hourgate --help.`);
  });
}

/** The full name: `account create`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
}

function usageOf({ operands = [], options }: CliCommand): string {
  const texts = Object.entries(options).map(([name, { value, isRequired, isRepeatable }]) => {
    const text = value === undefined ? `--${name}` : `--${name} ${value}`;
    return isRequired ? text : `[${text}]${isRepeatable ? "…" : ""}`;
  });
  return [...operands, ...texts].join(" ");
}

function unknownText([first = "", second = ""]: readonly string[], commands: readonly CliCommand[]): string {
  if (first.startsWith("-"))
    return `"${first}" is not an option of hourgate.${didYouMean(first, ["--help", "--version"])}`;
  const names = commands.map(({ name }) => name);
  const meant = didYouMean(`${first} ${second}`, names) || didYouMean(first, names);
  return `"${first}" is not a command of hourgate.${meant}`;
}
