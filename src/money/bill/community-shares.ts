import type { SiteRegistry } from "../../accounts/site-registry.js";
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
  sites: Pick<SiteRegistry, "list" | "get">;
  meter: MeteredSource;
  log: Pick<Log, "error">;
}

/** Learns the expected share of the community of each site from its imports, at the start and after each change of them. */
export class CommunityShares {
  readonly #options: CommunitySharesOptions;
  readonly #shares = new Map<string, number[]>();
  readonly #work = new SerialQueue();
  #stop: Cancel = () => {};

  constructor(options: CommunitySharesOptions) {
    this.#options = options;
  }

  start(): void {
    const { bus, sites } = this.#options;
    this.#stop = subscribe(bus, {
      "meter.changed": ({ siteId }) => this.#learn(siteId),
      "site.removed": ({ siteId }) => void this.#shares.delete(siteId),
    });
    for (const { id } of sites.list()) this.#learn(id);
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#work.idle();
  }

  /** Expected share, % by local hour; undefined until enough quarter-hours are imported. */
  of(siteId: string): number[] | undefined {
    return this.#shares.get(siteId);
  }

  #learn(siteId: string): void {
    const { clock, meter, sites, log } = this.#options;
    const learn = async () => {
      const site = sites.get(siteId);
      if (site === undefined) return;
      const endMs = floorTo(clock.now().getTime(), QUARTER_MS);
      const period = { start: new Date(endMs - LEARNING_DAYS * DAY_MS), end: new Date(endMs) };
      const place = { id: siteId, zone: site.plant.timezone };
      const share = await importedCommunityShare(meter, place, period);
      if (share === undefined) this.#shares.delete(siteId);
      else if (sites.get(siteId) !== undefined) this.#shares.set(siteId, share);
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
