import type { CliCommand, Option } from "./command.js";

/** Help of the program as a whole. */
export function overview(commands: readonly CliCommand[]): string {
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
export function commandHelp(command: CliCommand): string {
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
