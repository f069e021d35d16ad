import { HOUR_MS } from "../../core/domain/interval.js";

/** Countries whose weather influences the Austrian price, in the order of the table columns. */
export const COUNTRIES = ["germany", "austria"] as const;
export type Country = (typeof COUNTRIES)[number];

/** Readings of a country, in the order of the table columns. */
export const COUNTRY_READINGS = [
  "windMs",
  "irradianceWm2",
  "temperatureC",
] as const satisfies readonly (keyof CountryWeather)[];

/** Numbers per hour: one per reading and country. */
export const HOUR_WIDTH = COUNTRIES.length * COUNTRY_READINGS.length;

/** An issued weather forecast as a compact, structured-cloneable table. */
export interface WeatherTable {
  issuedAtMs: number;
  /** Start of the first hour, on a full hour. */
  startMs: number;
  /** [hour][country][reading]; NaN where nothing is known. */
  values: Float32Array;
}

/** Range of an issue regardless of its age; beyond that it is used only while it is recent. */
const ALWAYS_VALID_MS = 48 * HOUR_MS;
const FRESH_MS = 36 * HOUR_MS;
/** Older issues do not cover the days that features use. */
const OLDEST_MS = 10 * 24 * HOUR_MS;

/**
 * Issued weather forecasts in order of issue. Queries name an instant; issues after that instant are ignored.
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

  /** Creates the set from the issues of the library interface. */
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
            const readings = hour[country];
            if (readings === undefined) return;
            COUNTRY_READINGS.forEach((reading, slot) => {
              values[base + place * COUNTRY_READINGS.length + slot] = readings[reading];
            });
          });
        });
        return [{ issuedAtMs: issuedAt.getTime(), startMs, values }];
      }),
    );
  }

  until(ms: number): ForecastIssueSet {
    const count = this.#firstAfter(ms);
    return count === this.tables.length ? this : new ForecastIssueSet(this.tables.slice(0, count));
  }

  with(table: WeatherTable): ForecastIssueSet {
    return ForecastIssueSet.of([...this.tables, table]);
  }

  /**
   * The weather known at `nowMs` for `hours` hours from `startMs` on, [hour][country][reading]: for each hour that of the
   * newest issue that contains it; NaN if none does. Of an issue older than 36 hours only the first two days are used.
   */
  knownAt(nowMs: number, startMs: number, hours: number): Float32Array {
    const known = new Float32Array(hours * HOUR_WIDTH).fill(Number.NaN);
    const endMs = startMs + hours * HOUR_MS;
    for (let index = this.#firstAfter(nowMs - OLDEST_MS); index < this.tables.length; index++) {
      const table = this.tables[index]!;
      if (table.issuedAtMs > nowMs) break;
      const validUntilMs =
        nowMs - table.issuedAtMs <= FRESH_MS ? Infinity : table.issuedAtMs + ALWAYS_VALID_MS;
      const from = Math.max(startMs, table.startMs);
      const until = Math.min(
        endMs,
        validUntilMs,
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

  /** True if both contain the same issues up to an instant. */
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

/** Weather of one hour over a country: a mean of several places, weighted by installed wind power and PV. */
export interface CountryWeather {
  /** Wind speed at 100 m above ground, m/s: the uniform speed with the same total wind power. */
  windMs: number;
  /** Global horizontal irradiance, W/m2. */
  irradianceWm2: number;
  /** Air temperature at 2 m, degrees Celsius. */
  temperatureC: number;
}

/** One forecast hour, UTC. Countries with unknown weather are missing. */
export interface WeatherHour {
  start: Date;
  germany?: CountryWeather | undefined;
  austria?: CountryWeather | undefined;
}

/** An issued weather forecast: neither an analysis nor a later forecast. */
export interface WeatherIssue {
  /** When the forecast became available; one issued after the `now` of a price forecast is ignored. */
  issuedAt: Date;
  hours: readonly WeatherHour[];
}

/**
 * Issued weather for a price forecast, including past issues, so that a model can learn from the weather known on each past
 * day. Each issue should cover the hours from the beginning of its day to nine days ahead.
 */
export interface WeatherForFeatures {
  issues: readonly WeatherIssue[];
}
