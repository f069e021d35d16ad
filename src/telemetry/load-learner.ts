import type { Site } from "../config/site.js";
import type { SiteParts, SiteRuntimes } from "../config/site-runtimes.js";
import { type Bus, subscribe } from "../core/bus.js";
import { DAY_MS, type EnergyStep, floorTo, HOUR_MS, MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { Sample } from "../core/domain/sample.js";
import { type ApartSlot, enabledSlots } from "../core/domain/slots-apart.js";
import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import { type Cancel, type Clock, onEach } from "../core/time/clock.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { LoadCorrection } from "../forecast/load/load-corrections.js";
import { isLoadModel, type LoadModel } from "../forecast/load/load-model.js";
import { loadRecord } from "../forecast/load/load-record.js";
import { noticedAbsence } from "../forecast/load/noticed-absence.js";
import type { PresencePeriod } from "../forecast/load/presence.js";
import {
  type DayRecord,
  type DayScore,
  EMPTY_RECORD,
  recordFromJson,
  scoresOf,
} from "../forecast/price/day-record.js";
import type { DocumentArchive } from "../store/archive.js";
import { StoreError } from "../store/errors.js";
import { type ApartEnergies, DailyHistory, LOAD_READINGS, type LoadHistory } from "./daily-history.js";
import { LEARNING_DAYS, learnSiteLoad } from "./learned-load.js";
import type { LoadCorrections } from "./load-corrections.js";
import type { PresenceService } from "./presence-service.js";

export interface LoadLearnerOptions extends LoadHistory {
  clock: Clock;
  bus: Bus;
  sites: SiteRuntimes;
  documents: DocumentArchive;
  /** What the people of the home say of absences and guests. */
  presence: Pick<PresenceService, "periods" | "mayBeAway">;
  /** What they say of the learned load; left out: nothing. */
  corrections?: Pick<LoadCorrections, "of">;
  log: Pick<Log, "info" | "warn">;
}

/** Measurements of a UTC day. */
interface MeasuredDay {
  load: readonly EnergyStep[];
  devices: ApartEnergies;
}

interface SiteLearning {
  site: Site;
  /** By the start of the day in ms. */
  days: Map<number, MeasuredDay>;
  model?: LoadModel | undefined;
  /** An absence that nobody named. */
  noticed?: PresencePeriod | undefined;
  /** The model with the periods that it was completed with. */
  completed?: {
    of: LoadModel;
    periods: readonly PresencePeriod[];
    noticed: PresencePeriod | undefined;
    corrections: readonly LoadCorrection[];
    model: LoadModel;
  };
  record: DayRecord;
}

const NONE: readonly LoadCorrection[] = [];
/** Least time between two learning runs of a site. */
const LEARN_EVERY_MS = 3 * HOUR_MS;

/**
 * Learns the load of each site from its telemetry of the last 70 days: at the start, every three hours, and within a
 * minute when readings of an earlier day arrive late. Past days are read once and kept in memory as quarter-hours.
 * The model is stored, so that it is available for the first plan after a restart.
 */
export class LoadLearner {
  readonly #options: LoadLearnerOptions;
  readonly #learning: SiteParts<SiteLearning>;
  readonly #stops: Cancel[] = [];
  #learnedMs = Number.NEGATIVE_INFINITY;
  #late = false;
  readonly #work = new SerialQueue();
  #stopped = false;

  constructor(options: LoadLearnerOptions) {
    this.#options = options;
    this.#learning = options.sites.parts({
      create: ({ site }) => ({ site, days: new Map(), record: EMPTY_RECORD }),
    });
  }

  /** Restores the stored models and starts learning in the background. Throws StoreError. */
  async start(): Promise<void> {
    const { bus, clock, documents } = this.#options;
    await this.#learning.forAll(async (learning) => {
      const { id } = learning.site;
      const [model, record] = await Promise.all([
        documents.get(documentName(id)),
        documents.get(recordName(id)),
      ]);
      learning.model = readModel(model);
      learning.record = recordFromJson(record);
    });
    this.#stops.push(
      subscribe(bus, {
        "telemetry.stored": (stored) => this.#onStored(stored),
        "meter.changed": ({ siteId }) => this.#onMeter(siteId),
        "site.changed": (site) => this.#onSite(site),
      }),
      onEach(clock, MINUTE_MS, () => this.#learnIfDue()),
    );
    this.#learnIfDue();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops.splice(0)) stop();
    await this.#work.idle();
  }

  /** The load model of a site with absences and guests; undefined until a day is measured. */
  model(siteId: string): LoadModel | undefined {
    const learning = this.#learning.get(siteId);
    if (learning?.model === undefined) return undefined;
    const periods = this.#options.presence.periods(siteId);
    const { model: of, completed } = learning;
    const noticed = this.#options.presence.mayBeAway(siteId) ? learning.noticed : undefined;
    const corrections = this.#options.corrections?.of(siteId) ?? NONE;
    if (periods.length === 0 && noticed === undefined && corrections.length === 0) return of;
    const isSame = completed?.periods === periods && completed.corrections === corrections;
    if (isSame && completed.of === of && completed.noticed === noticed) return completed.model;
    const all = noticed === undefined ? periods : [...periods, noticed];
    const model = { ...of, periods: all, ...(corrections.length > 0 && { corrections }) };
    learning.completed = { of, periods, noticed, corrections, model };
    return learning.completed.model;
  }

  /** Since when nobody seems to be at home, although nobody named an absence; undefined: somebody is. */
  absentSince(siteId: string): Date | undefined {
    const noticed = this.#options.presence.mayBeAway(siteId) && this.#learning.get(siteId)?.noticed;
    return noticed ? new Date(noticed.fromMs) : undefined;
  }

  /** How the forecasts of daily load were met, by day 1 to 7. */
  quality(siteId: string): DayScore[] {
    return scoresOf(this.#learning.get(siteId)?.record ?? EMPTY_RECORD);
  }

  /** Resolves when all started learning has ended. */
  learned(): Promise<void> {
    return this.#work.idle();
  }

  /** Measurements are kept unless the devices change; the model is learned again, because the settings complete a short history. */
  #onSite(site: Site): void {
    const learning = this.#learning.of(site.id);
    const before = learning.site.plant;
    const isRead = JSON.stringify(before.telemetry) === JSON.stringify(site.plant.telemetry);
    // The measured energy of other devices is now taken out of the load.
    if (!isRead || !isSame(enabledSlots(before.slots), enabledSlots(site.plant.slots))) learning.days.clear();
    learning.site = site;
    this.#late = true;
  }

  /** Imported quarter-hours replace readings of any day, so all days are read again. */
  #onMeter(siteId: string): void {
    this.#learning.get(siteId)?.days.clear();
    this.#late = true;
  }

  #onStored({ siteId, samples }: { siteId: string; samples: readonly Sample[] }): void {
    const days = this.#learning.get(siteId)?.days;
    for (const { at, values } of samples) {
      const dayMs = floorTo(at.getTime(), DAY_MS);
      const isLoad = LOAD_READINGS.some((reading) => values[reading] !== undefined);
      if (dayMs >= floorTo(this.#learnedMs, DAY_MS) || !isLoad) continue;
      // The counters at the end of a day are the start of the next day.
      days?.delete(dayMs);
      days?.delete(dayMs + DAY_MS);
      this.#late = true;
    }
  }

  #learnIfDue(): void {
    const nowMs = this.#options.clock.now().getTime();
    if (floorTo(nowMs, LEARN_EVERY_MS) === floorTo(this.#learnedMs, LEARN_EVERY_MS) && !this.#late) return;
    this.#learnedMs = nowMs;
    this.#late = false;
    void this.#work.run(() => this.#learnAll(nowMs));
  }

  async #learnAll(nowMs: number): Promise<void> {
    const { log } = this.#options;
    for (const learning of this.#learning) {
      try {
        await this.#learn(learning, nowMs);
      } catch (error) {
        const isBusy = error instanceof StoreError;
        if (isBusy) this.#late = true;
        log.warn(
          { site: learning.site.id },
          `The load model could not be learned; the next attempt is in ${isBusy ? "a minute" : "three hours"}: ${errorMessage(error)}`,
        );
      }
    }
  }

  async #learn(learning: SiteLearning, nowMs: number): Promise<void> {
    const { bus, documents, log } = this.#options;
    const { site, days } = learning;
    const todayMs = floorTo(nowMs, DAY_MS);
    const firstMs = todayMs - LEARNING_DAYS * DAY_MS;
    for (const dayMs of days.keys()) if (dayMs < firstMs) days.delete(dayMs);
    const measured: EnergyStep[] = [];
    const apart: ApartEnergies = new Map();
    const add = ({ load, devices }: MeasuredDay) => {
      measured.push(...load);
      for (const [slot, steps] of devices) apart.set(slot, [...(apart.get(slot) ?? []), ...steps]);
    };
    const history = new DailyHistory(this.#options, site);
    for (let dayMs = firstMs; dayMs < todayMs && !this.#stopped; dayMs += DAY_MS) {
      add(days.get(dayMs) ?? (await readDay(days, history, dayMs)));
    }
    if (this.#stopped) return;
    const untilMs = floorTo(nowMs, QUARTER_MS);
    if (untilMs > todayMs)
      add(await history.measuredApart({ start: new Date(todayMs), end: new Date(untilMs) }));
    const { load, timezone } = site.plant;
    const settings = { dailyKwh: load.daily_kwh, profile: load.profile ?? undefined };
    learning.model = learnSiteLoad(measured, { now: new Date(untilMs), zone: timezone, settings }, apart);
    if (learning.model === undefined) return;
    const sinceMs = noticedAbsence({ ...learning.model, periods: this.#options.presence.periods(site.id) });
    learning.noticed =
      sinceMs === undefined ? undefined : { kind: "away", fromMs: sinceMs, untilMs: nowMs + DAY_MS };
    log.info({ site: site.id }, "The load model was learned from telemetry.");
    bus.emit("load.learned", { siteId: site.id });
    await documents.put(documentName(site.id), learning.model);
    const record = loadRecord(learning.record, {
      model: this.model(site.id) ?? learning.model,
      measured,
      now: new Date(nowMs),
      zone: timezone,
    });
    if (record === learning.record) return;
    learning.record = record;
    await documents.put(recordName(site.id), record);
  }
}

/** Reads a day and keeps it, unless readings of it have arrived meanwhile; then it is read again next time. */
async function readDay(
  days: SiteLearning["days"],
  history: DailyHistory,
  dayMs: number,
): Promise<MeasuredDay> {
  // Readings that arrive late remove the entry.
  days.set(dayMs, { load: [], devices: new Map() });
  try {
    const day = await history.measuredApart({ start: new Date(dayMs), end: new Date(dayMs + DAY_MS) });
    if (days.has(dayMs)) days.set(dayMs, day);
    return day;
  } catch (error) {
    days.delete(dayMs);
    throw error;
  }
}

function isSame(a: readonly ApartSlot[], b: readonly ApartSlot[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function documentName(siteId: string): string {
  return `load/${siteId}`;
}

function recordName(siteId: string): string {
  return `load-record/${siteId}`;
}

/** A stored model; undefined for anything else, such as one of an earlier version: it is learned again at the start. */
function readModel(stored: unknown): LoadModel | undefined {
  if (!isLoadModel(stored)) return undefined;
  const { timeZone, fromMs, hourKwh, persistence, devices = [] } = stored;
  return { timeZone, fromMs, hourKwh, persistence, ...(devices.length > 0 && { devices }) };
}
