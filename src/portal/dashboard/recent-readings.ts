import type { Site } from "../../config/site.js";
import type { TimedValue } from "../../core/domain/counter.js";
import { DAY_MS, floorTo, MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import type { QuarterColumns } from "../../money/ledger/stored-day.js";
import type { SampleArchive } from "../../store/sample-archive.js";

/** The quarter-hours of a day as the ledger has them. */
export interface MeasuredDay {
  start: Date;
  quarters: QuarterColumns;
}

/** What was measured of a site, for the chart and the figures of today. */
export interface RecentReadings {
  /** SOC of the last 24 hours: one value per quarter-hour, the last one in it. */
  soc: readonly TimedValue[];
  /** Yesterday and today so far; today is the last one. */
  days: readonly MeasuredDay[];
}

interface RecentSources {
  samples: Pick<SampleArchive, "range">;
  ledger: Pick<Ledger, "quarters" | "quartersSoFar">;
}

/** Reads the recent readings of a site at most once a minute. */
export class RecentReadingsReader {
  readonly #sources: RecentSources;
  readonly #cache = new WeakMap<Site, { minute: number; read: Promise<RecentReadings> }>();

  constructor(sources: RecentSources) {
    this.#sources = sources;
  }

  of(site: Site, now: Date): Promise<RecentReadings> {
    const minute = floorTo(now.getTime(), MINUTE_MS);
    const cached = this.#cache.get(site);
    if (cached?.minute === minute) return cached.read;
    const read = this.#read(site, now);
    this.#cache.set(site, { minute, read });
    read.catch(() => this.#cache.delete(site));
    return read;
  }

  async #read(site: Site, now: Date): Promise<RecentReadings> {
    const { samples, ledger } = this.#sources;
    const { timezone: zone } = site.plant;
    const today = localDate(now, zone);
    const yesterday = addDays(today, -1);
    const [readings, before, soFar] = await Promise.all([
      samples.range(site.id, "soc_pct", new Date(now.getTime() - DAY_MS), now),
      ledger.quarters(site.id, yesterday),
      ledger.quartersSoFar(site),
    ]);
    const last = new Map(readings.map((reading) => [floorTo(reading.at.getTime(), QUARTER_MS), reading]));
    const day = (date: string, quarters: QuarterColumns | undefined): MeasuredDay[] =>
      quarters === undefined ? [] : [{ start: dayInterval(date, zone).start, quarters }];
    return { soc: [...last.values()], days: [...day(yesterday, before), ...day(today, soFar)] };
  }
}
