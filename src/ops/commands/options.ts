import type { Language } from "../../core/language.js";
import { parseTime } from "../../core/time/zone.js";
import {
  type Arguments,
  type Option,
  type Terminal,
  textOption,
  usageError,
  valueOption,
} from "./command.js";

/** `--lang de|en`. */
export const languageOption: Option = valueOption(
  "de|en",
  "Language of the output; default: German if LC_ALL, LC_MESSAGES or LANG begin with de, else English.",
);

/**
 * The language of `--lang`, else of the environment. JSON is in English unless `--lang` is given. Throws CommandError if
 * there is no such language.
 */
export function languageOf(args: Arguments, terminal: Terminal): Language {
  const chosen = textOption(args, "lang");
  if (chosen === "de" || chosen === "en") return chosen;
  if (chosen !== undefined) throw usageError(`--lang must be de or en, not "${chosen}".`);
  if (args.options.json === true) return "en";
  const { LC_ALL, LC_MESSAGES, LANG } = terminal.environment;
  return /^de(?:$|[_.@-])/.test(LC_ALL || LC_MESSAGES || LANG || "") ? "de" : "en";
}

/** `--from` and `--to`. */
export const periodOptions: Record<"from" | "to", Option> = {
  from: valueOption("TIME", "Start: a date or an ISO 8601 time; default: as early as possible."),
  to: valueOption("TIME", "End (exclusive); default: as late as possible."),
};

/** Start and end; times without an offset are local in `zone`. Throws CommandError for an invalid time or order. */
export function readPeriod(args: Arguments, zone: string): { from?: Date; to?: Date } {
  const period: { from?: Date; to?: Date } = {};
  for (const name of ["from", "to"] as const) {
    const text = textOption(args, name);
    if (text === undefined) continue;
    const at = parseTime(text, zone);
    if (at === undefined)
      throw usageError(`--${name} must be a date such as 2026-01-15 or an ISO 8601 time, not "${text}".`);
    period[name] = at;
  }
  if (period.from !== undefined && period.to !== undefined && period.to <= period.from)
    throw usageError("--to must be after --from.");
  return period;
}
