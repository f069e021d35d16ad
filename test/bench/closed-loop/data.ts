import { instantOf, localTime, VIENNA } from "../../../src/core/time/zone.js";
import { pvYield } from "../../../src/forecast/solar/pv-yield.js";
import { HOURLY_PRICES, RECORDED_WEATHER, recordedText } from "../../support/recorded-data.js";

export const QUARTER_MS = 900_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** A table of recorded values, column by column, by the instant in milliseconds. */
type Columns = { ms: number[]; values: Map<string, (number | undefined)[]> };

function readColumns(path: string): Columns {
  const [header, ...lines] = recordedText(path).trimEnd().split("\n");
  const names = header!.split(",");
  const ms: number[] = [];
  const values = new Map(names.slice(1).map((name) => [name, [] as (number | undefined)[]]));
  for (const line of lines) {
    const cells = line.split(",");
    const time = cells[0]!;
    ms.push(Date.parse(time.endsWith("Z") ? time : `${time}:00Z`));
    for (let k = 1; k < names.length; k++) {
      values.get(names[k]!)!.push(cells[k] === "" || cells[k] === undefined ? undefined : Number(cells[k]));
    }
  }
  return { ms, values };
}

/** Quarter-hours of a home's use, kWh by instant. */
export type LoadSeries = ReadonlyMap<number, number>;

/** What a home consists of: the load of the recording, and what is put together with it. */
export interface HomeParts {
  base: LoadSeries;
  /** A car or a heat pump, which may be measured apart. */
  device: LoadSeries | undefined;
  /** Ten days without anybody at home. */
  away: { fromMs: number; untilMs: number } | undefined;
}

const AWAY_DAYS = 10;

/**
 * Loads of the homes of the data folder, and of homes with an electric car put together from two recordings (`+ev:user@kW`), with a
 * simulated heat pump (`+hp`), or with ten days of absence (`+away:date`).
 */
export class Homes {
  readonly #cache = new Map<string, LoadSeries>();
  readonly #parts = new Map<string, HomeParts>();

  load(name: string): LoadSeries {
    let series = this.#cache.get(name);
    if (series === undefined) {
      const { base, device } = this.parts(name);
      series = device === undefined ? base : sumOf(base, device);
      this.#cache.set(name, series);
    }
    return series;
  }

  parts(name: string): HomeParts {
    let parts = this.#parts.get(name);
    if (parts === undefined) {
      const [home, extra] = name.split("+");
      const base = home === "aus" ? this.#ausgrid() : this.#meter(home!);
      const [what, value = ""] = (extra ?? "").split(":");
      const [user, powerKw] = value.split("@");
      const fromMs = Date.parse(`${value}T05:00:00Z`);
      const away = what === "away" ? { fromMs, untilMs: fromMs + AWAY_DAYS * DAY_MS } : undefined;
      const device =
        what === "ev"
          ? this.#car(base, user!, Number(powerKw ?? 11))
          : what === "hp"
            ? heatPump(base)
            : undefined;
      parts = { base: away === undefined ? base : emptied(base, away), device, away };
      this.#parts.set(name, parts);
    }
    return parts;
  }

  #meter(file: string): LoadSeries {
    const { ms, values } = readColumns(`household/at_smart_meter_15min/${file}.csv`);
    const used = values.get("import_kwh")!;
    const series = new Map<number, number>();
    ms.forEach((at, k) => {
      if (used[k] !== undefined) series.set(at, used[k]!);
    });
    return series;
  }

  /** The southern year is shifted by 653 weeks, so that its winter falls in January 2024. */
  #ausgrid(): LoadSeries {
    const { ms, values } = readColumns("household/ausgrid_customer12_load_pv_30min_2011_2012.csv");
    const load = values.get("load_kw")!;
    const series = new Map<number, number>();
    ms.forEach((at, k) => {
      const shifted = at + 653 * 7 * DAY_MS - HOUR_MS;
      series.set(shifted, load[k]! / 4);
      series.set(shifted + QUARTER_MS, load[k]! / 4);
    });
    return series;
  }

  /** Sessions of one user, shifted by whole weeks over the home's recording, charged at full power from plug-in on. */
  #car(home: LoadSeries, user: string, powerKw: number): LoadSeries {
    const lines = recordedText("household/ev_charging_sessions_trondheim_2018_2020.csv")
      .trimEnd()
      .split("\n");
    const names = lines[0]!.split(",");
    const at = (name: string) => names.findIndex((column) => column.includes(name));
    const [who, plugged, energy] = [names.indexOf("user"), at("plug_in"), at("energy_kwh")];
    const sessions = lines
      .slice(1)
      .map((line) => line.split(","))
      .filter((cells) => cells[who] === user)
      .map((cells) => ({
        ms: Date.parse(`${cells[plugged]!.replace(" ", "T").slice(0, 16)}:00Z`),
        kwh: Number(cells[energy]),
      }));
    const first = Math.min(...home.keys());
    const shift = Math.round((first - sessions[0]!.ms) / (7 * DAY_MS)) * 7 * DAY_MS - HOUR_MS;
    const series = new Map<number, number>();
    for (const session of sessions) {
      let left = session.kwh;
      for (let ms = Math.floor((session.ms + shift) / QUARTER_MS) * QUARTER_MS; left > 0; ms += QUARTER_MS) {
        const used = Math.min(left, powerKw / 4);
        if (home.has(ms)) series.set(ms, (series.get(ms) ?? 0) + used);
        left -= used;
      }
    }
    return series;
  }
}

function sumOf(base: LoadSeries, device: LoadSeries): LoadSeries {
  return new Map([...base].map(([ms, kwh]) => [ms, kwh + (device.get(ms) ?? 0)]));
}

/** A home in which nobody is for a time: every quarter-hour uses what the quietest tenth of the fourteen days before did at most. */
function emptied(base: LoadSeries, { fromMs, untilMs }: { fromMs: number; untilMs: number }): LoadSeries {
  const before = [...base].filter(([ms]) => ms >= fromMs - 14 * DAY_MS && ms < fromMs).map(([, kwh]) => kwh);
  const quiet = before.sort((a, b) => a - b)[Math.floor(before.length / 10)] ?? 0;
  return new Map(
    [...base].map(([ms, kwh]) => [ms, ms >= fromMs && ms < untilMs ? Math.min(kwh, quiet) : kwh] as const),
  );
}

/** Losses of the house, kW per °C below what needs no heating; power, efficiency and store of a heat pump that switches on and off. */
const LOSS_KW_PER_K = 0.18;
const HEATED_C = 16;
const PUMP_KW = 2.4;
const STORE_KWH = 6;

/** A heat pump without control: on when its store is empty, off when it is full; it heats less per kWh when it is cold. */
function heatPump(home: LoadSeries): LoadSeries {
  const temperature = new OutsideTemperature();
  const series = new Map<number, number>();
  let storedKwh = STORE_KWH / 2;
  let isOn = false;
  for (const ms of [...home.keys()].sort((a, b) => a - b)) {
    const celsius = temperature.at(ms);
    storedKwh -= (Math.max(0, HEATED_C - celsius) * LOSS_KW_PER_K) / 4;
    if (storedKwh <= 0) isOn = true;
    if (storedKwh >= STORE_KWH) isOn = false;
    if (!isOn) continue;
    series.set(ms, PUMP_KW / 4);
    storedKwh += (PUMP_KW / 4) * Math.max(1.5, 3 + 0.07 * celsius);
  }
  return series;
}

/** Recorded temperature; years without a recording have that of the recorded one. */
export class OutsideTemperature {
  readonly #celsius = new Map<string, number>();

  constructor() {
    const { ms, values } = readColumns(RECORDED_WEATHER);
    const temperature = values.get("temp_c")!;
    ms.forEach((at, k) => {
      const celsius = temperature[k];
      if (celsius !== undefined) this.#celsius.set(hourOfYear(at), celsius);
    });
  }

  at(ms: number): number {
    return this.#celsius.get(hourOfYear(ms)) ?? 10;
  }
}

const hourOfYear = (ms: number) => new Date(ms).toISOString().slice(5, 13);

/** Day-ahead prices of Austria by hour, ct/kWh without taxes. */
export function readPrices(): ReadonlyMap<number, number> {
  const { ms, values } = readColumns(HOURLY_PRICES);
  const price = [...values.values()][0]!;
  return new Map(ms.map((at, k) => [at, price[k]! / 10]));
}

/** PV energy by quarter-hour of a year, kWh per kWp, from recorded irradiance. */
export class Sun {
  /** By quarter-hour of the year of recording. */
  readonly #kwh = new Map<number, number>();
  readonly #first: number;
  readonly #last: number;

  constructor() {
    const { ms, values } = readColumns(RECORDED_WEATHER);
    const ghi = values.get("ghi_w_m2")!;
    const temperature = values.get("temp_c")!;
    const steps = ms.map((at, k) => ({
      start: new Date(at),
      end: new Date(at + QUARTER_MS),
      ghi: ghi[k] ?? 0,
      temperatureC: temperature[k] ?? 10,
    }));
    const energy = pvYield({
      latitude: 48.2,
      longitude: 14,
      tiltDeg: 35,
      azimuthDeg: 180,
      peakKw: 1,
      steps,
    });
    ms.forEach((at, k) => {
      this.#kwh.set(at, energy[k]!.kwh);
    });
    this.#first = ms[0]!;
    this.#last = ms.at(-1)!;
  }

  /**
   * Energy of a quarter-hour in another year. The recording lacks March to early June: there the day as long before the
   * summer solstice as the recorded one is behind it stands in.
   */
  kwh(atMs: number): number {
    const day = Math.floor(atMs / DAY_MS) * DAY_MS;
    return this.#kwh.get(this.#recordedDay(day) + (atMs - day)) ?? 0;
  }

  #recordedDay(day: number): number {
    const date = new Date(day);
    for (const year of [2025, 2026]) {
      const same = Date.UTC(year, date.getUTCMonth(), date.getUTCDate());
      if (same > this.#first && same + DAY_MS <= this.#last) return same;
    }
    const solstice = Date.UTC(2025, 5, 21);
    const same = Date.UTC(2025, date.getUTCMonth(), date.getUTCDate());
    return solstice + (solstice - same);
  }
}

/** The instant until which prices are known: the end of tomorrow from 13:00 local time, else of today. */
export function publishedUntil(nowMs: number): number {
  const local = localTime(new Date(nowMs), VIENNA);
  const days = local.hour >= 13 ? 2 : 1;
  const date = new Date(Date.UTC(local.year, local.month - 1, local.day + days)).toISOString().slice(0, 10);
  return instantOf(date, 0, VIENNA).getTime();
}
