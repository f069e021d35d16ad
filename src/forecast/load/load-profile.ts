import { HOUR_MS, hoursOf, type Interval } from "../../core/domain/interval.js";
import { type LocalTime, localTime } from "../../core/time/zone.js";
import { dayType } from "../price/calendar.js";

/**
 * Mean load of an Austrian household by local clock hour, relative to its weekly mean: workday, Saturday, Sunday. Mean of
 * five metered homes (quarter-hours of 2022 to 2024, each normalised to 1), without electric heating or vehicles.
 */
const STANDARD = {
  workday: [
    0.99, 1.09, 1.12, 1.14, 1.0, 1.08, 1.13, 0.9, 0.75, 0.61, 0.63, 0.7, 0.59, 0.96, 0.68, 0.67, 0.77, 1.13,
    1.43, 1.32, 1.31, 1.29, 1.17, 0.99,
  ],
  saturday: [
    0.96, 1.02, 1.0, 1.08, 1.04, 0.94, 0.85, 0.87, 0.9, 0.79, 0.71, 0.67, 0.69, 1.2, 0.85, 0.9, 0.88, 1.16,
    1.36, 1.5, 1.27, 1.38, 1.19, 1.02,
  ],
  sunday: [
    0.99, 1.07, 1.15, 1.17, 1.19, 1.06, 1.01, 0.99, 0.93, 0.86, 0.88, 1.02, 0.8, 1.34, 0.99, 0.87, 0.97, 1.3,
    1.53, 1.37, 1.53, 1.31, 1.22, 1.06,
  ],
} as const;

/** Expected load of a site. */
export interface LoadProfile {
  /** kWh a day on average. */
  dailyKwh: number;
  /** 24 weights by local clock hour in place of the standard household. */
  profile?: readonly number[] | undefined;
  /**
   * Learned weights, in place of both: by day of the week (Monday first; a public holiday counts as a Sunday) and local
   * clock hour, relative to the weekly mean.
   */
  week?: readonly (readonly number[])[] | undefined;
}

/** Row of a week for a day: 0 = Monday to 6 = Sunday; a public holiday counts as a Sunday. */
export function weekRow(day: Pick<LocalTime, "date" | "weekday">): number {
  return dayType(day) === "sunday" ? 6 : day.weekday - 1;
}

/** Load at the clock hours of a week relative to its mean. */
export function relativeUse(model: LoadProfile): (row: number, hour: number) => number {
  const { week, profile } = model;
  if (week !== undefined) return (row, hour) => week[row]?.[hour] ?? 1;
  const total = profile?.reduce((sum, weight) => sum + weight, 0) ?? 0;
  if (total > 0) return (_, hour) => (24 * (profile?.[hour] ?? 0)) / total;
  return (row, hour) => STANDARD[row === 6 ? "sunday" : row === 5 ? "saturday" : "workday"][hour] ?? 1;
}

/**
 * The same shape of each day, but with the same energy on every day: for a given daily energy, to which the clock hours of
 * each day must add up.
 */
export function evenDays(model: LoadProfile): LoadProfile {
  const relative = relativeUse(model);
  const week = Array.from({ length: 7 }, (_, row) => {
    const day = Array.from({ length: 24 }, (_, hour) => relative(row, hour));
    const mean = day.reduce((sum, weight) => sum + weight, 0) / 24;
    return day.map((weight) => (mean > 0 ? weight / mean : 1));
  });
  return { dailyKwh: model.dailyKwh, week };
}

/** Expected load of each interval, kWh. */
export function expectedLoad(intervals: readonly Interval[], model: LoadProfile, zone: string): number[] {
  const relative = relativeUse(model);
  return intervals.map((interval) => {
    const local = localTime(interval.start, zone);
    const powerKw = (model.dailyKwh / 24) * relative(weekRow(local), local.hour);
    return powerKw * hoursOf(interval);
  });
}

/**
 * Spreads hourly energies over intervals, from the current hour on; 24 values are a profile by local clock hour. Intervals
 * beyond the list take their value from `fallback`.
 */
export function hourlyEnergy(
  intervals: readonly Interval[],
  hourlyKwh: readonly number[],
  fallback: readonly number[],
  zone: string,
): number[] {
  const first = intervals[0];
  if (first === undefined) return [];
  const firstHour = Math.floor(first.start.getTime() / HOUR_MS);
  return intervals.map((interval, index) => {
    const hours = hoursOf(interval);
    const entry =
      hourlyKwh.length === 24
        ? hourlyKwh[localTime(interval.start, zone).hour]
        : hourlyKwh[Math.floor(interval.start.getTime() / HOUR_MS) - firstHour];
    return entry === undefined ? (fallback[index] ?? 0) : entry * hours;
  });
}
