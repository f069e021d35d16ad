import type { Site } from "../../config/site.js";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import type { Bus } from "../../core/bus.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import { programModule } from "../../core/installation.js";
import type { Log } from "../../core/log.js";
import { backoffMs } from "../../core/net/backoff.js";
import { FetchError, type Validators } from "../../core/net/fetch.js";
import { guardedGet } from "../../core/net/guarded-get.js";
import { type Resolve, systemResolve } from "../../core/net/resolve.js";
import { type Cancel, type Clock, onEach, realClock } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { WorkPool } from "../../core/work/work-pool.js";
import { type DocumentArchive, restored } from "../../store/archive.js";
import type { CalendarPeriod } from "./calendar-periods.js";
import { calendarFromJson, calendarSettings, type KeptCalendar } from "./calendar-settings.js";
import type { CalendarTasks } from "./calendar-worker.js";

export interface CalendarOptions {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  documents: DocumentArchive;
  /** Whether an account may name hosts of the operator's own network. */
  allowsPrivateHosts(accountId: string): boolean;
  /** Clock of the readings; default: the wall clock, also in a replay. */
  wall?: Clock;
  /** Default: that of the system. */
  resolve?: Resolve;
  random?: () => number;
  log: Pick<Log, "info" | "warn">;
  /** Trusted certificates instead of Node's. */
  ca?: string | undefined;
}

/** A calendar as it is shown. Its address is a secret: who knows it can read the calendar. */
export interface CalendarView {
  host: string;
  words: readonly string[];
  /** undefined: it was not read yet. */
  readAt: Date | undefined;
  /** Why it could not be read the last time; undefined: it could. */
  problem: string | undefined;
}

interface SiteCalendar {
  siteId: string;
  accountId: string;
  kept?: KeptCalendar | undefined;
  /** With the periods cut that were taken back. */
  periods: readonly CalendarPeriod[];
  validators?: Validators | undefined;
  problem?: string | undefined;
  failures: number;
  /** By the wall clock. */
  dueMs: number;
  isReading: boolean;
}

const EVERY_MS = HOUR_MS;
const TIMEOUT_MS = 20_000;
const MOST_BYTES = 2 * 1024 * 1024;
/** Events that count: those of the days from which the load is learned, and of the next year. */
const PAST_DAYS = 70;
const AHEAD_DAYS = 366;

/**
 * Reads the calendars of the sites every hour. What was last read stays in force while a calendar cannot be read, also over a
 * restart. Calendars come from outside: they are read in a process of its own, with limits of time and memory.
 */
export class CalendarService {
  readonly #options: CalendarOptions;
  readonly #calendars: SiteParts<SiteCalendar>;
  readonly #reader = new WorkPool<CalendarTasks>({
    module: programModule("telemetry/calendar/calendar-worker"),
    kind: "process",
    name: "The reader of calendars",
    timeMs: MINUTE_MS,
    processorMs: 5000,
    memoryMb: 200,
    idleMs: 0,
    niceness: 5,
    outOfMemoryScore: 900,
  });
  readonly #wall: Clock;
  readonly #writes = new SerialQueue();
  readonly #reading = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #cancel: Cancel = () => {};

  constructor(options: CalendarOptions) {
    this.#options = options;
    this.#wall = options.wall ?? realClock();
    this.#calendars = options.sites.parts({
      create: ({ site: { id, accountId } }) => ({
        siteId: id,
        accountId,
        periods: [],
        failures: 0,
        dueMs: Number.NEGATIVE_INFINITY,
        isReading: false,
      }),
    });
  }

  /** Restores what was last read and begins to read. */
  async start(): Promise<void> {
    const { documents, log } = this.#options;
    await this.#calendars.forAll(async (calendar) => {
      const { siteId } = calendar;
      const from = { log, site: siteId, warning: "The calendar could not be restored; name it again." };
      this.#put(calendar, await restored(documents, documentName(siteId), calendarFromJson, from));
    });
    this.#cancel = onEach(this.#wall, MINUTE_MS, () => this.#readDue());
    this.#readDue();
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#stopping.abort();
    await this.#reader.stop();
    await this.settled();
    await this.#writes.idle();
  }

  /** Absences and guests of a site's calendar, also past ones. The same array until they change. */
  periods(siteId: string): readonly CalendarPeriod[] {
    return this.#calendars.get(siteId)?.periods ?? [];
  }

  /** undefined: the site has no calendar. */
  view(siteId: string): CalendarView | undefined {
    const calendar = this.#calendars.get(siteId);
    if (calendar?.kept === undefined) return undefined;
    const { url, words, readMs } = calendar.kept;
    return {
      host: new URL(url).hostname,
      words,
      readAt: readMs === null ? undefined : new Date(readMs),
      problem: calendar.problem,
    };
  }

  /** Names a site's calendar; what another one said is forgotten. It is read in the background. Throws CalendarInputError and StoreError. */
  async set(siteId: string, typed: string, words: readonly string[]): Promise<void> {
    const calendar = this.#calendars.of(siteId);
    const allowPrivateHosts = this.#options.allowsPrivateHosts(calendar.accountId);
    const settings = calendarSettings(typed, { words, allowPrivateHosts });
    await this.#change(calendar, (kept) => {
      const isSame = kept?.url === settings.url;
      return { periods: [], readMs: null, cuts: {}, ...(isSame && kept), ...settings };
    });
    Object.assign(calendar, { validators: undefined, problem: undefined, failures: 0, dueMs: -Infinity });
    this.#readDue();
  }

  /** Throws StoreError. */
  async remove(siteId: string): Promise<void> {
    const calendar = this.#calendars.of(siteId);
    await this.#change(calendar, () => undefined);
    calendar.problem = undefined;
  }

  /** Ends a period before its time: at `atMs`, or altogether where that is its beginning. Throws StoreError. */
  async cut(siteId: string, id: string, atMs: number): Promise<void> {
    const calendar = this.#calendars.of(siteId);
    await this.#change(calendar, (kept) => kept && { ...kept, cuts: { ...kept.cuts, [id]: atMs } });
  }

  /** Resolves when nothing is being read. */
  async settled(): Promise<void> {
    while (this.#reading.size > 0) await Promise.all(this.#reading);
  }

  #readDue(): void {
    const nowMs = this.#wall.now().getTime();
    for (const calendar of this.#calendars) {
      const { kept, dueMs, isReading } = calendar;
      // A time further ahead is one of a clock that was set back since.
      const isDue = dueMs <= nowMs || dueMs > nowMs + EVERY_MS;
      if (kept === undefined || !isDue || isReading || this.#stopping.signal.aborted) continue;
      calendar.isReading = true;
      const reading = this.#read(calendar, kept).finally(() => {
        calendar.isReading = false;
        this.#reading.delete(reading);
      });
      this.#reading.add(reading);
    }
  }

  /** Never rejects. */
  async #read(calendar: SiteCalendar, asked: KeptCalendar): Promise<void> {
    const { log, random = Math.random } = this.#options;
    const nowMs = this.#wall.now().getTime();
    calendar.dueMs = nowMs + EVERY_MS;
    try {
      await this.#take(calendar, asked);
      if (calendar.problem !== undefined)
        log.info({ site: calendar.siteId }, "The calendar can be read again.");
      Object.assign(calendar, { problem: undefined, failures: 0 });
    } catch (error) {
      if (this.#stopping.signal.aborted || !isStillNamed(asked, calendar.kept)) return;
      calendar.failures++;
      const retryMs = error instanceof FetchError ? error.retryAfterMs : undefined;
      calendar.dueMs = nowMs + Math.min(EVERY_MS, backoffMs(calendar.failures, random, retryMs));
      const problem = errorMessage(error);
      if (problem !== calendar.problem)
        log.warn(
          { site: calendar.siteId },
          `The calendar could not be read; what it last said holds: ${problem}`,
        );
      calendar.problem = problem;
    }
  }

  async #take(calendar: SiteCalendar, asked: KeptCalendar): Promise<void> {
    const { allowsPrivateHosts, ca, clock, resolve = systemResolve, sites } = this.#options;
    const answer = await guardedGet(new URL(asked.url), {
      resolve,
      allowPrivateHosts: allowsPrivateHosts(calendar.accountId),
      signal: this.#stopping.signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MOST_BYTES,
      headers: { accept: "text/calendar" },
      validators: calendar.validators,
      ca,
    });
    const site = sites.get(calendar.siteId);
    if (!isStillNamed(asked, calendar.kept) || site === undefined) return;
    const readMs = clock.now().getTime();
    if (answer.notModified) calendar.kept = { ...calendar.kept, readMs };
    else {
      const periods = await this.#periodsOf(answer.body, asked, site);
      const ids = new Set(periods.map(({ id }) => id));
      await this.#change(calendar, (kept) => {
        if (!isStillNamed(asked, kept)) return kept;
        const cuts = Object.fromEntries(Object.entries(kept.cuts).filter(([id]) => ids.has(id)));
        return { ...kept, periods, cuts, readMs };
      });
    }
    if (isStillNamed(asked, calendar.kept)) calendar.validators = answer.validators;
  }

  async #periodsOf(text: string, { words }: KeptCalendar, { id, plant }: Site): Promise<CalendarPeriod[]> {
    const nowMs = this.#options.clock.now().getTime();
    const rules = {
      words,
      zone: plant.timezone,
      fromMs: nowMs - PAST_DAYS * DAY_MS,
      untilMs: nowMs + AHEAD_DAYS * DAY_MS,
    };
    try {
      return await this.#reader.run("read", { text, rules }, { owner: id });
    } catch (error) {
      throw new Error(`The answer is no calendar that can be read (.ics): ${errorMessage(error)}`);
    }
  }

  /** Changes what is kept of a calendar, one change after another. */
  #change(
    calendar: SiteCalendar,
    change: (kept: KeptCalendar | undefined) => KeptCalendar | undefined,
  ): Promise<void> {
    const { bus, documents } = this.#options;
    const { siteId } = calendar;
    return this.#writes.run(async () => {
      // The site may have been removed meanwhile.
      if (this.#calendars.get(siteId) === undefined) return;
      const kept = change(calendar.kept);
      await documents.put(documentName(siteId), kept ?? null);
      const before = JSON.stringify(calendar.periods);
      this.#put(calendar, kept);
      if (JSON.stringify(calendar.periods) !== before) bus.emit("load.learned", { siteId });
    });
  }

  #put(calendar: SiteCalendar, kept: KeptCalendar | undefined): void {
    calendar.kept = kept;
    calendar.periods = (kept?.periods ?? []).flatMap((period) => {
      const untilMs = Math.min(period.untilMs, kept?.cuts[period.id] ?? Infinity);
      return untilMs > period.fromMs ? [{ ...period, untilMs }] : [];
    });
  }
}

/** Whether a calendar is still named as it was when it was asked: each naming makes a list of words of its own. */
function isStillNamed(asked: KeptCalendar, kept: KeptCalendar | undefined): kept is KeptCalendar {
  return kept?.words === asked.words;
}

function documentName(siteId: string): string {
  return `presence-calendar/${siteId}`;
}
