import type { EnergyStep } from "../domain/interval.js";
import { DAY_MS, HOUR_MS } from "../domain/interval.js";
import { type LoadProfile, relativeUse, weekRow } from "../plan/load-profile.js";
import { localTime } from "../time/zone.js";

/** How far back a household still tells what it will do. */
export const LEARNING_DAYS = 56;
const HALF_LIFE_DAYS = 28;
/** Less than a day's worth teaches nothing. */
const LEAST_HOURS = 24;
/** Hours of measurement that weigh as much as the settings' daily use. */
const LEVEL_PRIOR_HOURS = 12;
/** Days of measurement that weigh as much as what is expected without them: by hour, by class of day, by weekday. */
const HOUR_PRIOR_DAYS = 5;
const CLASS_PRIOR_DAYS = 5;
const WEEKDAY_PRIOR_DAYS = 10;
/** Guests, holidays, a cold spell: so many days back tell the level of the next ones, and weigh against one usual day. */
const RECENT_DAYS = 2;
const RECENT_PRIOR_DAYS = 1;
/** Beyond this many times the 98 % quantile, and beyond what a house connection carries, it is a fault of the meter. */
const OUTLIER_FACTOR = 5;
const CONNECTION_KW = 15;

const WORKDAYS = [0, 1, 2, 3, 4];
const CLASSES = [WORKDAYS, [5], [6]];

export interface LearningOptions {
  now: Date;
  zone: string;
  /** What is expected without any measurement: the plant's settings. */
  prior: LoadProfile;
}

/** Sums over one hour of the week. */
interface Cell {
  /** Days of it that were measured, weighted by age. */
  days: number;
  /** Their use, kWh. */
  kwh: number;
}

/**
 * What the house uses by day of the week and clock hour, learnt from what was measured. Recent weeks weigh more
 * (half-life four weeks). Where little is known the expectation is a coarser one: a weekday leans on all workdays,
 * these on all days, and those on the settings' household scaled to this one's daily use; n measured days move it by
 * n / (n + k) (a normal prior with k days' weight). The last two days set the level of the next ones. A stretch of many
 * hours tells how much, not when: it is spread as the prior says. Undefined until a day's worth is measured.
 */
export function learnWeekProfile(
  measured: readonly EnergyStep[],
  options: LearningOptions,
): LoadProfile | undefined {
  const { now, zone, prior } = options;
  const shape = relativeUse(prior);
  const hours = plausible(hourly(measured, shape, options));
  const knownHours = hours.reduce((sum, hour) => sum + hour.hours, 0);
  if (knownHours < LEAST_HOURS) return undefined;

  const cells = Array.from({ length: 7 }, () =>
    Array.from({ length: 24 }, (): Cell => ({ days: 0, kwh: 0 })),
  );
  let level = LEVEL_PRIOR_HOURS * (prior.dailyKwh / 24);
  let levelWeight = LEVEL_PRIOR_HOURS;
  for (const { atMs, hours: length, powerKw } of hours) {
    const local = localTime(new Date(atMs), zone);
    const row = weekRow(local);
    const weight = length * 2 ** (-(now.getTime() - atMs) / (HALF_LIFE_DAYS * DAY_MS));
    const cell = cells[row]![local.hour]!;
    cell.days += weight;
    cell.kwh += weight * powerKw;
    level += weight * powerKw;
    levelWeight += weight * shape(row, local.hour);
  }
  const meanKw = Math.max(0, level / levelWeight);
  const week = shrunk(cells, (row, hour) => meanKw * shape(row, hour));
  const sum = week.flat().reduce((total, powerKw) => total + powerKw, 0);
  const mean = sum / (7 * 24);
  if (!(mean > 0)) return { dailyKwh: 0, week: week.map((row) => row.map(() => 1)) };
  const recently = recentFactor(hours, (row, hour) => week[row]![hour]!, mean, options);
  return { dailyKwh: 24 * mean * recently, week: week.map((row) => row.map((powerKw) => powerKw / mean)) };
}

/** Use of the last days relative to what the learnt week says of them. */
function recentFactor(
  hours: readonly Hour[],
  learntKw: (row: number, hour: number) => number,
  meanKw: number,
  { now, zone }: LearningOptions,
): number {
  const fromMs = now.getTime() - RECENT_DAYS * DAY_MS;
  let usedKwh = RECENT_PRIOR_DAYS * 24 * meanKw;
  let learntKwh = usedKwh;
  for (const { atMs, hours: length, powerKw } of hours) {
    if (atMs < fromMs) continue;
    const local = localTime(new Date(atMs), zone);
    usedKwh += length * powerKw;
    learntKwh += length * learntKw(weekRow(local), local.hour);
  }
  return Math.max(0, usedKwh) / learntKwh;
}

/** Means by row and hour, each level leaning on the coarser one before it; never negative. */
function shrunk(
  cells: readonly (readonly Cell[])[],
  prior: (row: number, hour: number) => number,
): number[][] {
  const week = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  for (let hour = 0; hour < 24; hour++) {
    const over = (rows: readonly number[], expected: (row: number) => number) => {
      let days = 0;
      let kwh = 0;
      let expectedKwh = 0;
      for (const row of rows) {
        const cell = cells[row]![hour]!;
        days += cell.days;
        kwh += cell.kwh;
        expectedKwh += cell.days * expected(row);
      }
      return { days, kwh, expectedKwh };
    };
    const all = over([0, 1, 2, 3, 4, 5, 6], (row) => prior(row, hour));
    // As a factor, so that what the prior knows of Sundays survives what was measured on workdays.
    const usual = [0, 1, 2, 3, 4, 5, 6].reduce((sum, row) => sum + prior(row, hour), 0) / 7;
    const backed = HOUR_PRIOR_DAYS * usual;
    const factor = usual > 0 ? Math.max(0, all.kwh + backed) / (all.expectedKwh + backed) : 1;
    for (const rows of CLASSES) {
      const expected = factor * prior(rows[0]!, hour);
      const ofClass = over(rows, () => 0);
      const classKw = leaning(ofClass, expected, CLASS_PRIOR_DAYS);
      for (const row of rows) {
        week[row]![hour] =
          rows.length === 1 ? classKw : leaning(cells[row]![hour]!, classKw, WEEKDAY_PRIOR_DAYS);
      }
    }
  }
  return week;
}

function leaning({ days, kwh }: Cell, expected: number, priorDays: number): number {
  return Math.max(0, (kwh + priorDays * expected) / (days + priorDays));
}

interface Hour {
  atMs: number;
  /** Length, at most 1 h. */
  hours: number;
  powerKw: number;
}

/** What was measured within the learning time, in pieces of an hour at most. */
function hourly(
  measured: readonly EnergyStep[],
  shape: (row: number, hour: number) => number,
  { now, zone }: LearningOptions,
): Hour[] {
  const fromMs = now.getTime() - LEARNING_DAYS * DAY_MS;
  return measured.flatMap(({ start, end, kwh }) => {
    if (start.getTime() < fromMs || end > now) return [];
    const pieces = hoursOf(start.getTime(), end.getTime());
    if (pieces.length === 1) return [{ ...pieces[0]!, powerKw: kwh / pieces[0]!.hours }];
    const weights = pieces.map(({ atMs }) => {
      const local = localTime(new Date(atMs), zone);
      return shape(weekRow(local), local.hour);
    });
    const total = pieces.reduce((sum, { hours }, index) => sum + hours * weights[index]!, 0);
    return pieces.map((piece, index) => ({
      ...piece,
      powerKw: total > 0 ? (kwh * weights[index]!) / total : 0,
    }));
  });
}

function hoursOf(startMs: number, endMs: number): Omit<Hour, "powerKw">[] {
  const pieces: Omit<Hour, "powerKw">[] = [];
  for (let atMs = startMs; atMs < endMs; ) {
    const nextMs = Math.min(endMs, (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS);
    pieces.push({ atMs, hours: (nextMs - atMs) / HOUR_MS });
    atMs = nextMs;
  }
  return pieces;
}

/** Without what no house does: a counter that jumped, a sensor gone mad. */
function plausible(hours: readonly Hour[]): Hour[] {
  const powers = Float64Array.from(hours, ({ powerKw }) => Math.abs(powerKw)).sort();
  const usualPeakKw = powers[Math.floor(0.98 * (powers.length - 1))] ?? 0;
  if (!(usualPeakKw > 0)) return [...hours];
  const leastKw = -OUTLIER_FACTOR * usualPeakKw;
  const mostKw = Math.max(OUTLIER_FACTOR * usualPeakKw, CONNECTION_KW);
  return hours.filter(({ powerKw }) => leastKw <= powerKw && powerKw <= mostKw);
}
