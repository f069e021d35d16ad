import { DateTime, IANAZone } from "luxon";
import type { Interval } from "../domain/interval.js";

/** Local time. All other code works on instants and half-open UTC intervals. */

export const VIENNA = "Europe/Vienna";

/** Date and time of day of a zone at an instant. */
export interface LocalTime {
  /** Calendar day, `YYYY-MM-DD`. */
  date: string;
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  /** 1 = Monday to 7 = Sunday. */
  weekday: number;
  hour: number;
  minute: number;
}

const QUARTER_HOURS_OF_DAY = 96;
/** Quarter-hours of a UTC day at which its offset is sampled: no zone changes twice within a quarter of a day. */
const PROBES = [0, 24, 48, 72, 96];

/** A zone with a cache of its UTC offsets: by UTC day, and by quarter-hour on the few days with two offsets. */
class Zone {
  readonly #zone: IANAZone;
  /** Undefined for a day with more than one offset. */
  readonly #byDay = new Map<number, number | undefined>();
  /** Offsets only ever change on a quarter-hour. */
  readonly #byQuarter = new Map<number, number>();
  readonly #texts = new Map<number, string>();
  readonly #startMsByDate = new Map<string, number>();

  constructor(name: string) {
    this.#zone = IANAZone.create(nameForLuxon(name));
  }

  /** First instant of a calendar day, cached: finding it takes luxon ten microseconds. */
  startOfDayMs(date: string): number {
    let startMs = this.#startMsByDate.get(date);
    if (startMs === undefined) {
      startMs = this.#findStartOfDay(date);
      if (this.#startMsByDate.size > 4_000) this.#startMsByDate.clear();
      this.#startMsByDate.set(date, startMs);
    }
    return startMs;
  }

  #findStartOfDay(date: string): number {
    let at = DateTime.fromISO(date, { zone: this.#zone }).startOf("day").toMillis();
    // Where clocks go back across midnight (Havana, Azores) luxon returns the second midnight; the day begins at the first.
    while (this.#dateAt(at - 900_000) === date) at -= 900_000;
    return at;
  }

  #dateAt(atMs: number): string {
    return new Date(atMs + this.offsetMinutes(atMs) * 60_000).toISOString().slice(0, 10);
  }

  offsetMinutes(atMs: number): number {
    const quarter = Math.floor(atMs / 900_000);
    const day = Math.floor(quarter / QUARTER_HOURS_OF_DAY);
    return this.#ofDay(day) ?? this.#ofQuarter(quarter);
  }

  /** Texts of quarter-hours are cached: most documents contain the same ones. */
  iso(atMs: number): string {
    if (atMs % 900_000 !== 0) return this.#write(atMs);
    let text = this.#texts.get(atMs);
    if (text === undefined) {
      text = this.#write(atMs);
      if (this.#texts.size > 4_000) this.#texts.clear();
      this.#texts.set(atMs, text);
    }
    return text;
  }

  #write(atMs: number): string {
    const offset = this.offsetMinutes(atMs);
    const minutes = Math.abs(offset);
    const pad = (value: number) => String(value).padStart(2, "0");
    const local = new Date(atMs + offset * 60_000).toISOString().slice(0, 19);
    return `${local}${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  }

  #ofDay(day: number): number | undefined {
    const known = this.#byDay.get(day);
    if (known !== undefined || this.#byDay.has(day)) return known;
    const [first, ...others] = PROBES.map((quarter) => this.#lookUp(day * QUARTER_HOURS_OF_DAY + quarter));
    const offset = others.every((other) => other === first) ? first : undefined;
    // Bounds the cache of a gateway that runs for years.
    if (this.#byDay.size > 20_000) this.#byDay.clear();
    this.#byDay.set(day, offset);
    return offset;
  }

  #ofQuarter(quarter: number): number {
    let offset = this.#byQuarter.get(quarter);
    if (offset === undefined) {
      offset = this.#lookUp(quarter);
      if (this.#byQuarter.size > 20_000) this.#byQuarter.clear();
      this.#byQuarter.set(quarter, offset);
    }
    return offset;
  }

  #lookUp(quarter: number): number {
    // Before there were time zones, offsets had seconds, which ISO 8601 cannot express.
    return Math.round(this.#zone.offset(quarter * 900_000));
  }
}

const zones = new Map<string, Zone>();
/** Intl also accepts fixed offsets ("+01:00"), which are not IANA names and have no daylight-saving rules. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;
/** Names that Intl has confirmed, in lower case; there are about 600. */
const validNames = new Set<string>();

/**
 * One spelling per name: luxon caches about 100 kB for each spelling, and callers could pass an unbounded number of them.
 */
function nameForLuxon(zone: string): string {
  return zone.toLowerCase();
}

function zoneOf(name: string): Zone {
  let zone = zones.get(name);
  if (zone === undefined) {
    if (!isZone(name)) throw unknownZone(name);
    zone = new Zone(name);
    // Bounds the cache: callers may pass names in any letter case.
    if (zones.size >= 50) zones.clear();
    zones.set(name, zone);
  }
  return zone;
}

function unknownZone(name: string): RangeError {
  return new RangeError(`"${name}" is not a time zone; use an IANA name such as Europe/Vienna.`);
}

/** True for an IANA zone name that this system knows, such as `Europe/Vienna` or `UTC`. */
export function isZone(name: string): boolean {
  // Intl is slow compared with the rest of a small request.
  if (zones.has(name)) return true;
  if (typeof name !== "string" || !NAME.test(name)) return false;
  const plain = nameForLuxon(name);
  if (validNames.has(plain)) return true;
  const isValid = IANAZone.isValidZone(plain);
  if (isValid) validNames.add(plain);
  return isValid;
}

/** Offset of local time from UTC at an instant (ms since the epoch), minutes. Throws RangeError for an unknown zone. */
export function offsetMinutes(atMs: number, zone: string): number {
  return zoneOf(zone).offsetMinutes(atMs);
}

/** Local date and time of day at an instant. Throws RangeError for an unknown zone. */
export function localTime(at: Date, zone: string): LocalTime {
  const shifted = new Date(at.getTime() + zoneOf(zone).offsetMinutes(at.getTime()) * 60_000);
  return {
    date: dateText(shifted.getTime()),
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    weekday: shifted.getUTCDay() || 7,
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
  };
}

/** The calendar day `YYYY-MM-DD` that contains the instant. */
export function localDate(at: Date, zone: string): string {
  const atMs = at.getTime();
  return dateText(atMs + zoneOf(zone).offsetMinutes(atMs) * 60_000);
}

/** Texts of days since the epoch: plans ask for the same week again and again, and formatting a date is slow. */
const dateTexts = new Map<number, string>();

function dateText(shiftedMs: number): string {
  const day = Math.floor(shiftedMs / 86_400_000);
  let text = dateTexts.get(day);
  if (text === undefined) {
    text = new Date(shiftedMs).toISOString().slice(0, 10);
    if (dateTexts.size >= 5000) dateTexts.clear();
    dateTexts.set(day, text);
  }
  return text;
}

/** The month `months` after `month` (`YYYY-MM`); negative goes back. */
export function monthAfter(month: string, months = 1): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}

/** The first and the last day of a month (`YYYY-MM`). */
export function daysOfMonth(month: string): [first: string, last: string] {
  return [`${month}-01`, addDays(`${monthAfter(month)}-01`, -1)];
}

/** The months from one back to an earlier one, latest first, at most `most`; always the one that it begins with. */
export function monthsBack(last: string, first: string, most: number): string[] {
  const months = [last];
  for (
    let month = monthAfter(last, -1);
    month >= first && months.length < most;
    month = monthAfter(month, -1)
  )
    months.push(month);
  return months;
}

/** ISO 8601 with offset, to the second: `2026-01-15T03:00:00+01:00`. UTC is written `+00:00`. */
export function formatIso(at: Date, zone: string): string {
  return zoneOf(zone).iso(at.getTime());
}

/** The calendar day `days` after `date` (`YYYY-MM-DD`); negative goes back. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The calendar day as an interval: 23, 24 or 25 hours long. */
export function dayInterval(date: string, zone: string): Interval {
  return { start: startOfDay(date, zone), end: startOfDay(addDays(date, 1), zone) };
}

/** The calendar day that contains the instant, as an interval. */
export function dayOf(at: Date, zone: string): Interval {
  return dayInterval(localDate(at, zone), zone);
}

function startOfDay(date: string, zone: string): Date {
  return new Date(zoneOf(zone).startOfDayMs(date));
}

/** The local month that contains the instant. */
export function monthOf(at: Date, zone: string): Interval {
  return monthInterval(localDate(at, zone).slice(0, 7), zone);
}

/** A local month, such as `2026-07`. */
export function monthInterval(month: string, zone: string): Interval {
  return { start: startOfDay(`${month}-01`, zone), end: startOfDay(`${monthAfter(month)}-01`, zone) };
}

/**
 * The first instant at which the wall clock of the zone shows `date` and `hour`:`minute`. A missing time (spring) gives the
 * instant of the jump, a doubled one (autumn) its first occurrence.
 */
export function instantOf(date: string, hour: number, zone: string, minute = 0): Date {
  const { start, end } = dayInterval(date, zone);
  const wanted = hour * 60 + minute;
  // No clock jumps by more than two hours within a day.
  const first = start.getTime() + Math.max(0, Math.floor(wanted / 15) - 8) * 900_000;
  for (let at = first; at < end.getTime(); at += 900_000) {
    // Within a quarter-hour the wall clock does not jump.
    const local = localTime(new Date(at), zone);
    const missing = wanted - (local.hour * 60 + local.minute);
    if (missing < 15) return new Date(at + Math.max(0, missing) * 60_000);
  }
  return end;
}

/** An offset at the end of the time of day. */
const OFFSET = /(?:[Zz]|[+-]\d{2}(?::?\d{2})?)$/;
const TIME =
  /^(?!0000|9999)\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/;
/** Date and time of day, then an offset after a space, with or without its sign. */
const SPACED_OFFSET =
  /^(.{10}[Tt ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?) {1,2}([Zz]|[+-]?)(\d{2}(?::?\d{2})?)?$/;

/**
 * Parses an ISO 8601 time. Without an offset it is local time in `zone`; a bare date is its local midnight. Of a doubled
 * local time (autumn) the first occurrence counts; with `now`, the last one that is not after it. A `+` that an
 * unescaped query string turned into a space is restored. Returns undefined for an invalid time.
 */
export function parseTime(text: string, zone: string, now?: Date): Date | undefined {
  const repaired = text
    .trim()
    .replace(
      SPACED_OFFSET,
      (_, time: string, sign: string, offset: string | undefined) =>
        `${time}${sign === "" && offset !== undefined ? "+" : sign}${offset ?? ""}`,
    );
  if (!TIME.test(repaired)) return undefined;
  if (!isZone(zone)) throw unknownZone(zone);
  const parsed = DateTime.fromISO(repaired.replace(" ", "T").toUpperCase(), { zone: nameForLuxon(zone) });
  if (!parsed.isValid) return undefined;
  if (OFFSET.test(repaired.slice(DATE_LENGTH))) return parsed.toJSDate();
  const { first, last } = occurrences(parsed.toMillis(), zone);
  return new Date(now !== undefined && last <= now.getTime() ? last : first);
}

const DATE_LENGTH = 10;
/** Longer than clocks are ever set back. */
const SET_BACK_MS = 3 * 3_600_000;

/** Whether the wall clock shows the local time of an instant twice (autumn). */
export function isDoubled(at: Date, zone: string): boolean {
  const { first, last } = occurrences(at.getTime(), zone);
  return first !== last;
}

/** The first and the last instant with the same local time: they differ while clocks are set back. */
function occurrences(atMs: number, name: string): { first: number; last: number } {
  const zone = zoneOf(name);
  const offset = zone.offsetMinutes(atMs);
  const withOffsetOf = (otherMs: number) => {
    const other = zone.offsetMinutes(otherMs);
    const sameTimeMs = atMs + (offset - other) * 60_000;
    return zone.offsetMinutes(sameTimeMs) === other ? sameTimeMs : atMs;
  };
  return {
    first: Math.min(atMs, withOffsetOf(atMs - SET_BACK_MS)),
    last: Math.max(atMs, withOffsetOf(atMs + SET_BACK_MS)),
  };
}
