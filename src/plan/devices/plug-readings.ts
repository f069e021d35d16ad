import type { SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { DAY_MS, MINUTE_MS } from "../../core/domain/interval.js";
import type { LiveState, Sample } from "../../core/domain/sample.js";
import { isOnlyWallbox } from "../../core/domain/slots-apart.js";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import type { FlexService } from "../windows/service.js";

export interface PlugReadingsOptions {
  clock: Pick<Clock, "now">;
  bus: Bus;
  sites: Pick<SiteRuntimes, "get" | "list">;
  telemetry: {
    live(siteId: string): LiveState;
    ingest(siteId: string, samples: readonly Sample[]): Promise<unknown>;
  };
  flex: Pick<FlexService, "sites" | "current">;
  log: Pick<Log, "warn">;
}

const LATE_MS = 15 * MINUTE_MS;
/** A plug that was read before this may be that of a source that is no longer used. */
const OLDEST_MS = 7 * DAY_MS;

/**
 * The plug of a site's only wallbox is one fact: the reading `ev_connected` begins and ends the stays of the schedules, and a plug that
 * was set is recorded as that reading, which the ledger reads.
 */
export class PlugReadings {
  readonly #options: PlugReadingsOptions;
  readonly #pending = new Set<Promise<void>>();
  #unsubscribe: Cancel = () => {};

  constructor(options: PlugReadingsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { bus, clock, flex, sites, telemetry } = this.#options;
    this.#unsubscribe = subscribe(bus, {
      "plug.changed": ({ siteId, slot, plugged, at }) => {
        if (this.#wallbox(siteId) !== slot || telemetry.live(siteId).ev_connected?.value === plugged) return;
        this.#guard(siteId, telemetry.ingest(siteId, [{ at, values: { ev_connected: plugged } }]));
      },
      "telemetry.received": ({ siteId, sample: { at, values } }) => {
        // Not history that is sent later.
        if (clock.now().getTime() - at.getTime() <= LATE_MS) this.#read(siteId, values.ev_connected);
      },
    });
    for (const { id } of sites.list()) {
      const last = telemetry.live(id).ev_connected;
      const stay = flex.current(id).find(({ slot }) => slot === this.#wallbox(id))?.stay;
      const isRecent = last !== undefined && clock.now().getTime() - last.at.getTime() <= OLDEST_MS;
      if (stay === undefined && isRecent) this.#read(id, last.value);
    }
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.settled();
  }

  /** Resolves when the plugs under way are stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #read(siteId: string, value: number | undefined): void {
    const slot = value === undefined ? undefined : this.#wallbox(siteId);
    if (slot !== undefined)
      this.#guard(siteId, this.#options.flex.sites.of(siteId).setPlugged(slot, value === 0 ? 0 : 1));
  }

  #wallbox(siteId: string): number | undefined {
    const slots = this.#options.sites.get(siteId)?.plant.slots ?? [];
    return slots.find(({ slot }) => isOnlyWallbox(slots, slot))?.slot;
  }

  #guard(site: string, work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      (err: unknown) =>
        this.#options.log.warn({ site, err }, `The plug was not stored: ${errorMessage(err)}`),
    );
    this.#pending.add(done);
    void done.then(() => this.#pending.delete(done));
  }
}
