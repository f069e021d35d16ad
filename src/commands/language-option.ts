import type { Language } from "../language.js";
import { type Arguments, type Option, type Terminal, textOption } from "./command.js";

/** `--lang de|en`. */
export const languageOption: Option = {
  type: "string",
  value: "de|en",
  help: "Language of the output; default: German if LC_ALL, LC_MESSAGES or LANG begin with de, else English.",
};

/**
 * The language of `--lang`, else of the environment. JSON is in English unless `--lang` is given. Undefined, with a
 * message on standard error, if there is no such language.
 */
export function languageOf(args: Arguments, terminal: Terminal): Language | undefined {
  const chosen = textOption(args, "lang");
  if (chosen === "de" || chosen === "en") return chosen;
  if (chosen !== undefined) {
    terminal.error(`--lang must be de or en, not "${chosen}".`);
    return undefined;
  }
  if (args.options.json === true) return "en";
  const { LC_ALL, LC_MESSAGES, LANG } = terminal.environment;
  return /^de(?:$|[_.@-])/.test(LC_ALL || LC_MESSAGES || LANG || "") ? "de" : "en";
}
