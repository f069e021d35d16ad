import { HOUR_MS } from "../domain/interval.js";
import type { CountryWeather, WeatherForFeatures } from "./weather-features.js";

/** Countries whose weather moves the Austrian price, in the order of their places in a table. */
export const COUNTRIES = ["germany", "austria"] as const;
export type Country = (typeof COUNTRIES)[number];

/** Readings of a country, in the order of their places in a table. */
export const COUNTRY_READINGS = [
  "windMs",
  "irradianceWm2",
  "temperatureC",
] as const satisfies readonly (keyof CountryWeather)[];

/** Numbers an hour: a reading a country. */
export const HOUR_WIDTH = COUNTRIES.length * COUNTRY_READINGS.length;

/** A weather forecast as it was issued, as a table: structured-cloneable and small. */
export interface WeatherTable {
  issuedAtMs: number;
  /** The first hour, on the full hour. */
  startMs: number;
  /** [hour][country][reading]; NaN where nothing is known. */
  values: Float32Array;
}

/** How far ahead an issue speaks however old it is; beyond that only while it is fresh. */
const ALWAYS_SPEAKS_MS = 48 * HOUR_MS;
const FRESH_MS = 36 * HOUR_MS;
/** Issues older than this have nothing to say of the days that features look at. */
const OLDEST_MS = 10 * 24 * HOUR_MS;

/**
 * All issues of the weather held, in order of issue. Whoever asks names an instant, and nothing that was issued later is looked
 * at.
 */
export class ForecastIssueSet {
  static readonly empty = new ForecastIssueSet([]);
  /** In order of issue. */
  readonly tables: readonly WeatherTable[];

  private constructor(tables: readonly WeatherTable[]) {
    this.tables = tables;
  }

  static of(tables: readonly WeatherTable[]): ForecastIssueSet {
    return new ForecastIssueSet([...tables].sort((a, b) => a.issuedAtMs - b.issuedAtMs));
  }

  /** The issues of the library's interface as tables. */
  static from(weather: WeatherForFeatures): ForecastIssueSet {
    return ForecastIssueSet.of(
      weather.issues.flatMap(({ issuedAt, hours }) => {
        const starts = hours.map(({ start }) => Math.floor(start.getTime() / HOUR_MS) * HOUR_MS);
        if (starts.length === 0) return [];
        const startMs = starts.reduce((least, one) => Math.min(least, one));
        const endMs = starts.reduce((most, one) => Math.max(most, one)) + HOUR_MS;
        const values = new Float32Array(((endMs - startMs) / HOUR_MS) * HOUR_WIDTH).fill(Number.NaN);
        hours.forEach((hour, index) => {
          const base = ((starts[index]! - startMs) / HOUR_MS) * HOUR_WIDTH;
          COUNTRIES.forEach((country, place) => {
            const told = hour[country];
            if (told === undefined) return;
            COUNTRY_READINGS.forEach((reading, slot) => {
              values[base + place * COUNTRY_READINGS.length + slot] = told[reading];
            });
          });
        });
        return [{ issuedAtMs: issuedAt.getTime(), startMs, values }];
      }),
    );
  }

  get isEmpty(): boolean {
    return this.tables.length === 0;
  }

  /** Without the issues after an instant. */
  until(ms: number): ForecastIssueSet {
    const count = this.#firstAfter(ms);
    return count === this.tables.length ? this : new ForecastIssueSet(this.tables.slice(0, count));
  }

  /** With one issue more. */
  with(table: WeatherTable): ForecastIssueSet {
    return ForecastIssueSet.of([...this.tables, table]);
  }

  /**
   * What was known at `nowMs` of `hours` hours from `startMs` on, [hour][country][reading], of each hour from the newest issue that
   * tells it; NaN where none does. An issue older than 36 hours tells no more than its first two days.
   */
  knownAt(nowMs: number, startMs: number, hours: number): Float32Array {
    const known = new Float32Array(hours * HOUR_WIDTH).fill(Number.NaN);
    const endMs = startMs + hours * HOUR_MS;
    for (let index = this.#firstAfter(nowMs - OLDEST_MS); index < this.tables.length; index++) {
      const table = this.tables[index]!;
      if (table.issuedAtMs > nowMs) break;
      const speaksUntilMs =
        nowMs - table.issuedAtMs <= FRESH_MS ? Infinity : table.issuedAtMs + ALWAYS_SPEAKS_MS;
      const from = Math.max(startMs, table.startMs);
      const until = Math.min(
        endMs,
        speaksUntilMs,
        table.startMs + (table.values.length / HOUR_WIDTH) * HOUR_MS,
      );
      for (let at = from; at < until; at += HOUR_MS) {
        const source = ((at - table.startMs) / HOUR_MS) * HOUR_WIDTH;
        const target = ((at - startMs) / HOUR_MS) * HOUR_WIDTH;
        for (let slot = 0; slot < HOUR_WIDTH; slot++) {
          const value = table.values[source + slot]!;
          if (!Number.isNaN(value)) known[target + slot] = value;
        }
      }
    }
    return known;
  }

  /** Index of the first table issued after an instant. */
  #firstAfter(ms: number): number {
    let low = 0;
    let high = this.tables.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tables[middle]!.issuedAtMs > ms) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** True when both hold the same issues up to an instant. */
  agreesWith(other: ForecastIssueSet, untilMs: number): boolean {
    const count = this.#firstAfter(untilMs);
    if (count !== other.#firstAfter(untilMs)) return false;
    for (let index = 0; index < count; index++)
      if (!sameTable(this.tables[index]!, other.tables[index]!)) return false;
    return true;
  }
}

function sameTable(one: WeatherTable, other: WeatherTable): boolean {
  if (one === other || one.values === other.values) return one.issuedAtMs === other.issuedAtMs;
  return (
    one.issuedAtMs === other.issuedAtMs &&
    one.startMs === other.startMs &&
    one.values.length === other.values.length &&
    one.values.every((value, index) => Object.is(value, other.values[index]))
  );
}
