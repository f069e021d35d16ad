import type { SiteParts, SiteRuntimes } from "../config/site-runtimes.js";
import type { Bus } from "../core/bus.js";
import { DAY_MS } from "../core/domain/interval.js";
import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import { isRecord } from "../core/net/json.js";
import type { Clock } from "../core/time/clock.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import {
  type PresenceKind,
  type PresencePeriod,
  presenceAt,
  presenceFromJson,
} from "../forecast/load/presence.js";
import type { DocumentArchive } from "../store/archive.js";
import { LEARNING_DAYS } from "./learned-load.js";

export interface PresenceOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  documents: DocumentArchive;
  log: Pick<Log, "warn">;
}

/** An absence or guests that somebody names. */
export interface PresenceRequest {
  kind: PresenceKind;
  /** Left out: now. */
  from?: Date | undefined;
  /** Left out: until it is taken back. */
  until?: Date | undefined;
}

/** A request that makes no sense, with its field. */
export class PresenceInputError extends Error {
  readonly field: "from" | "until";

  constructor(field: "from" | "until", message: string) {
    super(message);
    this.field = field;
  }
}

interface SitePresence {
  periods: readonly PresencePeriod[];
  /** Until then nobody's absence is concluded from the load: somebody said to be at home. */
  homeUntilMs: number;
}

const NOBODY_SAID: SitePresence = { periods: [], homeUntilMs: 0 };
/** Furthest beginning of a period. */
const FURTHEST_MS = 366 * DAY_MS;
/** How long an absence is not noticed again after somebody said to be at home. */
const HOME_MS = 2 * DAY_MS;

/** When each home uses less or more than usual, as its people say: absences and guests. Stored, so that a restart keeps them. */
export class PresenceService {
  readonly #options: PresenceOptions;
  readonly #sites: SiteParts<SitePresence & { id: string }>;
  readonly #writes = new SerialQueue();

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({ create: ({ site }) => ({ id: site.id, ...NOBODY_SAID }) });
  }

  /** Restores what was said. */
  async start(): Promise<void> {
    for (const site of this.#sites) {
      try {
        const stored = await this.#options.documents.get(documentName(site.id));
        if (!isRecord(stored)) continue;
        site.periods = presenceFromJson(stored.periods);
        site.homeUntilMs = typeof stored.homeUntilMs === "number" ? stored.homeUntilMs : 0;
      } catch (error) {
        const reason = errorMessage(error);
        this.#options.log.warn(
          { site: site.id, reason },
          "Absences and guests could not be read; name them again.",
        );
      }
    }
  }

  async stop(): Promise<void> {
    await this.#writes.idle();
  }

  /** Past periods of the last 70 days and coming ones, in the order in which they were named. */
  periods(siteId: string): readonly PresencePeriod[] {
    return this.#sites.get(siteId)?.periods ?? [];
  }

  /** Whether an absence may be concluded from the load. */
  mayBeAway(siteId: string): boolean {
    const nowMs = this.#options.clock.now().getTime();
    const site = this.#sites.get(siteId);
    return site !== undefined && nowMs >= site.homeUntilMs && presenceAt(site.periods, nowMs) === undefined;
  }

  /** Names a period; on disk when this resolves. Throws PresenceInputError and StoreError. */
  async add(siteId: string, { kind, from, until }: PresenceRequest): Promise<void> {
    const nowMs = this.#options.clock.now().getTime();
    const fromMs = from?.getTime() ?? nowMs;
    const untilMs = until?.getTime() ?? null;
    if (fromMs > nowMs + FURTHEST_MS)
      throw new PresenceInputError("from", "from must be within the next year; send an earlier time.");
    if (fromMs < nowMs - LEARNING_DAYS * DAY_MS)
      throw new PresenceInputError(
        "from",
        `from must be within the last ${LEARNING_DAYS} days; send a later time.`,
      );
    if (untilMs !== null && untilMs <= fromMs)
      throw new PresenceInputError("until", "until must be after from; leave it out until somebody is back.");
    const kept = this.periods(siteId).filter(
      (period) => period.untilMs === null || period.untilMs > nowMs - LEARNING_DAYS * DAY_MS,
    );
    await this.#save(siteId, { periods: [...kept, { kind, fromMs, untilMs }], homeUntilMs: 0 });
  }

  /** Everything is as usual from now on: the period in progress ends, and coming ones are removed. Throws StoreError. */
  async end(siteId: string): Promise<void> {
    const nowMs = this.#options.clock.now().getTime();
    const periods = this.periods(siteId)
      .filter(({ fromMs }) => fromMs < nowMs)
      .map((period) =>
        period.untilMs === null || period.untilMs > nowMs ? { ...period, untilMs: nowMs } : period,
      );
    await this.#save(siteId, { periods, homeUntilMs: nowMs + HOME_MS });
  }

  async #save(siteId: string, presence: SitePresence): Promise<void> {
    const { bus, documents } = this.#options;
    await this.#writes.run(() => documents.put(documentName(siteId), presence));
    const site = this.#sites.get(siteId);
    if (site === undefined) return;
    Object.assign(site, presence);
    bus.emit("load.learned", { siteId });
  }
}

function documentName(siteId: string): string {
  return `presence/${siteId}`;
}
