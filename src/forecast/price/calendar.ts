import { easterSunday, isAustrianHoliday } from "../../core/time/holidays.js";
import { addDays, type LocalTime, localTime, VIENNA } from "../../core/time/zone.js";
import { dayDate } from "./market-days.js";

/** Calendar properties of a day that influence the price. */
export interface CalendarDay {
  /** 0 = Monday to 6 = Sunday; an Austrian public holiday is a Sunday. */
  weekday: number;
  /** 0 workday, 1 Saturday, 2 Sunday or Austrian public holiday. */
  type: 0 | 1 | 2;
  /** An Austrian public holiday from Monday to Friday. */
  holidayInWeek: boolean;
  /** A public holiday in all of Germany, whose market determines most Austrian prices. */
  germanHoliday: boolean;
  /** A workday between two non-working days. */
  bridge: boolean;
  /** 24 or 31 December. */
  yearEnd: boolean;
  /** Sine and cosine of the season, one period per year. */
  sine: number;
  cosine: number;
}

const remembered = new Map<number, CalendarDay>();

/** The calendar of a day number. */
export function calendarDay(day: number): CalendarDay {
  let known = remembered.get(day);
  if (known === undefined) {
    known = build(day);
    if (remembered.size > 20_000) remembered.clear();
    remembered.set(day, known);
  }
  return known;
}

function build(day: number): CalendarDay {
  const date = dayDate(day);
  const holiday = isAustrianHoliday(date);
  const plainWeekday = weekdayOf(day);
  const weekday = holiday ? 6 : plainWeekday;
  const german = isGermanHoliday(date);
  const bridge = plainWeekday < 5 && !holiday && !german && isDayOff(day - 1) && isDayOff(day + 1);
  const yearStart = Math.round(Date.UTC(Number(date.slice(0, 4)), 0, 1) / 86_400_000);
  const angle = (2 * Math.PI * (day - yearStart + 1)) / 365.25;
  return {
    weekday,
    type: weekday === 6 ? 2 : weekday === 5 ? 1 : 0,
    holidayInWeek: holiday && plainWeekday < 5,
    germanHoliday: german,
    bridge,
    yearEnd: date.endsWith("-12-24") || date.endsWith("-12-31"),
    sine: Math.sin(angle),
    cosine: Math.cos(angle),
  };
}

/** 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function isDayOff(day: number): boolean {
  return weekdayOf(day) >= 5 || isAustrianHoliday(dayDate(day));
}

const GERMAN_FIXED = ["01-01", "05-01", "10-03", "12-25", "12-26"];
/** Days after Easter Sunday: Good Friday, Easter Monday, Ascension, Whit Monday. */
const GERMAN_MOVABLE = [-2, 1, 39, 50];

/** True for the nine public holidays that all German states share. */
export function isGermanHoliday(date: string): boolean {
  if (GERMAN_FIXED.includes(date.slice(5))) return true;
  const easter = easterSunday(Number(date.slice(0, 4)));
  return GERMAN_MOVABLE.some((days) => addDays(easter, days) === date);
}

/** Type of a day; a public holiday counts as a Sunday. */
export type DayType = "workday" | "saturday" | "sunday";

/** Type of the calendar day in Vienna. */
export function dayType({ date, weekday }: Pick<LocalTime, "date" | "weekday">): DayType {
  if (weekday === 7 || isAustrianHoliday(date)) return "sunday";
  return weekday === 6 ? "saturday" : "workday";
}

/** The class of an hour for forecasts: month, hour and type of day in Vienna. */
export function hourClass(atMs: number): { month: number; hour: number; type: DayType } {
  const local = localTime(new Date(atMs), VIENNA);
  return { month: local.month, hour: local.hour, type: dayType(local) };
}
