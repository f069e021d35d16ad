import type { TimedValue } from "../../domain/counter.js";
import { DAY_MS, floorTo, MINUTE_MS, QUARTER_MS } from "../../domain/interval.js";

type Read = (siteId: string, from: Date, to: Date) => Promise<readonly TimedValue[]>;

/** The measured SOC of the last 24 hours for the chart, read at most once a minute per site. */
export class SocHistory {
  readonly #read: Read;
  readonly #cache = new Map<string, { minute: number; points: Promise<TimedValue[]> }>();

  constructor(read: Read) {
    this.#read = read;
  }

  /** One value per quarter-hour: the last one in it. */
  of(siteId: string, now: Date): Promise<TimedValue[]> {
    const minute = floorTo(now.getTime(), MINUTE_MS);
    const cached = this.#cache.get(siteId);
    if (cached?.minute === minute) return cached.points;
    const points = this.#points(siteId, now);
    this.#cache.set(siteId, { minute, points });
    points.catch(() => this.#cache.delete(siteId));
    return points;
  }

  async #points(siteId: string, now: Date): Promise<TimedValue[]> {
    const readings = await this.#read(siteId, new Date(now.getTime() - DAY_MS), now);
    const last = new Map(readings.map((reading) => [floorTo(reading.at.getTime(), QUARTER_MS), reading]));
    return [...last.values()];
  }
}
