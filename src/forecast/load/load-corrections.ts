import { hasFields, isAmount, isOneOf } from "../../core/shape.js";

/** Parts of a day by clock hour. */
export const DAY_PARTS = { night: [0, 6], morning: [6, 10], day: [10, 17], evening: [17, 24] } as const;
export type DayPart = keyof typeof DAY_PARTS;
export const PART_NAMES = Object.keys(DAY_PARTS) as DayPart[];

/** Days with habits of their own; public holidays are among the weekends. */
export const DAY_GROUPS = ["workdays", "weekends"] as const;
export type DayGroup = (typeof DAY_GROUPS)[number];

/** What somebody says of a part of the days: its mean power in place of the learned one. Plain data. */
export interface LoadCorrection {
  part: DayPart;
  days: DayGroup;
  kw: number;
}

/** Highest power that can be said, kW. */
export const HIGHEST_KW = 100;

/** The part of the day of a clock hour. */
export function dayPartOf(hour: number): DayPart {
  return PART_NAMES.find((name) => hour < DAY_PARTS[name][1])!;
}

const isCorrection = hasFields<LoadCorrection>({
  part: isOneOf(PART_NAMES),
  days: isOneOf(DAY_GROUPS),
  kw: isAmount,
});

/** Reads stored corrections; empty for anything else. */
export function correctionsFromJson(stored: unknown): LoadCorrection[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isCorrection).map(({ part, days, kw }) => ({ part, days, kw }));
}
