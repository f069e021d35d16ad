import type { SiteParts, SiteRuntime, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { DAY_MS, floorTo, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { learnCommunityShare } from "../../tariff/community-share.js";
import { type MeteredSource, meteredQuarters } from "../../telemetry/metered-energy.js";

/** Shares of an older year say little about the members of today. */
const LEARNING_DAYS = 365;

/** The share of the community in the imported quarter-hours of a period, % by local hour; undefined without enough of them. */
export async function importedCommunityShare(
  source: MeteredSource,
  { id, zone }: { id: string; zone: string },
  period: Interval,
): Promise<number[] | undefined> {
  if (!source.quantities(id).includes("community")) return undefined;
  return learnCommunityShare(await meteredQuarters(source, id, period), zone);
}

export interface CommunitySharesOptions {
  bus: Bus;
  clock: Clock;
  sites: SiteRuntimes;
  meter: MeteredSource;
  log: Pick<Log, "error">;
}

/** Learns the expected share of the community of each site from its imports, at the start and after each change of them. */
export class CommunityShares {
  readonly #options: CommunitySharesOptions;
  readonly #sites: SiteParts<{ runtime: SiteRuntime; share?: number[] | undefined }>;
  readonly #work = new SerialQueue();
  #stop: Cancel = () => {};

  constructor(options: CommunitySharesOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: (runtime) => ({ runtime }) });
  }

  start(): void {
    const { bus, sites } = this.#options;
    this.#stop = subscribe(bus, { "meter.changed": ({ siteId }) => this.#learn(siteId) });
    for (const { id } of sites.list()) this.#learn(id);
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#work.idle();
  }

  /** Expected share, % by local hour; undefined until enough quarter-hours are imported. */
  of(siteId: string): number[] | undefined {
    return this.#sites.get(siteId)?.share;
  }

  #learn(siteId: string): void {
    const { clock, meter, log } = this.#options;
    const learn = async () => {
      const part = this.#sites.get(siteId);
      if (part === undefined) return;
      const endMs = floorTo(clock.now().getTime(), QUARTER_MS);
      const period = { start: new Date(endMs - LEARNING_DAYS * DAY_MS), end: new Date(endMs) };
      const place = { id: siteId, zone: part.runtime.site.plant.timezone };
      part.share = await importedCommunityShare(meter, place, period);
    };
    void this.#work
      .run(learn)
      .catch((error: unknown) =>
        log.error(
          { site: siteId, err: error },
          `The share of the community was not learned: ${errorMessage(error)}`,
        ),
      );
  }
}
