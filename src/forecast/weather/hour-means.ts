import { floorTo, HOUR_MS } from "../../core/domain/interval.js";
import type { Condition } from "./condition.js";
import {
  usable,
  WEATHER_READING_NAMES,
  type WeatherReading,
  type WeatherSeriesHour,
} from "./weather-series.js";

/** Aggregates values of any step to elapsed hours. */
export class HourMeans {
  readonly #sums = new Map<number, Map<WeatherReading, { sum: number; count: number }>>();
  readonly #conditions = new Map<number, Condition>();
  #unusable = 0;

  /** Adds a value valid from `atMs` on; null and undefined are gaps, implausible values are counted. */
  add(atMs: number, reading: WeatherReading, value: unknown): void {
    if (value === null || value === undefined) return;
    const used = usable(reading, value);
    if (used === undefined || !Number.isFinite(atMs)) {
      this.#unusable++;
      return;
    }
    const startMs = floorTo(atMs, HOUR_MS);
    const hour = this.#sums.get(startMs) ?? new Map<WeatherReading, { sum: number; count: number }>();
    const { sum, count } = hour.get(reading) ?? { sum: 0, count: 0 };
    hour.set(reading, { sum: sum + used, count: count + 1 });
    this.#sums.set(startMs, hour);
  }

  /** The first condition within an hour is used for that hour. */
  addCondition(atMs: number, condition: Condition | undefined): void {
    const startMs = floorTo(atMs, HOUR_MS);
    if (condition !== undefined && !this.#conditions.has(startMs)) this.#conditions.set(startMs, condition);
  }

  /** Number of values that could not be used. */
  get unusable(): number {
    return this.#unusable;
  }

  /** The hours in order of time: means, for precipitation the sum. */
  hours(): WeatherSeriesHour[] {
    const starts = [...this.#sums.keys()].sort((a, b) => a - b);
    return starts.map((startMs) => {
      const sums = this.#sums.get(startMs)!;
      const hour: WeatherSeriesHour = { start: new Date(startMs) };
      for (const reading of WEATHER_READING_NAMES) {
        const entry = sums.get(reading);
        if (entry === undefined) continue;
        hour[reading] = reading === "precipitationMm" ? entry.sum : entry.sum / entry.count;
      }
      const condition = this.#conditions.get(startMs);
      return condition === undefined ? hour : { ...hour, condition };
    });
  }
}
