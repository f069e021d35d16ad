import { DAY_MS, floorTo, type Interval } from "../../core/domain/interval.js";
import { addDays, dayOf, instantOf, localDate, localTime } from "../../core/time/zone.js";
import { FlexInputError, type FlexRequest, type FlexWindow } from "./request.js";

/** The window of a request as a time interval. */
export interface ResolvedWindow extends Interval {
  /** Slots before it are no candidates: the start, or the current slot if the start is past. */
  from: Date;
  /** The requested end, which may be beyond the horizon. */
  askedEnd: Date;
  truncated: boolean;
  /**
   * `open`: it ends after now. `past`: all of it is past, and it is ranked by the stored prices. `over`: a strict
   * window has ended; everything is 0 until `overUntil` (undefined: forever).
   */
  phase: "open" | "past" | "over";
  overUntil?: Date;
}

/** Longest past window that is answered. */
const LONGEST_PAST_MS = 366 * DAY_MS;

/**
 * The window of a request at `now` (docs/spec/http-api.md section 7). Throws FlexInputError for an end that is not
 * after the start.
 */
export function resolveWindow(
  { window, deadlineStrict, gridMinutes }: Pick<FlexRequest, "window" | "deadlineStrict" | "gridMinutes">,
  { now, horizonEnd, zone }: { now: Date; horizonEnd: Date; zone: string },
): ResolvedWindow {
  const inProgress = new Date(floorTo(now.getTime(), gridMinutes * 60_000));
  if (window?.kind === "daily") {
    const { start, end, overUntil } = dailyWindow(window, { now, zone, strict: deadlineStrict === true });
    if (overUntil !== undefined)
      return { start, end, from: start, askedEnd: end, truncated: false, phase: "over", overUntil };
    return open({ start, end }, inProgress, now, horizonEnd);
  }
  const { start, end } = window ?? {};
  checkOrder(start, end);
  if (end !== undefined && end <= now) {
    const over = deadlineStrict === true;
    if (!over && start === undefined && end <= inProgress)
      throw new FlexInputError(
        "end",
        "end is in the past: send a later end, or also a start to rank past prices.",
      );
    const begin = start ?? (inProgress < end ? inProgress : end);
    if (!over && end.getTime() - begin.getTime() > LONGEST_PAST_MS)
      throw new FlexInputError("start", "start must be at most 366 days before end in a past window.");
    return { start: begin, end, from: begin, askedEnd: end, truncated: false, phase: over ? "over" : "past" };
  }
  if (end === undefined && start !== undefined && start >= horizonEnd)
    throw new FlexInputError(
      "start",
      "start is beyond the horizon of 168 hours: send an earlier start, or also an end.",
    );
  return open({ start: start ?? inProgress, end: end ?? horizonEnd }, inProgress, now, horizonEnd);
}

/** Throws FlexInputError if both are given and the end is not after the start. */
function checkOrder(start: Date | undefined, end: Date | undefined): void {
  if (start !== undefined && end !== undefined && end <= start)
    throw new FlexInputError("end", "end must be after start.");
}

function open({ start, end }: Interval, inProgress: Date, now: Date, horizonEnd: Date): ResolvedWindow {
  const from = start <= now ? inProgress : start;
  // The current slot counts as a whole, so a window that begins within it begins with it.
  const effectiveStart = from < start ? from : start;
  const truncated = end > horizonEnd;
  const cut = truncated ? new Date(Math.max(horizonEnd.getTime(), effectiveStart.getTime())) : end;
  return { start: effectiveStart, end: cut, from, askedEnd: end, truncated, phase: "open" };
}

/**
 * The daily window that contains now, else the next one. If a strict one is over for now: the last one, until local
 * midnight or, for a window over midnight, until its next start.
 */
function dailyWindow(
  window: Extract<FlexWindow, { kind: "daily" }>,
  { now, zone, strict }: { now: Date; zone: string; strict: boolean },
): Interval & { overUntil?: Date } {
  const { startHour, endHour } = window;
  const today = localDate(now, zone);
  const onDay = (days: number): Interval => {
    const date = addDays(today, days);
    const end = clockInstant(endHour > startHour ? date : addDays(date, 1), endHour, zone);
    return { start: clockInstant(date, startHour, zone), end };
  };
  const exists = ({ start, end }: Interval) => end > start;
  // A window whose only hour is skipped when summer time begins does not exist on that day; the next day's is used.
  const firstDay = endHour > startHour ? 0 : -1;
  let day = firstDay;
  let next = onDay(day);
  while (!exists(next) || next.end <= now) next = onDay(++day);
  if (!strict || next.start <= now) return next;
  const last = [-2, -1, 0].map(onDay).findLast((each) => each.end <= now) ?? onDay(-2);
  if (startHour > endHour) return { ...last, overUntil: next.start };
  const { start: midnight, end: nextMidnight } = dayOf(now, zone);
  return last.start >= midnight ? { ...last, overUntil: nextMidnight } : next;
}

/**
 * Whether a slot may start at a given time: its clock hour is not after the deadline hour in the order of the
 * window's hours. The order begins with the requested start hour, even if the clock skips that hour. In windows of
 * several days the rule applies to each day.
 */
export function deadlineRule(
  window: Interval,
  deadlineHour: number,
  zone: string,
  firstHour = localTime(window.start, zone).hour,
): (start: Date) => boolean {
  const order = (hour: number) => (hour - firstHour + 24) % 24;
  const latest = order(deadlineHour);
  const withinDay = clockMs(window.end, zone) - clockMs(window.start, zone) <= DAY_MS;
  return (start) => {
    const { hour } = localTime(start, zone);
    // A window from 21:30 to 21:30 ends in the clock hour in which it begins; the slots at its end are last in order.
    const isSecondTime =
      withinDay && hour === firstHour && start.getTime() - window.start.getTime() > HALF_DAY_MS;
    return isSecondTime ? false : order(hour) <= latest;
  };
}

const instants = new Map<string, number>();

/** Cached `instantOf`: controllers repeat the same clock hours. */
function clockInstant(date: string, hour: number, zone: string): Date {
  const key = `${zone} ${date} ${hour}`;
  let ms = instants.get(key);
  if (ms === undefined) {
    // Dates and zones are not limited, so the cache is.
    if (instants.size > 10_000) instants.clear();
    ms = instantOf(date, hour, zone).getTime();
    instants.set(key, ms);
  }
  return new Date(ms);
}

const HALF_DAY_MS = DAY_MS / 2;

/** Local clock time as if it were UTC: differences are differences on the clock. */
function clockMs(at: Date, zone: string): number {
  const { year, month, day, hour, minute } = localTime(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute);
}
