import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Site } from "../../config/site.js";
import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { Clock } from "../../core/time/clock.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import type { MeterImport } from "../../store/meter-import.js";
import { dayFigures, unknownDay } from "./day-figures.js";
import type { DayClosing, DayFigures, DayPromise, ForecastStep } from "./ledger-day.js";
import {
  addToMonth,
  type DayDetails,
  LedgerStore,
  type MonthRecord,
  type QuarterColumns,
  quarterColumns,
  type StoredDay,
} from "./ledger-store.js";
import { elapsedQuarters, type LedgerSources, ledgerPlant, measuredDay } from "./measure-day.js";

export interface LedgerOptions extends LedgerSources {
  clock: Pick<Clock, "now">;
  meter: LedgerSources["meter"] & Pick<MeterArchive, "list">;
  documents: DocumentArchive;
}

/** Another value: every stored day is computed again. */
const VERSION = 2;
/** Readings that belong to a day arrive until this long after its end. */
const SETTLED_MS = 70 * 60_000;
/** Days before a period that are computed with it, so that the uncontrolled battery does not begin with its first day. */
const WARM_UP_DAYS = 7;
const LONGEST_MONTHS = 36;
/** Gives way to other work. */
const pause = () => nextTurn();
/** A day that has to be computed again. */
const STALE = "";

/**
 * The ledger of all sites: each local day is computed once it is over, stored, and computed again when an import, a price or
 * the tariff changes it. One day is computed at a time.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #store: LedgerStore;
  readonly #work = new SerialQueue();

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.#store = new LedgerStore(options.documents);
  }

  /** Takes over what an earlier version stored. Throws StoreError. */
  migrate(siteId: string): Promise<void> {
    return this.#work.run(() => this.#store.migrate(siteId));
  }

  /**
   * The days from `from` to `to`, both local dates and included; today, days to come and days without measurements are
   * incomplete. With `compute` days that are not stored are computed first. Throws StoreError, TariffError.
   */
  async days(site: Site, from: string, to: string, { compute = true } = {}): Promise<DayFigures[]> {
    const days: DayFigures[] = [];
    if (compute) await this.update(site, { from: addDays(from, -WARM_UP_DAYS), to });
    for (let date = from; date <= to; ) {
      const month = date.slice(0, 7);
      const stored = await this.#store.month(site.id, month);
      for (; date <= to && date.startsWith(month); date = addDays(date, 1))
        days.push(stored.days[date]?.figures ?? unknownDay(date));
    }
    return days;
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
    const basisOf = await this.#basis(site);
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
      await nextTurn();
    }
    return computed;
  }

  /** The figures of today so far. Throws StoreError, TariffError. */
  soFar(site: Site): Promise<DayFigures> {
    return this.#work.run(async () => {
      const now = this.#options.clock.now();
      const date = this.#today(site);
      const { start } = dayInterval(date, site.plant.timezone);
      const elapsed = elapsedQuarters(start, now);
      const until = new Date(start.getTime() + elapsed * QUARTER_MS);
      const { promise } = await this.#store.details(site.id, date);
      const opening = (await this.#stored(site.id, addDays(date, -1)))?.closing ?? undefined;
      const plant = ledgerPlant(site);
      const measured = await measuredDay(this.#options, site, date, { plant, until, pause });
      const day = { ...measured, promise, opening };
      return (await dayFigures(day, { elapsed, pause })).figures;
    });
  }

  /** Stores the promise of a day, unless it has one; null removes it. Throws StoreError. */
  promise(siteId: string, date: string, promise: DayPromise | null): Promise<void> {
    return this.#work.run(async () => {
      const { promise: before, ...details } = await this.#store.details(siteId, date);
      if (promise === null && before === undefined) return;
      await this.#store.saveDetails(siteId, date, {
        ...details,
        ...(promise !== null && { promise: before ?? promise }),
      });
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
    return this.#work.run(() => this.#put(siteId, date, (known) => known && { ...known, basis: STALE }));
  }

  /** Quarter-hours of a day; undefined before it is computed. Throws StoreError. */
  async quarters(siteId: string, date: string): Promise<QuarterColumns | undefined> {
    return (await this.#store.details(siteId, date)).quarters;
  }

  /** The quarter-hours of today so far. Throws StoreError, TariffError. */
  async quartersSoFar(site: Site): Promise<QuarterColumns> {
    const now = this.#options.clock.now();
    const plant = ledgerPlant(site);
    const measured = await measuredDay(this.#options, site, this.#today(site), {
      plant,
      until: now,
      pause,
    });
    const elapsed = elapsedQuarters(measured.start, now);
    return quarterColumns(measured.quarters.slice(0, elapsed));
  }

  /** What is stored of a day besides its figures. Throws StoreError. */
  details(siteId: string, date: string): Promise<DayDetails> {
    return this.#store.details(siteId, date);
  }

  /** Savings promised and achieved by month, oldest first, at most 36 months. Throws StoreError. */
  async months(site: Site): Promise<MonthRecord[]> {
    const records: MonthRecord[] = [];
    const [year = 0, month = 0] = this.#today(site).split("-").map(Number);
    for (let back = LONGEST_MONTHS - 1; back >= 0; back--) {
      const name = new Date(Date.UTC(year, month - 1 - back)).toISOString().slice(0, 7);
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
      const basis = (await this.#basis(site))(date, opening);
      const plant = details.plant ?? ledgerPlant(site);
      const until = dayInterval(date, site.plant.timezone).end;
      const measured = await measuredDay(this.#options, site, date, { plant, until, pause });
      const day = { ...measured, promise: details.promise, opening };
      const result = await dayFigures(day, { pause });
      const quarters = quarterColumns(measured.quarters);
      await this.#store.saveDetails(site.id, date, { ...details, plant, quarters });
      // Last: a stop in between computes the day again.
      const stored = { ...result, basis };
      await this.#put(site.id, date, () => stored);
      return stored;
    });
  }

  /** Local date of the first measurement; undefined without any. Throws StoreError. */
  async firstDate(site: Site): Promise<string | undefined> {
    const { samples, meter } = this.#options;
    const reading = await samples.firstAt(site.id, "import_kwh");
    const starts = meter.list(site.id).flatMap(({ series }) => series.map(({ firstStart }) => firstStart));
    if (reading !== undefined) starts.push(reading.toISOString());
    const first = starts.sort()[0];
    return first === undefined ? undefined : localDate(new Date(first), site.plant.timezone);
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

  /** What the figures of a day depend on besides telemetry: tariff, imports, the prices that are known, the day before. */
  async #basis({ id, plant }: Site): Promise<(date: string, opening: DayClosing | undefined) => string> {
    const { clock, meter } = this.#options;
    const series = await this.#options.series();
    const imports = meter.list(id);
    const settings = JSON.stringify([VERSION, plant.tariff, plant.grid.connection_kw]);
    const nowMs = clock.now().getTime();
    return (date, opening) => {
      const { start, end } = dayInterval(date, plant.timezone);
      if (nowMs < end.getTime() + SETTLED_MS) return STALE;
      const used = imports.filter((one) => covers(one, start.toISOString(), end.toISOString()));
      return createHash("sha256")
        .update(settings)
        .update(used.map((one) => one.id).join())
        .update(String(knownPrices(series, start.getTime(), end.getTime())))
        .update(JSON.stringify(opening ?? null))
        .digest("base64url")
        .slice(0, 16);
    };
  }
}

function covers({ series }: MeterImport, start: string, end: string): boolean {
  // A last value may be that of an hour.
  return series.some(
    ({ firstStart, lastStart }) =>
      firstStart < end && new Date(Date.parse(lastStart) + HOUR_MS).toISOString() > start,
  );
}

function knownPrices(series: PriceSeries, startMs: number, endMs: number): number {
  let count = 0;
  for (let ms = startMs; ms < endMs; ms += QUARTER_MS) if (series.quarter(ms) !== undefined) count++;
  return count;
}
