import { addDays } from "./zone.js";

/** Easter Sunday of a Gregorian year, `YYYY-MM-DD` (Meeus/Jones/Butcher, Astronomical Algorithms, chapter 8). */
export function easterSunday(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  const day = ((h + l - 7 * m + 114) % 31) + 1;
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

/** Fixed days, `MM-DD`, of the Austrian Rest Periods Act (Arbeitsruhegesetz, paragraph 7). */
const FIXED = ["01-01", "01-06", "05-01", "08-15", "10-26", "11-01", "12-08", "12-25", "12-26"];
/** Days after Easter Sunday: Easter Monday, Ascension, Whit Monday, Corpus Christi. */
const MOVABLE = [1, 39, 50, 60];

/** The thirteen public holidays of Austria in a year, `YYYY-MM-DD`, in order. */
export function austrianHolidays(year: number): string[] {
  const easter = easterSunday(year);
  return [...FIXED.map((day) => `${year}-${day}`), ...MOVABLE.map((days) => addDays(easter, days))].sort();
}

const holidaysByYear = new Map<number, ReadonlySet<string>>();

/** True when the calendar day `YYYY-MM-DD` is a public holiday in all of Austria. */
export function isAustrianHoliday(date: string): boolean {
  const year = Number(date.slice(0, 4));
  let days = holidaysByYear.get(year);
  if (days === undefined) {
    days = new Set(austrianHolidays(year));
    holidaysByYear.set(year, days);
  }
  return days.has(date);
}
