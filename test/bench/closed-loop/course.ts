import { VIENNA } from "../../../src/core/time/zone.js";
import { LocalHours } from "../../../src/forecast/load/local-hours.js";
import { seeded } from "../../support/random.js";
import { DAY_MS, HOUR_MS, type HomeParts, type Homes, QUARTER_MS, type Sun } from "./data.js";

/** A home-month. */
export interface Cell {
  home: string;
  /** First day, at midnight UTC. */
  start: string;
  days: number;
  peakKw: number;
  batteryKwh: number;
  feedIn: "fixed" | "spot";
  set: "tuning" | "unseen" | "last" | "facts";
  irregular: boolean;
}

/** What is known in advance instead of forecast: to find out what the remaining loss is made of. */
export interface Known {
  /** All of it, or the first hours of each plan. */
  load?: boolean | number;
  pv?: boolean;
  price?: boolean;
}

export interface World {
  homes: Homes;
  sun: Sun;
  prices: ReadonlyMap<number, number>;
}

/** All that happens in a cell, by quarter-hour from its start. */
export class Course {
  readonly startMs: number;
  readonly count: number;
  readonly load: Float64Array;
  readonly pv: Float64Array;
  readonly importCt: Float64Array;
  readonly exportCt: Float64Array;
  readonly #cell: Cell;
  readonly #world: World;
  readonly #forecasts = new Map<string, number>();
  readonly #local = LocalHours.of(VIENNA);
  readonly #known: Known;
  readonly #pvHours = new Map<number, number>();
  readonly #dayError = new Map<number, number>();
  readonly series: ReadonlyMap<number, number>;
  readonly parts: HomeParts;

  constructor(cell: Cell, world: World, known: Known = {}) {
    this.#cell = cell;
    this.#known = known;
    this.#world = world;
    this.startMs = Date.parse(`${cell.start}T00:00:00Z`);
    this.count = cell.days * 96;
    this.series = world.homes.load(cell.home);
    this.parts = world.homes.parts(cell.home);
    const at = (k: number) => this.startMs + k * QUARTER_MS;
    this.load = Float64Array.from({ length: this.count }, (_, k) => this.series.get(at(k)) ?? 0);
    this.pv = Float64Array.from({ length: this.count }, (_, k) => this.pvAt(at(k)));
    this.importCt = Float64Array.from({ length: this.count }, (_, k) => this.importAt(at(k)));
    this.exportCt = Float64Array.from({ length: this.count }, (_, k) => this.exportAt(at(k)));
  }

  pvAt(ms: number): number {
    return this.#cell.peakKw === 0 ? 0 : this.#cell.peakKw * this.#world.sun.kwh(ms);
  }

  spot(ms: number): number {
    return this.#world.prices.get(Math.floor(ms / HOUR_MS) * HOUR_MS) ?? 0;
  }

  importAt(ms: number): number {
    return allIn(this.spot(ms));
  }

  exportAt(ms: number): number {
    return this.#cell.feedIn === "fixed" ? 7 : this.spot(ms) - 0.6;
  }

  /**
   * Spot as known when prices are published until `untilMs`; beyond: the mean of the last four days of the same type at
   * the same hour, moved by six tenths of what the last published day was off that mean.
   */
  spotForecast(ms: number, untilMs: number): number {
    if (ms < untilMs || this.#known.price) return this.spot(ms);
    const key = `${untilMs} ${ms}`;
    let forecast = this.#forecasts.get(key);
    if (forecast === undefined) {
      let off = 0;
      for (let at = untilMs - DAY_MS; at < untilMs; at += HOUR_MS) {
        off += (this.spot(at) - this.#sameType(at, untilMs - DAY_MS)) / 24;
      }
      forecast = this.#sameType(ms, untilMs) + 0.6 * off;
      this.#forecasts.set(key, forecast);
    }
    return forecast;
  }

  #sameType(ms: number, beforeMs: number): number {
    const { kind } = this.#local.at(ms);
    let sum = 0;
    let count = 0;
    for (let at = ms - DAY_MS; count < 4; at -= DAY_MS) {
      if (at >= beforeMs || this.#local.at(at).kind !== kind) continue;
      sum += this.spot(at);
      count++;
    }
    return sum / count;
  }

  /**
   * PV forecast of an hour, kWh: the recorded energy smoothed over three hours, with an error of the day that persists
   * (20 % standard deviation), drawn to the mean of the week around by 10 % a day of lead time.
   */
  pvForecast(hourMs: number, nowMs: number): number {
    if (this.#cell.peakKw === 0) return 0;
    if (this.#known.pv) {
      let sum = 0;
      for (let q = 0; q < 4; q++) sum += this.pvAt(hourMs + q * QUARTER_MS);
      return sum;
    }
    const lead = Math.floor((hourMs - nowMs) / DAY_MS);
    const share = 0.95 - 0.08 * lead;
    const hour = (ms: number) => {
      let sum = this.#pvHours.get(ms);
      if (sum === undefined) {
        sum = 0;
        for (let q = 0; q < 4; q++) sum += this.pvAt(ms + q * QUARTER_MS);
        this.#pvHours.set(ms, sum);
      }
      return sum;
    };
    const smooth = 0.25 * hour(hourMs - HOUR_MS) + 0.5 * hour(hourMs) + 0.25 * hour(hourMs + HOUR_MS);
    let week = 0;
    for (const d of [-6, -5, -4, -3, -2, -1]) week += hour(hourMs + (d - lead) * DAY_MS) / 6;
    const day = Math.floor(hourMs / DAY_MS);
    let error = this.#dayError.get(day);
    if (error === undefined) {
      const random = seeded(day * 7919);
      error = 1 + 0.15 * (random.next() + random.next() + random.next() - 1.5) * 2;
      this.#dayError.set(day, error);
    }
    return Math.max(0, share * smooth * error + (1 - share) * week);
  }
}

/** A typical Austrian supply contract on the spot price: fees, network and taxes, 20 % tax on all. */
export function allIn(spotCt: number): number {
  return (spotCt + 1.5 + 9) * 1.2;
}
