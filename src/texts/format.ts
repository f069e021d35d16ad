import { type Interval, MINUTE_MS } from "../core/domain/interval.js";
import type { Language } from "../core/language.js";
import { addDays, instantOf, isDoubled, localDate } from "../core/time/zone.js";
import { textsOf } from "./index.js";

/** Numbers and times as people of a language write them, in the zone of the plant. */
export interface Format {
  language: Language;
  zone: string;
  /** With a fixed number of decimals; a dash for unknown values. */
  number(value: number | null | undefined, decimals?: number): string;
  /** `13:00`; in autumn's doubled hour with the zone: `02:00 CEST`, `02:00 CET`. */
  time(at: Date): string;
  /** `13:00` as the field of a form takes it. */
  fieldTime(at: Date): string;
  /** `today 13:00–15:30`, `tomorrow …`, `Sun 22 Nov …`. */
  span(interval: Interval, now: Date): string;
  /** A local date `YYYY-MM-DD` as `today`, `tomorrow`, `Sun 22 Nov`. */
  day(date: string, now: Date): string;
  /** `today 13:00`. */
  moment(at: Date, now: Date): string;
  /** The end of something in force: `today 24:00 (5 hours left)`. */
  until(at: Date, now: Date): string;
  /** A local date `YYYY-MM-DD` as `31 Dec 2026`. */
  date(date: string): string;
  /** `July 2026` of `2026-07`. */
  month(month: string): string;
  /** `5 minutes`, `3 hours`, `2 days`. */
  minutes(minutes: number): string;
}

/** A number as text with the minus sign in place of the hyphen that the number formats of both languages write. */
export function withMinus(number: string): string {
  return number.replace("-", "−");
}

const formats = new Map<string, Format>();

/** The format of a language and an IANA zone; making one takes about a millisecond, so each is made once. */
export function formatOf(language: Language, zone: string): Format {
  const key = `${language} ${zone}`;
  const format = formats.get(key) ?? newFormat(language, zone);
  formats.set(key, format);
  return format;
}

function newFormat(language: Language, zone: string): Format {
  const words = textsOf(language).format;
  const { locale } = words;
  const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone } as const;
  const clock = new Intl.DateTimeFormat(locale, parts);
  const zonedClock = new Intl.DateTimeFormat(locale, { ...parts, timeZoneName: "short" });
  const weekday = new Intl.DateTimeFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    timeZone: zone,
  });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const months = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  const numbers = new Map<number, Intl.NumberFormat>();
  const time = (at: Date) => (isDoubled(at, zone) ? zonedClock : clock).format(at);
  const day = (at: Date, now: Date) => {
    const [date, today] = [localDate(at, zone), localDate(now, zone)];
    if (date === today) return words.today;
    return date === addDays(today, 1) ? words.tomorrow : weekday.format(at);
  };
  const moment = (at: Date, now: Date) => `${day(at, now)} ${time(at)}`;
  const minutes = (count: number) => {
    const rounded = (length: number) => Math.max(0, Math.round(count / length));
    if (count < 120) return words.minutes(rounded(1));
    return count < 48 * 60 ? words.hours(rounded(60)) : words.days(rounded(1440));
  };
  return {
    language,
    zone,
    number(value, decimals = 2) {
      if (value === null || value === undefined || !Number.isFinite(value)) return "–";
      let number = numbers.get(decimals);
      if (number === undefined) {
        number = new Intl.NumberFormat(locale, {
          minimumFractionDigits: decimals,
          maximumFractionDigits: decimals,
        });
        numbers.set(decimals, number);
      }
      // Avoids "−0,00".
      return withMinus(number.format(Math.abs(value) < 0.5 * 10 ** -decimals ? 0 : value));
    },
    time,
    fieldTime: (at) => clock.format(at),
    moment,
    day: (date, now) => day(instantOf(date, 12, zone), now),
    date: (date) => days.format(new Date(`${date}T12:00:00Z`)),
    month: (month) => months.format(new Date(`${month}-01T12:00:00Z`)),
    span: ({ start, end }, now) => `${moment(start, now)}–${time(end)}`,
    until(at, now) {
      // Midnight ends the day before.
      const end = time(at) === "00:00" ? `${day(new Date(at.getTime() - 1), now)} 24:00` : moment(at, now);
      return `${end} (${words.left(minutes((at.getTime() - now.getTime()) / MINUTE_MS))})`;
    },
    minutes,
  };
}
