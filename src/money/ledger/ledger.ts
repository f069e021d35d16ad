import { setImmediate as pause } from "node:timers/promises";
import type { Site } from "../../config/site.js";
import { QUARTER_MS } from "../../core/domain/interval.js";
import type { Clock } from "../../core/time/clock.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import { dayBasis, STALE } from "./day-basis.js";
import { dayFigures, unknownDay } from "./day-figures.js";
import type {
  DayClosing,
  DayFigures,
  DayIncidents,
  DayPromise,
  ForecastStep,
  LedgerDay,
} from "./ledger-day.js";
import { addToMonth, LedgerStore, monthsUntil, quarterColumns } from "./ledger-store.js";
import {
  elapsedQuarters,
  firstMeasuredDate,
  type LedgerSources,
  ledgerPlant,
  type MeasureOptions,
  measuredDay,
  plugReadings,
} from "./measure-day.js";
import { type PlannedDay, plannedDay } from "./planned-day.js";
import type { DayDetails, MonthRecord, QuarterColumns, StoredDay } from "./stored-day.js";
import type { BeforeDay } from "./uncontrolled.js";
import { takenSinceMs } from "./uncontrolled-devices.js";
import { UsualHoursStore } from "./usual-hours.js";

export interface LedgerOptions extends LedgerSources {
  clock: Pick<Clock, "now">;
  meter: LedgerSources["meter"] & Pick<MeterArchive, "list">;
  documents: DocumentArchive;
}

/** Today up to the last whole quarter-hour. */
interface DaySoFar {
  figures: DayFigures;
  quarters: QuarterColumns;
}

/** Days before a period that are computed with it, so that the uncontrolled battery does not begin with its first day. */
const WARM_UP_DAYS = 7;

/**
 * The ledger of all sites: each local day is computed once it is over, stored, and computed again when an import, a price or
 * the tariff changes it. One day is computed at a time.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #store: LedgerStore;
  readonly #work = new SerialQueue();
  /** Today so far by site, and the quarter-hour it was computed for. */
  readonly #soFar = new Map<string, { date: string; elapsed: number; day: DaySoFar }>();
  readonly #usual: UsualHoursStore;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#store = new LedgerStore(options.documents);
    this.#usual = new UsualHoursStore(options, (siteId) => this.#store.installedOn(siteId));
  }

  /** Takes over what an earlier version stored; it did not record the installation. Throws StoreError. */
  async migrate(site: Site): Promise<void> {
    await this.#store.migrate(site.id);
    if ((await this.#store.installedOn(site.id)) !== undefined) return;
    const months = monthsUntil(this.#today(site)).map((month) => this.#store.month(site.id, month));
    const [first] = (await Promise.all(months)).flatMap(({ days }) => Object.keys(days)).sort();
    if (first !== undefined) await this.#store.saveInstalledOn(site.id, first);
  }

  /**
   * The days from `from` to `to`, both local dates and included; today is that so far, days to come and days without measurements are
   * incomplete. With `compute` days that are not stored are computed first. Throws StoreError, TariffError.
   */
  async days(site: Site, from: string, to: string, { compute = true } = {}): Promise<DayFigures[]> {
    const days: DayFigures[] = [];
    if (compute) await this.update(site, { from: addDays(from, -WARM_UP_DAYS), to });
    const today = this.#today(site);
    const installed = await this.#store.installedOn(site.id);
    for (let date = from; date <= to; ) {
      const month = date.slice(0, 7);
      const stored = await this.#store.month(site.id, month);
      for (; date <= to && date.startsWith(month); date = addDays(date, 1)) {
        const day =
          date === today ? await this.soFar(site) : (stored.days[date]?.figures ?? unknownDay(date));
        days.push(installed !== undefined && date < installed ? { ...day, isEarlier: true } : day);
      }
    }
    return days;
  }

  /** The site is installed: days before this one count in no sum. The first date stays. Throws StoreError. */
  installed(siteId: string, date: string): Promise<void> {
    return this.#work.run(async () => {
      if ((await this.#store.installedOn(siteId)) === undefined)
        await this.#store.saveInstalledOn(siteId, date);
    });
  }

  /**
   * Computes the days of a period that are over and not stored, or stored with another basis; in order of time, because the
   * uncontrolled battery goes on from day to day. Returns their number. Ends early when `isStopped` says so. Throws StoreError,
   * TariffError.
   */
  async update(
    site: Site,
    { from, to, isStopped = () => false }: { from: string; to?: string; isStopped?: () => boolean },
  ): Promise<number> {
    const yesterday = addDays(this.#today(site), -1);
    const first = await this.firstDate(site);
    if (first === undefined) return 0;
    const last = to === undefined || to > yesterday ? yesterday : to;
    const basisOf = await dayBasis(this.#options, site, await this.#usual.of(site));
    let computed = 0;
    let date = first > from ? first : from;
    let opening = (await this.#stored(site.id, addDays(date, -1)))?.closing ?? undefined;
    for (; date <= last && !isStopped(); ) {
      const month = date.slice(0, 7);
      const { days } = await this.#store.month(site.id, month);
      for (; date <= last && date.startsWith(month) && !isStopped(); date = addDays(date, 1)) {
        let known = days[date];
        if (known === undefined || known.basis === STALE || known.basis !== basisOf(date, opening)) {
          known = await this.#compute(site, date, opening);
          computed++;
        }
        opening = known.closing ?? undefined;
      }
      await pause();
    }
    return computed;
  }

  /** Today so far, up to the last whole quarter-hour; `again` computes it anew within it. Throws StoreError, TariffError. */
  async soFar(site: Site, options: { again?: boolean } = {}): Promise<DayFigures> {
    return (await this.#daySoFar(site, options)).figures;
  }

  async #daySoFar(site: Site, { again = false }: { again?: boolean } = {}): Promise<DaySoFar> {
    const now = this.#options.clock.now();
    const date = this.#today(site);
    const { start } = dayInterval(date, site.plant.timezone);
    const elapsed = elapsedQuarters(start, now);
    const last = this.#soFar.get(site.id);
    if (!again && last?.date === date && last.elapsed === elapsed) return last.day;
    return this.#work.run(async () => {
      const until = new Date(start.getTime() + elapsed * QUARTER_MS);
      const { promise, incidents } = await this.#store.details(site.id, date);
      const opening = (await this.#stored(site.id, addDays(date, -1)))?.closing ?? undefined;
      const measured = await this.#measured(site, date, { plant: ledgerPlant(site), until });
      const known = { ...measured, promise, opening, incidents };
      const before = await this.#before(site, known);
      const { figures } = await dayFigures(known, { elapsed, before, pause });
      const day = { figures, quarters: quarterColumns(measured.quarters.slice(0, elapsed)) };
      this.#soFar.set(site.id, { date, elapsed, day });
      return day;
    });
  }

  /** Today so far is computed anew when it is next asked for. */
  forgetToday(siteId: string): void {
    this.#soFar.delete(siteId);
  }

  /** Forgets what is kept of a site that was removed. */
  drop(siteId: string): void {
    this.#soFar.delete(siteId);
    this.#usual.forget(siteId);
  }

  async #measured(site: Site, date: string, of: Pick<MeasureOptions, "plant" | "until">) {
    return measuredDay(this.#options, site, date, { ...of, usual: await this.#usual.of(site), pause });
  }

  /** The days before with their uncontrolled runs, from the first on which a device could have taken energy of the day; oldest first. */
  async #before(site: Site, day: LedgerDay): Promise<BeforeDay[]> {
    const sinceMs = takenSinceMs(day);
    if (day.opening === undefined || sinceMs === undefined) return [];
    const days: BeforeDay[] = [];
    for (let until = day.start; sinceMs < until.getTime(); ) {
      const date = localDate(new Date(until.getTime() - 1), day.zone);
      const { uncontrolled: run, plant = ledgerPlant(site) } = await this.#store.details(site.id, date);
      if (run === undefined) break;
      const measured = await this.#measured(site, date, { plant, until });
      days.unshift({ day: measured, run });
      until = measured.start;
    }
    return days;
  }

  /** Notes why the saving of a day may be negative. Throws StoreError. */
  incident(siteId: string, date: string, incidents: DayIncidents): Promise<void> {
    return this.#work.run(async () => {
      const details = await this.#store.details(siteId, date);
      const all = { ...details.incidents, ...incidents };
      if (JSON.stringify(all) !== JSON.stringify(details.incidents))
        await this.#store.saveDetails(siteId, date, { ...details, incidents: all });
    });
  }

  /** Stores the promise of a day, unless it has one; null removes it. Throws StoreError. */
  promise(siteId: string, date: string, promise: DayPromise | null): Promise<void> {
    return this.#work.run(() => this.#savePromise(siteId, date, promise));
  }

  /** The same for the first plan of a day: what its devices save is computed as that of a measured day. Throws StoreError, TariffError. */
  async promisePlan(
    site: Site,
    { date, promise }: { date: string; promise: DayPromise },
    planned: PlannedDay,
  ): Promise<void> {
    // A vehicle that came yesterday would have been charged then.
    const yesterday = addDays(date, -1);
    if (site.plant.slots.length > 0) await this.update(site, { from: yesterday, to: yesterday });
    await this.#work.run(async () => {
      const { start } = dayInterval(date, site.plant.timezone);
      const opening = (await this.#stored(site.id, yesterday))?.closing ?? undefined;
      const plug = await plugReadings(this.#options, site, { date, until: start });
      const usual = await this.#usual.of(site);
      const day = plannedDay(site, { ...planned, date }, { plug, usual, opening });
      if (day.devices.length === 0) return this.#savePromise(site.id, date, promise);
      const before = await this.#before(site, day);
      const { figures } = await dayFigures(day, { elapsed: day.quarters.length, before, pause });
      const savingEur = promise.savingEur + (figures.savedDevicesEur ?? 0);
      return this.#savePromise(site.id, date, { ...promise, savingEur });
    });
  }

  async #savePromise(siteId: string, date: string, promise: DayPromise | null): Promise<void> {
    const { promise: before, ...details } = await this.#store.details(siteId, date);
    if (promise === null && before === undefined) return;
    await this.#store.saveDetails(siteId, date, {
      ...details,
      ...(promise !== null && { promise: before ?? promise }),
    });
  }

  /** Stores what the plan of the day before expects of a day, unless it is stored already. Throws StoreError. */
  forecast(siteId: string, date: string, forecast: readonly ForecastStep[]): Promise<void> {
    return this.#work.run(async () => {
      const details = await this.#store.details(siteId, date);
      if (details.forecast === undefined)
        await this.#store.saveDetails(siteId, date, { ...details, forecast });
    });
  }

  /** A day is computed again at the next opportunity. Throws StoreError. */
  invalidate(siteId: string, date: string): Promise<void> {
    this.#usual.forget(siteId);
    return this.#work.run(() => this.#put(siteId, date, (known) => known && { ...known, basis: STALE }));
  }

  /** Quarter-hours of a day; undefined before it is computed. Throws StoreError. */
  async quarters(siteId: string, date: string): Promise<QuarterColumns | undefined> {
    return (await this.#store.details(siteId, date)).quarters;
  }

  /** The quarter-hours of today so far. Throws StoreError, TariffError. */
  async quartersSoFar(site: Site): Promise<QuarterColumns> {
    return (await this.#daySoFar(site)).quarters;
  }

  /** What is stored of a day besides its figures. Throws StoreError. */
  details(siteId: string, date: string): Promise<DayDetails> {
    return this.#store.details(siteId, date);
  }

  /** Savings promised and achieved by month, oldest first, at most 36 months. Throws StoreError. */
  async months(site: Site): Promise<MonthRecord[]> {
    const records: MonthRecord[] = [];
    for (const name of monthsUntil(this.#today(site))) {
      const { days, earlier } = await this.#store.month(site.id, name);
      const none = { month: name, promisedEur: 0, achievedEur: 0, days: 0, daysWithoutTelemetry: 0 };
      const record = Object.values(days).reduce(
        (sum, { figures }) => addToMonth(sum, figures),
        earlier ?? none,
      );
      if (record.days + record.daysWithoutTelemetry > 0) records.push(record);
    }
    return records;
  }

  /** Resolves when everything under way is stored. */
  idle(): Promise<void> {
    return this.#work.idle();
  }

  /** Computes and stores a day that is over. */
  #compute(site: Site, date: string, opening: DayClosing | undefined): Promise<StoredDay> {
    return this.#work.run(async () => {
      const details = await this.#store.details(site.id, date);
      const basis = (await dayBasis(this.#options, site, await this.#usual.of(site)))(date, opening);
      const plant = details.plant ?? ledgerPlant(site);
      const until = dayInterval(date, site.plant.timezone).end;
      const measured = await this.#measured(site, date, { plant, until });
      const day = { ...measured, promise: details.promise, opening, incidents: details.incidents };
      const before = await this.#before(site, day);
      const { figures, closing, uncontrolled } = await dayFigures(day, { before, pause });
      const quarters = quarterColumns(measured.quarters);
      const { uncontrolled: _, ...kept } = details;
      await this.#store.saveDetails(site.id, date, {
        ...kept,
        plant,
        quarters,
        ...(uncontrolled !== undefined && { uncontrolled }),
      });
      // Last: a stop in between computes the day again. Today goes on from it.
      const stored = { figures, closing, basis };
      this.forgetToday(site.id);
      await this.#put(site.id, date, () => stored);
      return stored;
    });
  }

  /** Local date of the first measurement; undefined without any. Throws StoreError. */
  firstDate(site: Site): Promise<string | undefined> {
    return firstMeasuredDate(this.#options, site);
  }

  async #stored(siteId: string, date: string): Promise<StoredDay | undefined> {
    return (await this.#store.month(siteId, date.slice(0, 7))).days[date];
  }

  async #put(
    siteId: string,
    date: string,
    change: (known: StoredDay | undefined) => StoredDay | undefined,
  ): Promise<void> {
    const month = date.slice(0, 7);
    const stored = await this.#store.month(siteId, month);
    const next = change(stored.days[date]);
    if (next === undefined) return;
    await this.#store.saveMonth(siteId, month, { ...stored, days: { ...stored.days, [date]: next } });
  }

  #today({ plant }: Site): string {
    return localDate(this.#options.clock.now(), plant.timezone);
  }
}
