import { reachOfHost } from "../../core/net/address.js";
import { isRecord } from "../../core/net/json.js";
import { mayConnect } from "../../core/net/resolve.js";
import type { CalendarPeriod } from "./calendar-periods.js";

/** Words of an absence where the user names none. */
export const USUAL_WORDS: readonly string[] = ["Urlaub", "verreist", "away", "vacation"];

const MOST_WORDS = 20;
const WORD_LENGTH = 50;
const URL_LENGTH = 2000;

/** A calendar that says when nobody is at home. */
export interface CalendarSettings {
  url: string;
  /** An event with one of these words is an absence; none: every event is. */
  words: readonly string[];
}

/** What is kept of a site's calendar. Plain data. */
export interface KeptCalendar extends CalendarSettings {
  /** Of the last answer that could be read. */
  periods: readonly CalendarPeriod[];
  /** When it was read, ms; null: never. */
  readMs: number | null;
  /** Ends, ms, of periods that were taken back before their time, by id. */
  cuts: Readonly<Record<string, number>>;
}

/** A calendar that cannot be used, with its field. */
export class CalendarInputError extends Error {
  readonly field = "calendar_url" as const;
  readonly code: "url_invalid" | "host_not_public" | "words_invalid";

  constructor(code: CalendarInputError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The checked settings of a calendar. Every connection is checked again. Throws CalendarInputError. */
export function calendarSettings(
  typed: string,
  { words, allowPrivateHosts }: { words: readonly string[]; allowPrivateHosts: boolean },
): CalendarSettings {
  // Calendars are often given with their own scheme.
  const text = typed.trim().replace(/^webcals?:\/\//i, "https://");
  if (text.length > URL_LENGTH || !/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text))
    throw new CalendarInputError(
      "url_invalid",
      `Give the whole address of the calendar, such as https://example.com/calendar.ics, of at most ${URL_LENGTH} characters.`,
    );
  const url = new URL(text);
  url.hash = "";
  const reach = reachOfHost(url.hostname);
  if (reach !== undefined && !mayConnect(url, reach, allowPrivateHosts))
    throw new CalendarInputError(
      "host_not_public",
      `The calendar cannot be read from "${url.hostname}": give an https address on the internet.`,
    );
  const own = words.map((word) => word.trim()).filter((word) => word !== "");
  if (own.length > MOST_WORDS || own.some((word) => word.length > WORD_LENGTH || !/[\p{L}\p{N}]/u.test(word)))
    throw new CalendarInputError(
      "words_invalid",
      `Give at most ${MOST_WORDS} words of at most ${WORD_LENGTH} characters.`,
    );
  return { url: url.href, words: own };
}

/** Reads what was stored; undefined for anything else. */
export function calendarFromJson(stored: unknown): KeptCalendar | undefined {
  if (!isRecord(stored)) return undefined;
  const { url, words, periods, readMs, cuts } = stored;
  if (typeof url !== "string" || !Array.isArray(words) || !Array.isArray(periods)) return undefined;
  return {
    url,
    words: words.filter((word) => typeof word === "string"),
    periods: periods.filter(isPeriod),
    readMs: typeof readMs === "number" ? readMs : null,
    cuts: isRecord(cuts) ? Object.fromEntries(Object.entries(cuts).filter(isCut)) : {},
  };
}

function isPeriod(one: unknown): one is CalendarPeriod {
  if (!isRecord(one)) return false;
  const { id, kind, title, fromMs, untilMs } = one;
  return (
    typeof id === "string" &&
    (kind === "away" || kind === "guests") &&
    typeof title === "string" &&
    Number.isFinite(fromMs) &&
    Number.isFinite(untilMs)
  );
}

function isCut(entry: [string, unknown]): entry is [string, number] {
  return typeof entry[1] === "number";
}
