import type { Site } from "../accounts/sites.js";
import { type Bus, subscribe } from "../bus.js";
import { DAY_MS, type EnergyStep, floorTo, MINUTE_MS } from "../domain/interval.js";
import type { Sample } from "../domain/sample.js";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import type { LoadProfile } from "../plan/load-profile.js";
import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import { type Cancel, type Clock, onEach } from "../time/clock.js";
import { DailyHistory, LOAD_READINGS, type LoadHistory } from "./daily-history.js";
import { LEARNING_DAYS, learnWeekProfile } from "./load-profile.js";

export interface LoadLearnerOptions {
  clock: Clock;
  bus: Bus;
  sites: readonly Site[];
  telemetry: LoadHistory;
  documents: DocumentArchive;
  log: Pick<Log, "info" | "warn">;
}

interface SiteLearning {
  site: Site;
  /** What was measured on each UTC day, by its start in ms. */
  days: Map<number, EnergyStep[]>;
  model?: LoadProfile | undefined;
}

/**
 * Learns what each house uses from its telemetry of the last eight weeks: at the start, after each UTC day, and within
 * a minute when readings of an earlier day come late. Whole days only; each is read once and kept as quarter-hours.
 * What was learnt is kept over a restart, so that the first plan after it does not stand on less.
 */
export class LoadLearner {
  readonly #options: LoadLearnerOptions;
  readonly #learning: Map<string, SiteLearning>;
  readonly #stops: Cancel[] = [];
  #learntDayMs = Number.NEGATIVE_INFINITY;
  #late = false;
  readonly #work = new SerialQueue();
  #stopped = false;

  constructor(options: LoadLearnerOptions) {
    this.#options = options;
    this.#learning = new Map(options.sites.map((site) => [site.id, { site, days: new Map() }]));
  }

  /** Takes up what was learnt last and begins to learn anew, which nobody has to wait for. Throws StoreError. */
  async start(): Promise<void> {
    const { bus, clock, documents } = this.#options;
    for (const [id, learning] of this.#learning)
      learning.model = readModel(await documents.get(documentName(id)));
    this.#stops.push(
      subscribe(bus, {
        "telemetry.stored": (stored) => this.#onStored(stored),
        "site.changed": (site) => this.#onSite(site),
        "site.removed": ({ siteId }) => void this.#learning.delete(siteId),
      }),
      onEach(clock, MINUTE_MS, () => this.#lookWhetherDue()),
    );
    this.#lookWhetherDue();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops.splice(0)) stop();
    await this.#work.idle();
  }

  /** What the house of a site is expected to use; undefined until a day's worth was measured. */
  model(siteId: string): LoadProfile | undefined {
    return this.#learning.get(siteId)?.model;
  }

  /** Resolves when all learning that has begun is done. */
  learnt(): Promise<void> {
    return this.#work.idle();
  }

  /** What was measured stays measured; the settings are what a short history leans on, so it is learnt anew. */
  #onSite(site: Site): void {
    const known = this.#learning.get(site.id);
    if (known === undefined) this.#learning.set(site.id, { site, days: new Map() });
    else known.site = site;
    this.#late = true;
  }

  #onStored({ siteId, samples }: { siteId: string; samples: readonly Sample[] }): void {
    const days = this.#learning.get(siteId)?.days;
    for (const { at, values } of samples) {
      const dayMs = floorTo(at.getTime(), DAY_MS);
      const tells = LOAD_READINGS.some((reading) => values[reading] !== undefined);
      if (dayMs >= this.#learntDayMs || !tells) continue;
      // The day after begins with where a counter stood the day before.
      days?.delete(dayMs);
      days?.delete(dayMs + DAY_MS);
      this.#late = true;
    }
  }

  #lookWhetherDue(): void {
    const todayMs = floorTo(this.#options.clock.now().getTime(), DAY_MS);
    if (todayMs === this.#learntDayMs && !this.#late) return;
    this.#learntDayMs = todayMs;
    this.#late = false;
    void this.#work.run(() => this.#learnAll(todayMs));
  }

  async #learnAll(todayMs: number): Promise<void> {
    const { log } = this.#options;
    for (const learning of this.#learning.values()) {
      try {
        await this.#learn(learning, todayMs);
      } catch (error) {
        const reason = errorMessage(error);
        log.warn(
          { site: learning.site.id },
          `The load was not learnt and kept, the next try is tomorrow: ${reason}`,
        );
      }
    }
  }

  async #learn(learning: SiteLearning, todayMs: number): Promise<void> {
    const { bus, documents, log, telemetry } = this.#options;
    const { site, days } = learning;
    const firstMs = todayMs - LEARNING_DAYS * DAY_MS;
    for (const dayMs of days.keys()) if (dayMs < firstMs) days.delete(dayMs);
    const measured: EnergyStep[] = [];
    const history = new DailyHistory(telemetry, site);
    for (let dayMs = firstMs; dayMs < todayMs && !this.#stopped; dayMs += DAY_MS) {
      measured.push(...(days.get(dayMs) ?? (await readDay(days, history, dayMs))));
    }
    if (this.#stopped) return;
    const { load, timezone } = site.plant;
    learning.model = learnWeekProfile(measured, {
      now: new Date(todayMs),
      zone: timezone,
      prior: { dailyKwh: load.daily_kwh, profile: load.profile ?? undefined },
    });
    if (learning.model === undefined) return;
    const dailyKwh = Math.round(learning.model.dailyKwh * 100) / 100;
    log.info({ site: site.id, daily_kwh: dailyKwh }, "The load profile was learnt from telemetry.");
    bus.emit("load.learnt", { siteId: site.id });
    await documents.put(documentName(site.id), learning.model);
  }
}

/** Reads a day and keeps it, unless readings of it came meanwhile: then it is read again next time. */
async function readDay(
  days: SiteLearning["days"],
  history: DailyHistory,
  dayMs: number,
): Promise<EnergyStep[]> {
  // Readings that come late take the entry away.
  days.set(dayMs, []);
  try {
    const day = await history.measured({ start: new Date(dayMs), end: new Date(dayMs + DAY_MS) });
    if (days.has(dayMs)) days.set(dayMs, day);
    return day;
  } catch (error) {
    days.delete(dayMs);
    throw error;
  }
}

function documentName(siteId: string): string {
  return `load/${siteId}`;
}

/** A model as it was kept; undefined for anything else. */
function readModel(kept: unknown): LoadProfile | undefined {
  if (typeof kept !== "object" || kept === null) return undefined;
  const { dailyKwh, week } = kept as Record<string, unknown>;
  const isUse = (value: unknown): value is number => typeof value === "number" && value >= 0;
  const isDay = (day: unknown): day is number[] =>
    Array.isArray(day) && day.length === 24 && day.every(isUse);
  if (!isUse(dailyKwh) || !Number.isFinite(dailyKwh)) return undefined;
  if (!Array.isArray(week) || week.length !== 7 || !week.every(isDay)) return undefined;
  return { dailyKwh, week };
}
