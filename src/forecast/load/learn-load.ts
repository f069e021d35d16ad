import { DAY_MS, floorTo, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { isZone } from "../../core/time/zone.js";
import { BLOCK_HOURS, expectedKwh, type LoadModel } from "./load-model.js";
import { DAY_KINDS, type LocalHour, LocalHours } from "./local-hours.js";

/** Days of history that count. */
const LEARNING_DAYS = 70;
/** Days whose error becomes the scenarios. */
const RATIO_DAYS = 28;
const SCENARIOS = 5;
/** No hour counts for more than this many times the expected load. */
const GREATEST_RATIO = 8;
/** Fewer values than this say nothing about the spread. */
const FEWEST_VALUES = 10;

/**
 * Learns a home's load from quarter-hours of its own use, kWh, oldest first; gaps are left out. Nothing at or after `now`
 * is looked at. One pass in order of time: each of the last 28 days is compared with what was expected for it before, so
 * the ratios are errors of forecasts, not of a fit. Throws a RangeError that names the field for input that makes no sense.
 */
export function learnLoad(input: {
  history: { start: Date; kwh: number }[];
  timeZone: string;
  now: Date;
}): LoadModel {
  checkLearning(input);
  const nowMs = input.now.getTime();
  const local = new LocalHours(input.timeZone);
  const hours = wholeHours(input.history, nowMs);
  const means = new ProfileMeans();
  const ratios: number[][] = Array.from({ length: 24 / BLOCK_HOURS }, () => []);
  const lastDayKwh = new Array<number | null>(24).fill(null);
  for (const [ms, kwh] of hours) {
    const at = local.at(ms);
    if (ms >= nowMs - RATIO_DAYS * DAY_MS) {
      const expected = expectedKwh(means.expected(at), hours.get(ms - DAY_MS));
      if (expected > 0) {
        ratios[Math.floor(at.hour / BLOCK_HOURS)]!.push(Math.min(GREATEST_RATIO, kwh / expected));
      }
    }
    means.add(at, kwh);
    // The hour in progress a day ago is over now, and is the last known one at its clock hour.
    if (ms > nowMs - DAY_MS - HOUR_MS) lastDayKwh[at.hour] = kwh;
  }
  return {
    timeZone: input.timeZone,
    profileKwh: DAY_KINDS.map((_, kind) =>
      Array.from({ length: 24 }, (_, hour) => means.expected({ kind, hour })),
    ),
    lastDayKwh,
    ratios: ratios.map(quantileMeans),
  };
}

/** Energy of the hours of which half or more was measured, by start, in order of time; what is missing counts as the rest. */
function wholeHours(history: readonly { start: Date; kwh: number }[], nowMs: number): Map<number, number> {
  const sums = new Map<number, { kwh: number; quarters: number }>();
  for (const { start, kwh } of history) {
    const ms = start.getTime();
    if (ms >= nowMs || ms < nowMs - LEARNING_DAYS * DAY_MS) continue;
    const hour = floorTo(ms, HOUR_MS);
    if (hour + HOUR_MS > nowMs) continue;
    const sum = sums.get(hour);
    if (sum === undefined) sums.set(hour, { kwh, quarters: 1 });
    else {
      sum.kwh += kwh;
      sum.quarters++;
    }
  }
  const quartersOfHour = HOUR_MS / QUARTER_MS;
  return new Map(
    [...sums]
      .filter(([, { quarters }]) => quarters >= quartersOfHour / 2)
      .sort(([a], [b]) => a - b)
      .map(([hour, { kwh, quarters }]) => [hour, (kwh * quartersOfHour) / quarters]),
  );
}

/** Means of equally large groups of the values in rising order, divided by their mean. */
function quantileMeans(values: readonly number[]): number[] {
  const even = new Array<number>(SCENARIOS).fill(1);
  if (values.length < FEWEST_VALUES) return even;
  const sorted = [...values].sort((a, b) => a - b);
  const bound = (k: number) => Math.floor((k * sorted.length) / SCENARIOS);
  const means = even.map((_, k) => {
    const group = sorted.slice(bound(k), bound(k + 1));
    return group.reduce((sum, value) => sum + value, 0) / group.length;
  });
  const mean = means.reduce((sum, value) => sum + value, 0) / SCENARIOS;
  return mean > 0 ? means.map((value) => value / mean) : even;
}

function checkLearning(input: {
  history: { start: Date; kwh: number }[];
  timeZone: string;
  now: Date;
}): void {
  if (!(input.now instanceof Date) || Number.isNaN(input.now.getTime())) {
    throw new RangeError("now must be a valid Date.");
  }
  if (typeof input.timeZone !== "string" || !isZone(input.timeZone)) {
    throw new RangeError("timeZone must be an IANA name such as Europe/Vienna.");
  }
  if (!Array.isArray(input.history)) throw new RangeError("history must be an array of { start, kwh }.");
  for (const [index, quarter] of input.history.entries()) {
    if (!(quarter?.start instanceof Date) || Number.isNaN(quarter.start.getTime())) {
      throw new RangeError(`history[${index}].start must be a valid Date.`);
    }
    if (!(Number.isFinite(quarter.kwh) && quarter.kwh >= 0)) {
      throw new RangeError(`history[${index}].kwh must be a finite number of 0 or more.`);
    }
  }
}

/** Share of a new day in a mean of many; a mean of few days takes each alike. */
const DAY_GAIN = 0.12;
/** Of a new day of its own kind: a kind comes up less often. */
const KIND_GAIN = 0.18;
/** Days of one kind that weigh as much as what all days together say. */
const SHARED_DAYS = 3;
/** Expected use where nothing was measured yet, kWh in an hour. */
const UNKNOWN_KWH = 0.4;

/** A mean that forgets. */
class Mean {
  value = 0;
  count = 0;

  add(value: number, gain: number): void {
    this.count++;
    this.value += Math.max(gain, 1 / this.count) * (value - this.value);
  }
}

/**
 * Mean use by clock hour and kind of day, recent days weighing more. Where a kind of day was seen seldom it leans on all
 * days, and these on the mean over the day.
 */
class ProfileMeans {
  readonly #kinds = DAY_KINDS.map(() => Array.from({ length: 24 }, () => new Mean()));
  readonly #hours = Array.from({ length: 24 }, () => new Mean());
  readonly #all = new Mean();

  add({ kind, hour }: LocalHour, kwh: number): void {
    this.#kinds[kind]![hour]!.add(kwh, KIND_GAIN);
    this.#hours[hour]!.add(kwh, DAY_GAIN);
    this.#all.add(kwh, DAY_GAIN / 24);
  }

  expected({ kind, hour }: LocalHour): number {
    const level = this.#all.count === 0 ? UNKNOWN_KWH : this.#all.value;
    const all = this.#hours[hour]!;
    const own = this.#kinds[kind]![hour]!;
    const shared = (all.value * all.count + level) / (all.count + 1);
    // A mean that forgets knows no more than the days that it remembers.
    const days = Math.min(own.count, 1 / DAY_GAIN);
    return (own.value * days + shared * SHARED_DAYS) / (days + SHARED_DAYS);
  }
}
