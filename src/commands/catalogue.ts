import { checkCommand } from "./check.js";
import type { Command } from "./command.js";
import { serveCommand } from "./serve.js";

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [serveCommand, checkCommand];
