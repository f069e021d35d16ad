import type { QuietHours } from "../../core/domain/notification.js";
import { addDays, instantOf, localDate } from "../../core/time/zone.js";

/**
 * Whether an instant is in the quiet hours of a zone. They begin and end at the first instant at which the wall clock shows
 * their times, so the hour that autumn repeats is quiet at most once, and a time that spring skips is the jump.
 */
export function isQuiet(now: Date, quiet: QuietHours | null, zone: string): boolean {
  if (quiet === null || quiet.from === quiet.to) return false;
  const today = localDate(now, zone);
  return [addDays(today, -1), today].some((date) => {
    const start = timeOn(date, quiet.from, zone);
    const end = timeOn(quiet.to > quiet.from ? date : addDays(date, 1), quiet.to, zone);
    return start <= now && now < end;
  });
}

/** The first instant of a local date at which the wall clock shows `HH:MM`. */
export function timeOn(date: string, clock: string, zone: string): Date {
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  return instantOf(date, hour, zone, minute);
}
