import { DAY_MS, floorTo, HOUR_MS } from "../../core/domain/interval.js";
import { localTime } from "../../core/time/zone.js";
import { dayType } from "../price/calendar.js";

/** Kinds of day with a load profile of their own. */
export const DAY_KINDS = ["workday", "saturday", "sunday"] as const;

/** Clock hour, kind of day (index of DAY_KINDS) and local date (days since 1970) of an instant. */
export interface LocalHour {
  hour: number;
  kind: number;
  day: number;
}

/** Days that are kept of a zone: more than two years of them. */
const MOST_DAYS = 800;

/** Looks up local hours; asks the zone twice a day only, except where clocks change. */
export class LocalHours {
  static readonly #byZone = new Map<string, LocalHours>();
  readonly #zone: string;
  readonly #days = new Map<number, LocalHour[]>();

  private constructor(zone: string) {
    this.#zone = zone;
  }

  /** The hours of a zone, the same for all models. */
  static of(zone: string): LocalHours {
    let hours = LocalHours.#byZone.get(zone);
    if (hours === undefined) {
      hours = new LocalHours(zone);
      LocalHours.#byZone.set(zone, hours);
    }
    return hours;
  }

  at(ms: number): LocalHour {
    const day = floorTo(ms, DAY_MS);
    let hours = this.#days.get(day);
    if (hours === undefined) {
      hours = this.#hoursOf(day);
      if (this.#days.size >= MOST_DAYS) this.#days.clear();
      this.#days.set(day, hours);
    }
    return hours[Math.floor((ms - day) / HOUR_MS)]!;
  }

  #hoursOf(day: number): LocalHour[] {
    const ask = (k: number): LocalHour => {
      const local = localTime(new Date(day + k * HOUR_MS), this.#zone);
      return {
        hour: local.hour,
        kind: DAY_KINDS.indexOf(dayType(local)),
        day: Date.parse(`${local.date}T00:00:00Z`) / DAY_MS,
      };
    };
    const first = ask(0);
    const last = ask(23);
    if (last.hour !== (first.hour + 23) % 24) return Array.from({ length: 24 }, (_, k) => ask(k));
    return Array.from({ length: 24 }, (_, k) => ({
      hour: (first.hour + k) % 24,
      kind: first.hour + k < 24 ? first.kind : last.kind,
      day: first.hour + k < 24 ? first.day : last.day,
    }));
  }
}
