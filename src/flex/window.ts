import { DAY_MS, floorTo, type Interval } from "../domain/interval.js";
import { addDays, dayOf, instantOf, localDate, localTime } from "../time/zone.js";
import { FlexInputError, type FlexRequest, type FlexWindow } from "./request.js";

/** A window on the clock made a stretch of time. */
export interface ResolvedWindow extends Interval {
  /** Slots that start before it are no candidates: the start, or the slot in progress when the start is past. */
  from: Date;
  /** The end that was asked for, where the horizon cuts it. */
  askedEnd: Date;
  truncated: boolean;
  /**
   * `open`: it ends after now. `past`: it lies wholly in the past and is ranked over the prices held. `over`: its end is
   * past and strict, everything is 0 until `overUntil` (undefined: for good).
   */
  phase: "open" | "past" | "over";
  overUntil?: Date;
}

/** A past window of more days than this asks for more than anybody reads. */
const LONGEST_PAST_MS = 366 * DAY_MS;

/**
 * The window of a request at `now` (docs/spec/http-api.md section 7). Throws FlexInputError when the end is not after the start.
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
        "end lies in the past: send a later end, or a start before it to have the past ranked.",
      );
    const begin = start ?? (inProgress < end ? inProgress : end);
    if (!over && end.getTime() - begin.getTime() > LONGEST_PAST_MS)
      throw new FlexInputError("start", "start must be at most 366 days before end in a window in the past.");
    return { start: begin, end, from: begin, askedEnd: end, truncated: false, phase: over ? "over" : "past" };
  }
  if (end === undefined && start !== undefined && start >= horizonEnd)
    throw new FlexInputError(
      "start",
      "start lies beyond the horizon of 168 hours: send an earlier one, or an end too.",
    );
  return open({ start: start ?? inProgress, end: end ?? horizonEnd }, inProgress, now, horizonEnd);
}

/** Throws FlexInputError when both are given and the end is not after the start. */
function checkOrder(start: Date | undefined, end: Date | undefined): void {
  if (start !== undefined && end !== undefined && end <= start)
    throw new FlexInputError("end", "end must be after start.");
}

function open({ start, end }: Interval, inProgress: Date, now: Date, horizonEnd: Date): ResolvedWindow {
  const from = start <= now ? inProgress : start;
  // The slot in progress counts whole, so a window that began within it begins with it.
  const shown = from < start ? from : start;
  const truncated = end > horizonEnd;
  const cut = truncated ? new Date(Math.max(horizonEnd.getTime(), shown.getTime())) : end;
  return { start: shown, end: cut, from, askedEnd: end, truncated, phase: "open" };
}

/**
 * The daily window that contains now, else the next one; where a strict one is over for now, the one that has ended and
 * until when it counts: local midnight, for a window over midnight its next start.
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
  const isThere = ({ start, end }: Interval) => end > start;
  // A window whose only hour the clock leaves out in spring does not take place that day; the day after has it.
  const firstDay = endHour > startHour ? 0 : -1;
  let day = firstDay;
  let next = onDay(day);
  while (!isThere(next) || next.end <= now) next = onDay(++day);
  if (!strict || next.start <= now) return next;
  const last = [-2, -1, 0].map(onDay).findLast((each) => each.end <= now) ?? onDay(-2);
  if (startHour > endHour) return { ...last, overUntil: next.start };
  const { start: midnight, end: nextMidnight } = dayOf(now, zone);
  return last.start >= midnight ? { ...last, overUntil: nextMidnight } : next;
}

/**
 * Whether a slot may start when it does: in the window's own order of hours, which begins with the clock hour of the
 * window's start (as asked, also where the clock leaves that hour out), it is not later than the deadline hour. In windows over a day that holds for each day.
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
    // A window from 21:30 to 21:30 ends in the clock hour in which it began; its last slots come last all the same.
    const isSecondTime =
      withinDay && hour === firstHour && start.getTime() - window.start.getTime() > HALF_DAY_MS;
    return isSecondTime ? false : order(hour) <= latest;
  };
}

const remembered = new Map<string, number>();

/** `instantOf`, remembered: controllers ask for the same clock hours again and again. */
function clockInstant(date: string, hour: number, zone: string): Date {
  const key = `${zone} ${date} ${hour}`;
  let ms = remembered.get(key);
  if (ms === undefined) {
    // Days go by and zones are the callers' choice; the memory must not grow with them.
    if (remembered.size > 10_000) remembered.clear();
    ms = instantOf(date, hour, zone).getTime();
    remembered.set(key, ms);
  }
  return new Date(ms);
}

const HALF_DAY_MS = DAY_MS / 2;

/** What the wall clock shows, as if clocks never changed: differences are differences on the clock. */
function clockMs(at: Date, zone: string): number {
  const { year, month, day, hour, minute } = localTime(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute);
}
