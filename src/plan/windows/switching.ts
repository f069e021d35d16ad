import type { SlotSettings } from "../../config/settings.js";
import { floorTo, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { dayOfStarts, type RunLimits } from "./run-limits.js";

/** How a slot's device was switched. */
export interface Switching {
  /** Day of `starts`. */
  day: string;
  starts: number;
  /** Start of the last run. */
  since: Date;
  /** Its end; left out: it is on. */
  until?: Date;
}

/** The starts that the commands of an actuator are enough for. */
export interface StartBudget {
  leftToday: number;
  perDay: number;
}

/**
 * The clock reaches a quarter-hour a moment late, and plans settle: until then a device that ran has not stopped, and one that was switched
 * on may be left off without having run.
 */
const LATE_MS = 5000;

interface StartDays {
  zone: string;
  dayBegins: number;
}

/** The switching where a device is on or off from `now` on. Pure. */
export function nextSwitching(
  before: Switching | undefined,
  isOn: boolean,
  now: Date,
  days: StartDays,
): Switching | undefined {
  const wasOn = before !== undefined && before.until === undefined;
  if (isOn === wasOn) return before;
  if (wasOn)
    return hasJustBegun(before, now)
      ? { ...before, starts: before.starts - 1, until: before.since }
      : { ...before, until: now };
  const { since, until } = before ?? {};
  const goesOn = until !== undefined && until > since! && now.getTime() - until.getTime() < LATE_MS;
  return goesOn ? withoutEnd(before!) : started(before, now, days);
}

function hasJustBegun({ since }: Switching, now: Date): boolean {
  return now.getTime() - since.getTime() < LATE_MS;
}

/** The switching after a period in which a device ran without being asked: it was switched on by hand. Pure. */
export function ranByHand(
  before: Switching | undefined,
  { start, end }: Interval,
  days: StartDays,
): Switching {
  const goesOn = before?.until !== undefined && start.getTime() - before.until.getTime() < LATE_MS;
  return { ...(goesOn ? before : started(before, start, days)), until: end };
}

function started(before: Switching | undefined, now: Date, { zone, dayBegins }: StartDays): Switching {
  const day = dayOfStarts(now, zone, dayBegins);
  return { day, starts: (before?.day === day ? before.starts : 0) + 1, since: now };
}

function withoutEnd({ until: _, ...switching }: Switching): Switching {
  return switching;
}

/**
 * What the settings and the actuator of a device allow of switching it; undefined without a limit. Pure.
 */
export function limitsOf(
  { min_run_minutes, max_starts_per_day }: Pick<SlotSettings, "min_run_minutes" | "max_starts_per_day">,
  {
    budget,
    switching,
    isPlugged,
    now,
    zone,
    dayBegins,
  }: {
    budget: StartBudget | undefined;
    switching: Switching | undefined;
    isPlugged: boolean;
    now: Date;
  } & StartDays,
): RunLimits | undefined {
  if (min_run_minutes === null && max_starts_per_day === null && budget === undefined) return undefined;
  const isOn = switching !== undefined && switching.until === undefined;
  const isNew = isOn && hasJustBegun(switching, now);
  const isRunning = isPlugged && isOn && !isNew;
  const runningMs = isRunning
    ? floorTo(now.getTime(), QUARTER_MS) - floorTo(switching.since.getTime(), QUARTER_MS)
    : 0;
  const today = dayOfStarts(now, zone, dayBegins);
  const used = switching?.day === today ? switching.starts - (isNew ? 1 : 0) : 0;
  const most = max_starts_per_day ?? Number.POSITIVE_INFINITY;
  const perDay = Math.min(most, budget?.perDay ?? Number.POSITIVE_INFINITY);
  const leftToday = Math.max(0, Math.min(most - used, budget?.leftToday ?? Number.POSITIVE_INFINITY));
  return {
    startsOn: (date) => (date === today ? leftToday : perDay),
    dayBegins,
    leastRunHours: (min_run_minutes ?? 0) / 60,
    runningHours: isRunning ? runningMs / HOUR_MS : undefined,
  };
}
