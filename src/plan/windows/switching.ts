import type { SlotSettings } from "../../config/settings.js";
import { contains, floorTo, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { FlexResult } from "./result.js";
import { dayOfStarts, type RunLimits } from "./run-limits.js";

/** How a slot's device was switched by its schedule. */
export interface Switching {
  /** Day of `starts`. */
  day: string;
  starts: number;
  /** The last run: until it ended, or as far as it is counted. */
  since: Date;
  until: Date;
}

/** The starts that the commands of an actuator are enough for. */
export interface StartBudget {
  leftToday: number;
  perDay: number;
}

/** The clock reaches a quarter-hour a moment late: until then a device that ran has not stopped. */
const LATE_MS = 5000;

/** The switching after the chosen quarter-hours of a period that is over. Pure. */
export function nextSwitching(
  before: Switching | undefined,
  ran: readonly Interval[],
  { zone, dayBegins }: { zone: string; dayBegins: number },
): Switching | undefined {
  let next = before;
  for (const { start, end } of ran) {
    const day = dayOfStarts(start, zone, dayBegins);
    const starts = next?.day === day ? next.starts : 0;
    next =
      next?.until.getTime() === start.getTime()
        ? { ...next, day, starts, until: end }
        : { day, starts: starts + 1, since: start, until: end };
  }
  return next;
}

/**
 * What the settings and the actuator of a device allow of switching it; undefined without a limit. `result` is the schedule that is in
 * force, `isOn` whether it is on by it. Pure.
 */
export function limitsOf(
  { min_run_minutes, max_starts_per_day }: Pick<SlotSettings, "min_run_minutes" | "max_starts_per_day">,
  {
    budget,
    switching,
    result,
    isOn,
    now,
    zone,
    dayBegins,
  }: {
    budget: StartBudget | undefined;
    switching: Switching | undefined;
    result: Pick<FlexResult, "slots"> | undefined;
    isOn: boolean;
    now: Date;
    zone: string;
    dayBegins: number;
  },
): RunLimits | undefined {
  if (min_run_minutes === null && max_starts_per_day === null && budget === undefined) return undefined;
  const quarter = new Date(floorTo(now.getTime(), QUARTER_MS));
  const goesOn = switching?.until.getTime() === quarter.getTime();
  const isLate = now.getTime() - quarter.getTime() < LATE_MS;
  const runs = isOn && (result?.slots.some((slot) => contains(slot, now)) ?? false);
  const runningMs = goesOn ? quarter.getTime() - switching.since.getTime() : 0;
  const isRunning = runs || (goesOn && isLate);
  const today = dayOfStarts(now, zone, dayBegins);
  const counted = switching?.day === today ? switching.starts : 0;
  // The run that has begun in this quarter-hour is not counted yet.
  const used = counted + (runs && !goesOn && !isLate ? 1 : 0);
  const most = max_starts_per_day ?? Number.POSITIVE_INFINITY;
  const perDay = Math.min(most, budget?.perDay ?? Number.POSITIVE_INFINITY);
  const leftToday = Math.max(0, Math.min(most - used, budget?.leftToday ?? Number.POSITIVE_INFINITY));
  return {
    startsOn: (date) => (date === today ? leftToday : perDay),
    dayBegins,
    leastRunHours: (min_run_minutes ?? 0) / 60,
    // Before the end of the quarter-hour in which a device was switched on, its run has lasted for none.
    runningHours: isRunning && !(isLate && !goesOn) ? runningMs / HOUR_MS : undefined,
  };
}
