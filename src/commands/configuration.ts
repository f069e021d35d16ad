import { ConfigError, problemText } from "../config/error.js";
import { type Configuration, load } from "../config/load.js";
import { type Arguments, type Terminal, textOption } from "./command.js";

/** Loads the configuration that a command was called with; says what is wrong and gives undefined when it is. */
export function loadConfiguration(args: Arguments, terminal: Terminal): Configuration | undefined {
  try {
    const configuration = load(textOption(args, "config"), terminal.environment);
    for (const note of configuration.notes) terminal.error(note);
    return configuration;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) terminal.error(problemText(problem));
    return undefined;
  }
}
