import { HOUR_MS } from "../../core/domain/interval.js";
import { nodesOf } from "./load-nodes.js";

/** The last 24 hours of a device before an instant: energy of each, newest first, kWh. */
export interface RecentHours {
  atMs: number;
  hourKwh: readonly number[];
}

/** Hours of which the last energies are compared, and how far they may be apart, in hours at full power. */
const SPANS: readonly (readonly [hours: number, width: number])[] = [
  [1, 0.2],
  [3, 0.3],
  [6, 0.5],
];
/** Energies of the last day are alike within this share. */
const DAY_HOURS = 24;
const DAY_SHARE = 0.15;
/** Moments at another time of the day count less, by hours; older ones have half the weight after so many days. */
const CLOCK_HOURS = 8;
const HALF_LIFE_DAYS = 5;
const COMPARED_DAYS = 28;
/** Moments with less than this share of the greatest weight are left out. */
const LEAST_SHARE = 1e-3;

/**
 * What a device does next that switches itself, such as a heat pump or a boiler: what it did after those moments of the last weeks
 * before which it had run as it has now, at any time of the day.
 */
export class DeviceCycles {
  readonly #hourKwh: readonly (number | null)[];
  /** Energy before each hour; hours that are not known count as none. */
  readonly #beforeKwh: Float64Array;
  readonly #fromMs: number;
  /** Energy of an hour at full power, kWh. */
  readonly #fullKwh: number;
  #known: { recent: RecentHours; moments: { index: number; weight: number }[] } | undefined;

  constructor(hourKwh: readonly (number | null)[], fromMs: number) {
    this.#hourKwh = hourKwh;
    this.#fromMs = fromMs;
    this.#beforeKwh = new Float64Array(hourKwh.length + 1);
    for (const [index, kwh] of hourKwh.entries())
      this.#beforeKwh[index + 1] = this.#beforeKwh[index]! + (kwh ?? 0);
    const energies = hourKwh.filter((kwh) => kwh !== null).sort((a, b) => a - b);
    this.#fullKwh = energies[Math.floor(0.99 * (energies.length - 1))] ?? 0;
  }

  /** Energy of the clock hour `lead` hours after the one in progress, by rank, kWh; undefined where too little is known. */
  at(lead: number, recent: RecentHours): number[] | undefined {
    if (this.#known?.recent !== recent) this.#known = { recent, moments: this.#moments(recent) };
    // A clock hour begins in the middle of an hour that is counted from now on.
    const begun = lead === 0 ? 0 : (recent.atMs % HOUR_MS) / HOUR_MS;
    const members = this.#known.moments.flatMap(({ index, weight }) => {
      const before = begun === 0 ? 0 : this.#hourKwh[index + lead - 1];
      const kwh = this.#hourKwh[index + lead];
      if (typeof before !== "number" || typeof kwh !== "number") return [];
      return [{ kwh: begun * before + (1 - begun) * kwh, weight }];
    });
    return members.length === 0 ? undefined : nodesOf(members, 0);
  }

  /** Hours that began as the next one does, with their weight. */
  #moments({ atMs, hourKwh }: RecentHours) {
    const now = (atMs - this.#fromMs) / HOUR_MS;
    const recentKwh = (hours: number) => hourKwh.slice(0, hours).reduce((sum, kwh) => sum + kwh, 0);
    const spans = SPANS.map(([hours, width]) => ({
      hours,
      kwh: recentKwh(hours),
      widthKwh: Math.max(1e-6, width * this.#fullKwh),
    }));
    const dayKwh = recentKwh(DAY_HOURS);
    const day = {
      hours: DAY_HOURS,
      kwh: dayKwh,
      widthKwh: DAY_SHARE * Math.max(dayKwh, this.#fullKwh, 1e-6),
    };
    const first = Math.max(DAY_HOURS, Math.ceil(now) - COMPARED_DAYS * 24);
    const moments = [];
    let most = 0;
    for (let index = first; index < Math.min(now, this.#hourKwh.length); index++) {
      let apart = 0;
      for (const { hours, kwh, widthKwh } of [...spans, day])
        apart += Math.abs(this.#beforeKwh[index]! - this.#beforeKwh[index - hours]! - kwh) / widthKwh;
      const age = now - index;
      const clock = Math.min(age % 24, 24 - (age % 24)) / CLOCK_HOURS;
      const weight = 2 ** (-age / 24 / HALF_LIFE_DAYS) * Math.exp(-apart - clock);
      most = Math.max(most, weight);
      moments.push({ index, weight });
    }
    return moments.filter(({ weight }) => weight >= LEAST_SHARE * most);
  }
}
