import { isAustrianHoliday } from "../core/time/holidays.js";
import type { LocalTime } from "../core/time/zone.js";
import { type PriceWindow, TariffError } from "./tariff.js";

/** What a window says about when it applies. */
export type WindowTimes = Omit<PriceWindow, "ct_kwh" | "name">;

interface Range {
  first: number;
  last: number;
}

/** Prepares a window: true where it applies. `key` names it in errors. Throws TariffError. */
export function windowMatcher(window: WindowTimes, key: string): (at: LocalTime) => boolean {
  const months = rangeOf(window.months, 1, 12, `${key}.months`);
  const weekdays = rangeOf(window.weekdays, 1, 7, `${key}.weekdays`);
  const { first, last } = clockOf(window, key);
  const { holidays } = window;
  return (at) => {
    if (!includes(months, at.month) || !includes(weekdays, at.weekday)) return false;
    if (holidays !== undefined && isAustrianHoliday(at.date) !== holidays) return false;
    const minute = at.hour * 60 + at.minute;
    if (first % DAY === last % DAY) return true;
    return first < last ? first <= minute && minute < last : minute >= first || minute < last;
  };
}

/** True for a window that applies at all times: the price without discounts by the time of day. */
export function isAlways({ months, weekdays, holidays, from, to, hours }: WindowTimes): boolean {
  const unlimited = (text: string | undefined, whole: string) => text === undefined || text === whole;
  return (
    unlimited(months, "1-12") &&
    unlimited(weekdays, "1-7") &&
    holidays === undefined &&
    unlimited(hours, "0-24") &&
    unlimited(from, "00:00") &&
    (to === undefined || to === "24:00" || to === "00:00")
  );
}

/** A quarter-hour of the year: month 1 to 12, weekday 1 (Monday) to 7, and `HH:MM`. */
export interface UncoveredTime {
  month: number;
  weekday: number;
  time: string;
}

/**
 * The first quarter-hour that no window covers, undefined if each is covered. A window for holidays
 * alone covers no whole day of the week. Throws TariffError.
 */
export function uncoveredTime(windows: readonly WindowTimes[], key: string): UncoveredTime | undefined {
  if (windows.some(isAlways)) return undefined;
  const matchers = windows
    .filter(({ holidays }) => holidays === undefined)
    .map((window) => windowMatcher(window, key));
  for (let month = 1; month <= 12; month++) {
    for (let weekday = 1; weekday <= 7; weekday++) {
      for (let minutes = 0; minutes < DAY; minutes += 15) {
        const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
        const at = { date: "", month, weekday, hour, minute } as LocalTime;
        if (matchers.some((matches) => matches(at))) continue;
        const clock = [hour, minute].map((part) => String(part).padStart(2, "0")).join(":");
        return { month, weekday, time: clock };
      }
    }
  }
  return undefined;
}

const DAY = 24 * 60;

function clockOf({ from, to, hours }: WindowTimes, key: string): Range {
  if (hours !== undefined) {
    const match = /^\s*(\d{1,2})\s*(?:-\s*(\d{1,2})\s*)?$/.exec(hours);
    const first = Number(match?.[1] ?? Number.NaN);
    const last = match?.[2] === undefined ? first + 1 : Number(match[2]);
    if (!(first <= 24 && last <= 24)) {
      throw new TariffError(`${key}.hours`, (texts) => texts.range("10-16", hours));
    }
    return { first: first * 60, last: last * 60 };
  }
  return {
    first: minuteOf(from ?? "00:00", `${key}.from`),
    last: minuteOf(to ?? "24:00", `${key}.to`),
  };
}

function minuteOf(text: string, key: string): number {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  const minute = Number(match?.[1] ?? Number.NaN) * 60 + Number(match?.[2]);
  if (!(minute <= DAY && Number(match?.[2]) < 60)) {
    throw new TariffError(key, (texts) => texts.time(text));
  }
  return minute;
}

function rangeOf(text: string | undefined, least: number, most: number, key: string): Range {
  if (text === undefined) return { first: least, last: most };
  const match = /^\s*(\d{1,2})\s*(?:-\s*(\d{1,2})\s*)?$/.exec(text);
  const first = Number(match?.[1] ?? Number.NaN);
  const last = Number(match?.[2] ?? first);
  if (!(first >= least && first <= most && last >= least && last <= most)) {
    throw new TariffError(key, (texts) => texts.range(`${least}-${most}`, text));
  }
  return { first, last };
}

function includes({ first, last }: Range, value: number): boolean {
  return first <= last ? first <= value && value <= last : value >= first || value <= last;
}
