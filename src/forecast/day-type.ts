import { isAustrianHoliday } from "../time/holidays.js";
import { type LocalTime, localTime, VIENNA } from "../time/zone.js";

/** What a day is to the market; a public holiday is a Sunday. */
export type DayType = "workday" | "saturday" | "sunday";

/** Type of the calendar day that a wall clock in Vienna shows. */
export function dayType({ date, weekday }: Pick<LocalTime, "date" | "weekday">): DayType {
  if (weekday === 7 || isAustrianHoliday(date)) return "sunday";
  return weekday === 6 ? "saturday" : "workday";
}

/** The class of an hour for forecasts: local month and hour, and type of day, on Vienna's clock. */
export function hourClass(atMs: number): { month: number; hour: number; type: DayType } {
  const local = localTime(new Date(atMs), VIENNA);
  return { month: local.month, hour: local.hour, type: dayType(local) };
}
