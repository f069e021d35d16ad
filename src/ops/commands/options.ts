import type { Language } from "../../core/language.js";
import { parseTime } from "../../core/time/zone.js";
import {
  type Arguments,
  choiceOption,
  type Option,
  type Terminal,
  usageError,
  valueOption,
} from "./command.js";

/** `--lang de|en`. */
export const languageOption = choiceOption(
  ["de", "en"],
  "Language of the output; default: German if LC_ALL, LC_MESSAGES or LANG begin with de, else English.",
);

/** The language of `--lang`, else of the environment. JSON is in English unless `--lang` is given. */
export function languageOf(
  { options }: Arguments<{ lang: Language | undefined; json: boolean }>,
  terminal: Terminal,
): Language {
  if (options.lang !== undefined) return options.lang;
  if (options.json) return "en";
  const { LC_ALL, LC_MESSAGES, LANG } = terminal.environment;
  return /^de(?:$|[_.@-])/.test(LC_ALL || LC_MESSAGES || LANG || "") ? "de" : "en";
}

/** An option with a time, local in `zone` unless it has an offset; `form` says what it must be. */
export const timeOption = (
  { value, zone, form }: { value: string; zone: string; form: string },
  help: string,
): Option<Date | undefined> => ({
  value,
  help,
  standard: undefined,
  read: (text, flag) => timeOf(text, { zone, flag, form }),
});

function timeOf(text: string, { zone, flag, form }: { zone: string; flag: string; form: string }): Date {
  const at = parseTime(text, zone);
  if (at === undefined) throw usageError(`${flag} must be ${form}, not "${text}".`);
  return at;
}

/** `--from` and `--to`: their zone is that of the plant, see `readPeriod`. */
export const periodOptions = {
  from: valueOption("TIME", "Start: a date or an ISO 8601 time; default: as early as possible."),
  to: valueOption("TIME", "End (exclusive); default: as late as possible."),
};

/** Start and end; times without an offset are local in `zone`. Throws CommandError for an invalid time or order. */
export function readPeriod(
  { options }: Arguments<{ from: string | undefined; to: string | undefined }>,
  zone: string,
): { from?: Date; to?: Date } {
  const form = "a date such as 2026-01-15 or an ISO 8601 time";
  const period: { from?: Date; to?: Date } = {};
  for (const name of ["from", "to"] as const) {
    const text = options[name];
    if (text !== undefined) period[name] = timeOf(text, { zone, flag: `--${name}`, form });
  }
  if (period.from !== undefined && period.to !== undefined && period.to <= period.from)
    throw usageError("--to must be after --from.");
  return period;
}
