import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntime, SiteRuntimes } from "../../config/site-runtimes.js";
import { QUARTER_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import { type Cancel, type Clock, onEach } from "../../core/time/clock.js";
import { monthOf } from "../../core/time/zone.js";
import type { Prices } from "../../tariff/compile-tariff.js";
import { type BilledQuarter, type BilledSources, billedQuarters } from "./billed-quarters.js";

/** The highest mean import of the quarter-hours that count, kW; undefined where none is known. */
export function highestImportKw(
  quarters: readonly Pick<BilledQuarter, "start" | "importKwh">[],
  counts: (start: Date) => boolean,
): number | undefined {
  let highest: number | undefined;
  for (const { start, importKwh } of quarters) {
    if (importKwh === undefined || !counts(start)) continue;
    highest = Math.max(highest ?? 0, (importKwh * 3_600_000) / QUARTER_MS);
  }
  return highest;
}

export interface MonthPeaksOptions extends BilledSources {
  clock: Clock;
  sites: SiteRuntimes;
  tariff: (siteId: string) => Prices | undefined;
  log: Pick<Log, "warn">;
}

interface MonthPeak {
  monthMs: number;
  kw: number | undefined;
}

/**
 * The highest quarter-hour mean import of the local month so far of each site whose tariff has a price on it. Derived from the
 * import meter's history every quarter-hour, so it is the same after a restart.
 */
export class MonthPeaks {
  readonly #options: MonthPeaksOptions;
  readonly #sites: SiteParts<{ runtime: SiteRuntime; peak?: MonthPeak | undefined }>;
  #stop: Cancel | undefined;
  #running: Promise<void> | undefined;

  constructor(options: MonthPeaksOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: (runtime) => ({ runtime }) });
  }

  async start(): Promise<void> {
    await this.#refresh();
    this.#stop = onEach(this.#options.clock, QUARTER_MS, () => {
      this.#running ??= this.#refresh().finally(() => {
        this.#running = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#stop?.();
    await this.#running;
  }

  /** The peak of the month in progress, kW; undefined without a price on it, or before the first quarter-hour. */
  kw(siteId: string): number | undefined {
    const { peak, runtime } = this.#sites.get(siteId) ?? {};
    if (peak === undefined || runtime === undefined) return undefined;
    const { start } = monthOf(this.#options.clock.now(), runtime.site.plant.timezone);
    return peak.monthMs === start.getTime() ? peak.kw : undefined;
  }

  async #refresh(): Promise<void> {
    for (const part of this.#sites) {
      const { site } = part.runtime;
      try {
        part.peak = await this.#measure(site);
      } catch (error) {
        this.#options.log.warn(
          { site: site.id },
          `The month's highest import could not be read: ${errorMessage(error)}`,
        );
      }
    }
  }

  async #measure({ id, plant }: Site): Promise<MonthPeak | undefined> {
    const { clock, tariff } = this.#options;
    const now = clock.now();
    const price = tariff(id)?.peakPrice?.(now);
    if (price === undefined) return undefined;
    const { start } = monthOf(now, plant.timezone);
    const end = new Date(Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS);
    const quarters = end > start ? await billedQuarters(this.#options, { id, plant }, { start, end }) : [];
    return { monthMs: start.getTime(), kw: highestImportKw(quarters, (at) => price.counts(at)) };
  }
}
