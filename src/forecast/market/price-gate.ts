import { HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { PricePoint } from "../../core/domain/price.js";
import { addDays, dayInterval, localDate, VIENNA } from "../../core/time/zone.js";
import { ROUNDING_EUR_MWH } from "./points.js";
import type { PriceSeries } from "./price-series.js";
import { usuallyCompleteAt, usuallyPublishedAt } from "./publication.js";
import type { PriceAnswer, PriceSource } from "./source.js";

/** So many hours of a day with nothing but zeros are no result of the auction; fewer are real on windy and sunny days. */
const MOST_ZERO_HOURS = 12;

/** The prices of a day never all stay below this, EUR/MWh (2017 to 2026: at least one of 9.96): they are in EUR/kWh. */
const LEAST_OF_A_DAY = 2;

export interface JudgedPrices {
  /** The prices of the days that passed. */
  points: PricePoint[];
  /** Why the other days did not pass, one sentence each. */
  refusals: string[];
}

/**
 * The prices of an answer that can be a result of the day-ahead auction, day by day in Vienna: one price for each time,
 * intervals as long as they state, no day of zeros. Before the auction of a day a single price for all of it is a placeholder. Until
 * 14:30 tomorrow is used only if it reaches its end, together with what is `known` of it: a service that `isPublishing` may have the
 * rest a minute later. Missing hours within it are gaps. Pure.
 */
export function judgePrices(
  points: readonly PricePoint[],
  { known, now, isPublishing }: { known: PriceSeries; now: Date; isPublishing: boolean },
): JudgedPrices {
  const judged: JudgedPrices = { points: [], refusals: [] };
  const tomorrow = addDays(localDate(now, VIENNA), 1);
  const mayBeBegun = isPublishing && now < usuallyCompleteAt(tomorrow);
  for (const { date, ofDay } of daysOf(points)) {
    const problem =
      whyContradictory(ofDay) ??
      whyNoResult(ofDay, now < usuallyPublishedAt(date)) ??
      (date === tomorrow && mayBeBegun && !reachesEnd(ofDay, known, dayInterval(date, VIENNA))
        ? "it does not reach the end of the day yet"
        : undefined);
    if (problem === undefined) for (const point of ofDay) judged.points.push(point);
    else judged.refusals.push(`The prices of ${date} are not used: ${problem}.`);
  }
  return judged;
}

/**
 * A source whose answers pass the gate. An answer of which nothing passes is a failure; one with refused days is read again at
 * the next request, also if it has not changed by then.
 */
export function gated(source: PriceSource, known: () => PriceSeries): PriceSource {
  const { name, local, watch } = source;
  return {
    name,
    local,
    ...(watch !== undefined && { watch: watch.bind(source) }),
    async fetch(request): Promise<PriceAnswer> {
      const { validators, ...answer } = await source.fetch(request);
      const { points, refusals } = judgePrices(answer.points, {
        known: known(),
        now: request.now,
        isPublishing: !local,
      });
      if (refusals.length === 0) return { ...answer, ...(validators !== undefined && { validators }) };
      if (points.length === 0) throw new Error(shortened(refusals).join(" "));
      return {
        ...answer,
        points,
        isRefusedInPart: true,
        warnings: [...shortened(refusals), ...(answer.warnings ?? [])],
      };
    },
  };
}

/** A file of years may be wrong on each day: the first sentences, and how many there are. */
function shortened(refusals: readonly string[]): string[] {
  const more = refusals.length - 3;
  return more > 0 ? [...refusals.slice(0, 3), `${more} more days are not used.`] : [...refusals];
}

/** The points by local day, in order of time; an hour comes before its quarter-hours. */
function daysOf(
  points: readonly PricePoint[],
): { date: string; endMs: number; ofDay: [PricePoint, ...PricePoint[]] }[] {
  const days: ReturnType<typeof daysOf> = [];
  const inOrder = [...points].sort((a, b) => a.start.getTime() - b.start.getTime() || b.minutes - a.minutes);
  for (const point of inOrder) {
    const day = days.at(-1);
    if (day !== undefined && point.start.getTime() < day.endMs) day.ofDay.push(point);
    else {
      const date = localDate(point.start, VIENNA);
      days.push({ date, endMs: dayInterval(date, VIENNA).end.getTime(), ofDay: [point] });
    }
  }
  return days;
}

/** Why the intervals of a day contradict one another; undefined if they do not. */
function whyContradictory(ofDay: readonly PricePoint[]): string | undefined {
  const prices: Record<60 | 15, Map<number, number>> = { 60: new Map(), 15: new Map() };
  for (const { start, minutes, eurPerMwh } of ofDay) {
    const startMs = start.getTime();
    if (minutes === 60 && startMs % HOUR_MS !== 0) return "an hourly price does not start on a full hour";
    const other = prices[minutes].get(startMs);
    if (other !== undefined && other !== eurPerMwh) return `${timeOf(startMs)} has two prices`;
    prices[minutes].set(startMs, eurPerMwh);
  }
  for (const [startMs, hourly] of prices[60]) {
    const quarters = [0, 1, 2, 3].flatMap((n) => prices[15].get(startMs + n * QUARTER_MS) ?? []);
    const mean = quarters.reduce((sum, price) => sum + price, 0) / quarters.length;
    if (quarters.length === 4 && Math.abs(mean - hourly) > ROUNDING_EUR_MWH)
      return `the hour and the quarter-hours at ${timeOf(startMs)} have different prices`;
  }
  const starts = [...prices[15].keys()];
  if (starts.length > 1 && starts.every((startMs) => startMs % HOUR_MS === 0))
    return "its intervals state 15 minutes, but are an hour apart";
  return undefined;
}

/** Why prices are no result of an auction; `isBefore`: nothing is published yet. */
function whyNoResult(ofDay: readonly [PricePoint, ...PricePoint[]], isBefore: boolean): string | undefined {
  const hours = ofDay.reduce((sum, { minutes }) => sum + minutes / 60, 0);
  if (hours < MOST_ZERO_HOURS) return undefined;
  const [{ eurPerMwh: first }] = ofDay;
  if (ofDay.some(({ eurPerMwh }) => eurPerMwh !== first))
    return ofDay.every(({ eurPerMwh }) => Math.abs(eurPerMwh) < LEAST_OF_A_DAY)
      ? `all of them are below ${LEAST_OF_A_DAY} EUR/MWh; they seem to be EUR/kWh`
      : undefined;
  if (first === 0) return "all of them are 0";
  return isBefore ? "all of them are the same, and the auction has not taken place yet" : undefined;
}

/** Whether the points or the known prices have the last quarter-hour of a day. */
function reachesEnd(ofDay: readonly PricePoint[], known: PriceSeries, { end }: Interval): boolean {
  return (
    known.quarter(end.getTime() - QUARTER_MS) !== undefined ||
    ofDay.some(({ start, minutes }) => start.getTime() + minutes * MINUTE_MS === end.getTime())
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).concat("Z");
}
