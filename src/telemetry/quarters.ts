import type { TimedValue } from "../core/domain/counter.js";
import { type EnergyStep, HOUR_MS, type Interval, MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { PowerMeaning } from "./agreeing-readings.js";
import { counterSteps } from "./plausible-history.js";
import type { ReadingLimits } from "./reading-limits.js";
import { isMultiple, REST_KW } from "./soc-correction.js";

/** A power applies until the next reading, but no longer than this. */
const HOLD_MS = 30 * MINUTE_MS;
/** Many devices report 0 once and then send nothing while idle; for this long the 0 applies. */
const REST_HOLD_MS = 18 * HOUR_MS;
/** A quarter-hour counts as known if at least this share of it is. */
const LEAST_COVERAGE = 2 / 3;
/** A counter whose readings are multiples of this shows an energy only when it moves on, kWh. */
const COARSE_KWH = 0.05;
/** A counter whose energy differs from that of the power by this factor, and this much, counts something else, or nothing. */
const OTHER_TIMES = 2;
const OTHER_KWH = 1;

/** Energy of a power that applies from each reading to the next, or is the mean since the reading before. */
export function powerPieces(
  readings: readonly TimedValue[],
  meaning: PowerMeaning = "instant",
): EnergyStep[] {
  return readings.map(({ at, value }, index) => {
    const atMs = at.getTime();
    const longest = Math.abs(value) <= REST_KW ? REST_HOLD_MS : HOLD_MS;
    const otherMs =
      meaning === "mean"
        ? (readings[index - 1]?.at.getTime() ?? atMs)
        : (readings[index + 1]?.at.getTime() ?? Infinity);
    const durationMs = Math.min(longest, Math.abs(otherMs - atMs));
    const startMs = meaning === "mean" ? atMs - durationMs : atMs;
    return {
      start: new Date(startMs),
      end: new Date(startMs + durationMs),
      kwh: (value * durationMs) / HOUR_MS,
    };
  });
}

/**
 * A state, such as that of a plug, of a device whose powers are means: it too is that of the time since the reading before, unless that is
 * too long ago, because it is reported when it changes.
 */
export function plugStates(readings: readonly TimedValue[], meaning: PowerMeaning): readonly TimedValue[] {
  if (meaning !== "mean") return readings;
  return readings.map(({ at, value }, index) => {
    const before = readings[index - 1]?.at;
    const isSince = before !== undefined && at.getTime() - before.getTime() <= HOLD_MS;
    return { at: isSince ? before : at, value };
  });
}

/**
 * Energy between the readings of the counter of a device. One with few digits is right at the moment when it moves on: what it
 * repeats in between is left out.
 */
export function counterPieces(readings: readonly TimedValue[], limits?: ReadingLimits): EnergyStep[] {
  const isCoarse = readings.every(({ value }) => isMultiple(value, COARSE_KWH));
  const exact = isCoarse
    ? readings.filter(({ value }, index) => index === 0 || value !== readings[index - 1]!.value)
    : readings;
  return counterSteps(exact, limits).filter(({ isLong }) => !isLong);
}

/** Energies distributed over the quarter-hours of a period, each piece evenly over its time. */
export class Quarters {
  readonly count: number;
  readonly isEmpty: boolean;
  readonly #kwh: Float64Array;
  readonly #coveredMs: Float64Array;

  constructor({ start, end }: Interval, pieces: readonly EnergyStep[]) {
    const startMs = start.getTime();
    this.count = Math.floor((end.getTime() - startMs) / QUARTER_MS);
    this.#kwh = new Float64Array(this.count);
    this.#coveredMs = new Float64Array(this.count);
    let covered = false;
    for (const piece of pieces) {
      const fromMs = piece.start.getTime() - startMs;
      const toMs = piece.end.getTime() - startMs;
      const last = Math.min(this.count - 1, Math.ceil(toMs / QUARTER_MS) - 1);
      for (let index = Math.max(0, Math.floor(fromMs / QUARTER_MS)); index <= last; index++) {
        const overlapMs = Math.min(toMs, (index + 1) * QUARTER_MS) - Math.max(fromMs, index * QUARTER_MS);
        if (overlapMs <= 0) continue;
        this.#kwh[index]! += (piece.kwh * overlapMs) / (toMs - fromMs);
        this.#coveredMs[index]! += overlapMs;
        covered = true;
      }
    }
    this.isEmpty = !covered;
  }

  /** Energy of a quarter-hour, kWh; undefined if too little of it is known. */
  kwh(index: number): number | undefined {
    const coveredMs = this.#coveredMs[index] ?? 0;
    if (coveredMs < LEAST_COVERAGE * QUARTER_MS) return undefined;
    return (this.#kwh[index]! * QUARTER_MS) / coveredMs;
  }

  all(): (number | undefined)[] {
    return Array.from({ length: this.count }, (_, index) => this.kwh(index));
  }
}

/** The energies of a counter, and where it is not known those of the power of the same quantity. */
export function countedOr(counter: Quarters, power: Quarters): Pick<Quarters, "kwh" | "isEmpty"> {
  let [countedKwh, powerKwh] = [0, 0];
  for (let index = 0; index < counter.count; index++) {
    const [one, other] = [counter.kwh(index), power.kwh(index)];
    if (one === undefined || other === undefined) continue;
    countedKwh += one;
    powerKwh += Math.max(0, other);
  }
  const isOther =
    Math.abs(countedKwh - powerKwh) > OTHER_KWH &&
    Math.max(countedKwh, powerKwh) > OTHER_TIMES * Math.min(countedKwh, powerKwh);
  if (isOther || counter.isEmpty) return power;
  return {
    isEmpty: false,
    kwh: (index) => counter.kwh(index) ?? power.kwh(index),
  };
}
