import { createHash } from "node:crypto";
import ICAL from "ical.js";
import { DAY_MS } from "../../core/domain/interval.js";
import { oneLine } from "../../core/one-line.js";
import { isZone, parseTime } from "../../core/time/zone.js";
import type { PresenceKind, PresencePeriod } from "../../forecast/load/presence.js";

/** How the events of a calendar are understood. */
export interface CalendarRules {
  /** An event with one of these words in its title is an absence; none: every event is. */
  words: readonly string[];
  /** Zone of whole days, and of times without one. */
  zone: string;
  /** Events that end before or begin after are left out. */
  fromMs: number;
  untilMs: number;
}

/** An event that says that nobody is at home, or that there are guests. */
export interface CalendarPeriod extends PresencePeriod {
  /** The same for the same occurrence of an event at each reading. */
  id: string;
  title: string;
  untilMs: number;
}

/** Titles with these words mean guests, in every calendar. */
const GUEST_WORDS = ["Gäste", "Besuch", "guests", "visitors"];
/** More periods than a year has use for. */
const MOST_PERIODS = 500;
const MOST_OCCURRENCES = 20_000;
const TITLE_LENGTH = 100;

/**
 * The absences and guests of a calendar in the format of RFC 5545 (.ics), in order of time: with time zones, whole days, series
 * and their exceptions. Throws an Error for text that is no calendar.
 */
export function calendarPeriods(text: string, rules: CalendarRules): CalendarPeriod[] {
  const parsed = parsedCalendar(text.replace(/^\uFEFF/, "").trim());
  const calendars = (Array.isArray(parsed[0]) ? parsed : [parsed]) as unknown[][];
  const periods = calendars.flatMap((calendar) => {
    const component = new ICAL.Component(calendar);
    if (component.name !== "vcalendar") throw new Error("It has no VCALENDAR.");
    return eventsOf(component).flatMap((event) => readPeriods(event, rules));
  });
  return periods.sort((a, b) => a.fromMs - b.fromMs).slice(0, MOST_PERIODS);
}

/** The calendar without the events that cannot be read: calendars are old, and one of them must not hide all others. */
function parsedCalendar(text: string): unknown[] {
  try {
    return ICAL.parse(text);
  } catch {
    const isRead = (event: string) => {
      try {
        return ICAL.parse(event).length > 0;
      } catch {
        return false;
      }
    };
    return ICAL.parse(
      text.replace(/^BEGIN:VEVENT\r?$.*?^END:VEVENT\r?$/gims, (event) => (isRead(event) ? event : "")),
    );
  }
}

/** Events with their exceptions; an exception without its event stands alone. */
function eventsOf(calendar: ICAL.Component): ICAL.Event[] {
  const components = calendar.getAllSubcomponents("vevent");
  const isException = (one: ICAL.Component) => one.hasProperty("recurrence-id");
  const uidOf = (one: ICAL.Component) => String(one.getFirstPropertyValue("uid") ?? "");
  const exceptions = new Map<string, ICAL.Component[]>();
  for (const one of components.filter(isException))
    exceptions.set(uidOf(one), [...(exceptions.get(uidOf(one)) ?? []), one]);
  const events = components
    .filter((one) => !isException(one))
    .map((one) => {
      const own = exceptions.get(uidOf(one)) ?? [];
      exceptions.delete(uidOf(one));
      return new ICAL.Event(one, { strictExceptions: false, exceptions: own });
    });
  return [...events, ...[...exceptions.values()].flat().map((one) => new ICAL.Event(one))];
}

/** The periods of an event; none where its series cannot be computed. */
function readPeriods(event: ICAL.Event, rules: CalendarRules): CalendarPeriod[] {
  try {
    return periodsOf(event, rules);
  } catch {
    return [];
  }
}

function periodsOf(event: ICAL.Event, rules: CalendarRules): CalendarPeriod[] {
  if (event.component.getFirstProperty("dtstart") === null) return [];
  if (!event.isRecurring()) return periodOf(event, event.startDate, event.endDate, rules);
  const periods: CalendarPeriod[] = [];
  // Most series are about something else.
  const items = [event, ...Object.values(event.exceptions)];
  if (items.every((item) => kindOf(titleOf(item), rules.words) === undefined)) return periods;
  const lastMs =
    items.reduce((most, { duration }) => Math.max(most, 1000 * duration.toSeconds()), 0) + 2 * DAY_MS;
  const iterator = event.iterator();
  for (let count = 0; count < MOST_OCCURRENCES && periods.length < MOST_PERIODS; count++) {
    const next: ICAL.Time | null | undefined = iterator.next();
    // Details and zones of all that is past would take seconds.
    if (next != null && Date.UTC(next.year, next.month - 1, next.day) + lastMs < rules.fromMs) continue;
    if (next == null || instantOf(next, event, rules.zone) > rules.untilMs) break;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    periods.push(...periodOf(item, startDate, endDate, rules));
  }
  return periods;
}

/** The period of an occurrence, or none. */
function periodOf(
  event: ICAL.Event,
  start: ICAL.Time,
  end: ICAL.Time,
  rules: CalendarRules,
): CalendarPeriod[] {
  const title = titleOf(event);
  const kind = kindOf(title, rules.words);
  const isCancelled = event.component.getFirstPropertyValue("status") === "CANCELLED";
  if (kind === undefined || isCancelled) return [];
  const fromMs = instantOf(start, event, rules.zone);
  const untilMs = instantOf(end, event, rules.zone);
  if (!(untilMs > fromMs && untilMs > rules.fromMs && fromMs < rules.untilMs)) return [];
  const id = `c${createHash("sha256").update(`${event.uid} ${fromMs}`).digest("hex").slice(0, 12)}`;
  return [{ id, kind, title: title.slice(0, TITLE_LENGTH), fromMs, untilMs }];
}

function titleOf(event: ICAL.Event): string {
  return oneLine(String(event.summary ?? "")).trim();
}

function kindOf(title: string, words: readonly string[]): PresenceKind | undefined {
  if (hasWord(title, GUEST_WORDS)) return "guests";
  return words.length === 0 || hasWord(title, words) ? "away" : undefined;
}

/** Whether one of the words is in a text as a whole word, in upper or lower case. */
function hasWord(text: string, words: readonly string[]): boolean {
  const padded = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `;
  return words.some((word) =>
    padded.includes(
      ` ${word
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim()} `,
    ),
  );
}

/** An instant, ms. A zone that is known by its name comes before the description of it in the calendar. */
function instantOf(time: ICAL.Time, event: ICAL.Event, zone: string): number {
  const named = event.component.getFirstProperty("dtstart")?.getFirstParameter("tzid") ?? "";
  if (!time.isDate && !isZone(named) && time.zone?.component != null) return 1000 * time.toUnixTime();
  const own = !time.isDate && isZone(named) ? named : zone;
  return parseTime(time.toString(), own)?.getTime() ?? Number.NaN;
}
