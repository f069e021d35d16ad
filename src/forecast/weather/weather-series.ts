import { HOUR_MS } from "../../core/domain/interval.js";
import type { Condition } from "./condition.js";

/** The known weather of one hour; unknown values are missing. */
export interface WeatherSeriesHour {
  start: Date;
  /** Global horizontal irradiance, W/m2, mean over the hour. */
  ghi?: number | undefined;
  /** Direct normal irradiance, W/m2, mean over the hour. */
  dni?: number | undefined;
  /** Diffuse horizontal irradiance, W/m2, mean over the hour. */
  dhi?: number | undefined;
  temperatureC?: number | undefined;
  cloudCoverPct?: number | undefined;
  /** 10 m above the ground. */
  windSpeedMs?: number | undefined;
  precipitationMm?: number | undefined;
  condition?: Condition | undefined;
}

/** Numeric readings with their plausible ranges. */
const WEATHER_READINGS = {
  ghi: { min: 0, max: 1600 },
  dni: { min: 0, max: 1500 },
  dhi: { min: 0, max: 1200 },
  temperatureC: { min: -90, max: 60 },
  cloudCoverPct: { min: 0, max: 100 },
  windSpeedMs: { min: 0, max: 120 },
  precipitationMm: { min: 0, max: 400 },
} as const;

export type WeatherReading = keyof typeof WEATHER_READINGS;

export const WEATHER_READING_NAMES = Object.keys(WEATHER_READINGS) as WeatherReading[];

/** A plausible value; undefined otherwise. Slightly negative irradiance, as measured at night, is 0. */
export function usable(reading: WeatherReading, value: unknown): number | undefined {
  if (typeof value !== "number") return undefined;
  const { min, max } = WEATHER_READINGS[reading];
  const isLight = reading === "ghi" || reading === "dni" || reading === "dhi";
  if (isLight && value < 0 && value > -20) return 0;
  return value >= min && value <= max ? value : undefined;
}

/** Hourly weather of one place. Immutable; may have gaps. */
export class WeatherSeries {
  static readonly empty = new WeatherSeries(new Map());
  readonly #hours: ReadonlyMap<number, WeatherSeriesHour>;

  private constructor(hours: ReadonlyMap<number, WeatherSeriesHour>) {
    this.#hours = hours;
  }

  static of(hours: Iterable<WeatherSeriesHour>): WeatherSeries {
    return WeatherSeries.empty.with(hours);
  }

  /** The hour that contains the instant (ms); undefined if it is unknown. */
  hour(atMs: number): WeatherSeriesHour | undefined {
    return this.#hours.get(Math.floor(atMs / HOUR_MS) * HOUR_MS);
  }

  /**
   * The weather of the 60 minutes from an instant (ms) on. If they lie in two hours, as in zones with offsets of half and
   * quarter hours, the hours are weighted by their shares.
   */
  from(startMs: number): Partial<WeatherSeriesHour> {
    const share = (startMs - Math.floor(startMs / HOUR_MS) * HOUR_MS) / HOUR_MS;
    const first: Partial<WeatherSeriesHour> = this.hour(startMs) ?? {};
    if (share === 0) return first;
    const second: Partial<WeatherSeriesHour> = this.hour(startMs + HOUR_MS) ?? {};
    const known = share < 0.5 ? { ...second, ...first } : { ...first, ...second };
    for (const reading of WEATHER_READING_NAMES) {
      const [before, after] = [first[reading], second[reading]];
      if (before !== undefined && after !== undefined) known[reading] = before + (after - before) * share;
    }
    return known;
  }

  /** All hours in order of time. */
  hours(): WeatherSeriesHour[] {
    return [...this.#hours.values()].sort((a, b) => a.start.getTime() - b.start.getTime());
  }

  get isEmpty(): boolean {
    return this.#hours.size === 0;
  }

  /** This series with newer hours merged by reading: values missing in the newer hours are kept. */
  with(hours: Iterable<WeatherSeriesHour>): WeatherSeries {
    const merged = new Map(this.#hours);
    for (const hour of hours) {
      const known = Object.fromEntries(Object.entries(hour).filter(([, value]) => value !== undefined));
      const at = hour.start.getTime();
      merged.set(at, { ...merged.get(at), ...known, start: hour.start });
    }
    return new WeatherSeries(merged);
  }

  /** The hours that begin in `[fromMs, toMs)`. */
  within(fromMs: number, toMs: number): WeatherSeries {
    return new WeatherSeries(new Map([...this.#hours].filter(([at]) => at >= fromMs && at < toMs)));
  }
}
