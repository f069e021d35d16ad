import type { Language } from "../language.js";
import { parseTime } from "../time/zone.js";
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

/** `--from` and `--to`. */
export const periodOptions: Record<"from" | "to", Option> = {
  from: {
    type: "string",
    value: "TIME",
    help: "Start: a date or an ISO 8601 time; default: as early as possible.",
  },
  to: { type: "string", value: "TIME", help: "End (exclusive); default: as late as possible." },
};

/** Start and end; times without an offset are local in `zone`. An error sentence for an invalid time or order. */
export function readPeriod(args: Arguments, zone: string): { from?: Date; to?: Date } | string {
  const period: { from?: Date; to?: Date } = {};
  for (const name of ["from", "to"] as const) {
    const text = textOption(args, name);
    if (text === undefined) continue;
    const at = parseTime(text, zone);
    if (at === undefined)
      return `--${name} must be a date such as 2026-01-15 or an ISO 8601 time, not "${text}".`;
    period[name] = at;
  }
  if (period.from !== undefined && period.to !== undefined && period.to <= period.from)
    return "--to must be after --from.";
  return period;
}
