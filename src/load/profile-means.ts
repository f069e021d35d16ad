import { DAY_KINDS, type LocalHour } from "./local-hours.js";

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
export class ProfileMeans {
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
