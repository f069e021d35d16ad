import type { SiteParts, SiteRuntimes } from "../config/site-runtimes.js";
import type { Bus } from "../core/bus.js";
import { DAY_MS, MINUTE_MS } from "../core/domain/interval.js";
import type { Log } from "../core/log.js";
import { recordOf } from "../core/net/json.js";
import { isNumber } from "../core/shape.js";
import { type Cancel, type Clock, onEach } from "../core/time/clock.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import {
  type PresenceKind,
  type PresencePeriod,
  presenceAt,
  presenceFromJson,
} from "../forecast/load/presence.js";
import { type DocumentArchive, restored } from "../store/archive.js";
import type { CalendarPeriod } from "./calendar/calendar-periods.js";
import type { CalendarService } from "./calendar/calendar-service.js";
import { LEARNING_DAYS } from "./learned-load.js";

export interface PresenceOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  documents: DocumentArchive;
  calendars: Pick<CalendarService, "periods" | "cut">;
  log: Pick<Log, "warn">;
}

/** An absence or guests that somebody names. */
export interface PresenceRequest {
  kind: PresenceKind;
  /** Left out: now; then a period in progress ends, and one of the same kind gets the new end. */
  from?: Date | undefined;
  /** Left out: until it is taken back. */
  until?: Date | undefined;
}

/** An absence or guests, as somebody or the calendar names it. */
export interface NamedPeriod extends PresencePeriod {
  id: string;
  /** Of the event in the calendar; left out: a person named it. */
  title?: string;
}

/** A request that makes no sense, with its field. */
export class PresenceInputError extends Error {
  readonly field: "from" | "until" | "remove";

  constructor(field: PresenceInputError["field"], message: string) {
    super(message);
    this.field = field;
  }
}

interface StoredPresence {
  periods: readonly NamedPeriod[];
  /** Until then nobody's absence is concluded from the load: somebody said to be at home. */
  homeUntilMs: number;
  /** Number of the last period. */
  lastNumber: number;
}

interface SitePresence extends StoredPresence {
  id: string;
  /** Those of the calendar first, because what people say wins; made anew where one of them has changed. */
  merged?: { own: readonly NamedPeriod[]; calendar: readonly CalendarPeriod[]; all: readonly NamedPeriod[] };
  /** The one in force at the last look, to see when it begins and ends. */
  inForce: string | undefined;
}

/** Furthest beginning of a period. */
const FURTHEST_MS = 366 * DAY_MS;
/** How long an absence is not noticed again after somebody said to be at home. */
const HOME_MS = 2 * DAY_MS;
/** Most periods of a site; the oldest ones make room. */
const MOST_PERIODS = 200;

/**
 * When each home uses less or more than usual, as its people or their calendar say: absences and guests. Stored, so that a restart
 * keeps them.
 */
export class PresenceService {
  readonly #options: PresenceOptions;
  readonly #sites: SiteParts<SitePresence>;
  readonly #writes = new SerialQueue();
  #cancel: Cancel = () => {};

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#sites = options.sites.parts({
      create: ({ site }) => ({ id: site.id, ...storedPresence(undefined), inForce: undefined }),
    });
  }

  /** Restores what was said. */
  async start(): Promise<void> {
    const { clock, documents, log } = this.#options;
    const warning = "Absences and guests could not be read; name them again.";
    await this.#sites.forAll(async (site) => {
      const from = { log, site: site.id, warning };
      Object.assign(site, await restored(documents, documentName(site.id), storedPresence, from));
      site.inForce = this.inForce(site.id)?.id;
    });
    this.#cancel = onEach(clock, MINUTE_MS, () => this.#look());
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#writes.idle();
  }

  /** Past periods of the last 70 days and coming ones: of two at the same time the later in the list holds. The same array until they change. */
  periods(siteId: string): readonly NamedPeriod[] {
    const site = this.#sites.get(siteId);
    if (site === undefined) return [];
    const own = site.periods;
    const calendar = this.#options.calendars.periods(siteId);
    if (site.merged?.own !== own || site.merged.calendar !== calendar)
      site.merged = { own, calendar, all: calendar.length === 0 ? own : [...calendar, ...own] };
    return site.merged.all;
  }

  /** The period of now; undefined: a usual household. */
  inForce(siteId: string): NamedPeriod | undefined {
    return presenceAt(this.periods(siteId), this.#nowMs());
  }

  /** Whether an absence may be concluded from the load. */
  mayBeAway(siteId: string): boolean {
    const site = this.#sites.get(siteId);
    return site !== undefined && this.#nowMs() >= site.homeUntilMs && this.inForce(siteId) === undefined;
  }

  /** Names a period; on disk when this resolves. Throws PresenceInputError and StoreError. */
  async add(siteId: string, { kind, from, until }: PresenceRequest): Promise<void> {
    const nowMs = this.#nowMs();
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
    await this.#change(siteId, ({ periods: known, lastNumber }) => {
      const isNow = (one: PresencePeriod) => presenceAt([one], nowMs) !== undefined;
      const same = from === undefined ? known.findLast((one) => isNow(one) && one.kind === kind) : undefined;
      const period = same ? { ...same, untilMs } : { id: `p${lastNumber + 1}`, kind, fromMs, untilMs };
      const others = known
        .filter(({ id }) => id !== period.id)
        .flatMap((one) => (from === undefined && isNow(one) ? endedAt(one, nowMs) : [one]));
      return {
        periods: [...others, period].slice(-MOST_PERIODS),
        homeUntilMs: 0,
        lastNumber: same ? lastNumber : lastNumber + 1,
      };
    });
  }

  /** Takes a period back, as if it had never been named. Throws PresenceInputError and StoreError. */
  async remove(siteId: string, id: string): Promise<void> {
    const period = this.periods(siteId).find((one) => one.id === id);
    if (period === undefined)
      throw new PresenceInputError("remove", "remove must be the id of one of the periods; read them again.");
    if (period.title !== undefined) await this.#options.calendars.cut(siteId, id, period.fromMs);
    else
      await this.#change(siteId, ({ periods, ...rest }) => ({
        ...rest,
        periods: periods.filter((one) => one.id !== id),
      }));
  }

  /**
   * Everything is as usual from now on: the period in progress ends, and coming ones are removed; those to come in the calendar stay.
   * Throws StoreError.
   */
  async end(siteId: string): Promise<void> {
    const nowMs = this.#nowMs();
    for (const { id, fromMs, untilMs } of this.#options.calendars.periods(siteId))
      if (fromMs <= nowMs && untilMs > nowMs) await this.#options.calendars.cut(siteId, id, nowMs);
    await this.#change(siteId, ({ periods, lastNumber }) => ({
      periods: periods.flatMap((one) => endedAt(one, nowMs)),
      homeUntilMs: nowMs + HOME_MS,
      lastNumber,
    }));
  }

  /** The load changes when a period begins or ends. */
  #look(): void {
    for (const site of this.#sites) {
      const id = this.inForce(site.id)?.id;
      if (id === site.inForce) continue;
      site.inForce = id;
      this.#options.bus.emit("load.learned", { siteId: site.id });
    }
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  /** Changes what people said; the change gets it without what is too long ago to matter. */
  #change(siteId: string, change: (before: StoredPresence) => StoredPresence): Promise<void> {
    const { bus, documents } = this.#options;
    return this.#writes.run(async () => {
      const site = this.#sites.get(siteId);
      if (site === undefined) return;
      const oldestMs = this.#nowMs() - LEARNING_DAYS * DAY_MS;
      const periods = site.periods.filter(({ untilMs }) => untilMs === null || untilMs > oldestMs);
      const { homeUntilMs, lastNumber } = site;
      const after = change({ periods, homeUntilMs, lastNumber });
      await documents.put(documentName(siteId), after);
      Object.assign(site, after);
      site.inForce = this.inForce(siteId)?.id;
      bus.emit("load.learned", { siteId });
    });
  }
}

function storedPresence(stored: unknown): StoredPresence {
  const { periods: held, homeUntilMs, lastNumber } = recordOf(stored);
  const periods = presenceFromJson(held);
  return {
    periods,
    homeUntilMs: isNumber(homeUntilMs) ? homeUntilMs : 0,
    lastNumber: isNumber(lastNumber) ? lastNumber : periods.length,
  };
}

/** A period that ends at an instant at the latest; none where it would not have begun. */
function endedAt(period: NamedPeriod, ms: number): NamedPeriod[] {
  if (period.untilMs !== null && period.untilMs <= ms) return [period];
  return period.fromMs < ms ? [{ ...period, untilMs: ms }] : [];
}

function documentName(siteId: string): string {
  return `presence/${siteId}`;
}
