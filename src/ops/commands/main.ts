import { CommanderError } from "commander";
import type { Servers } from "../servers.js";
import { type CliCommand, CommandError, EXIT, type Terminal } from "./command.js";
import { createProgram } from "./parser.js";

/** Runs the arguments after `hourgate` and returns the exit code: 0 done, 1 failed, 2 invalid arguments. */
export async function main(typed: readonly string[], terminal: Terminal, servers: Servers): Promise<number> {
  const [first = "", ...rest] = typed;
  const isHelp = ["--help", "-h", "help"].includes(first);
  let code: number = EXIT.done;
  const program = createProgram(await commandsFor(first), terminal, async (work) => {
    code = await work(terminal, servers);
  });
  try {
    await program.parseAsync(isHelp ? [...rest, "--help"] : typed, { from: "user" });
    return code;
  } catch (error) {
    // The help of a command, and the version.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof CommandError)) throw error;
    terminal.error(error.message);
    return error.exitCode;
  }
}

/** The gateway is loaded without the other commands: its ports open sooner. */
async function commandsFor(name: string): Promise<readonly CliCommand[]> {
  if (name === "serve") return [(await import("./serve.js")).serveCommand];
  return (await import("./catalogue.js")).commands;
}
