import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import type { DocumentArchive } from "../../store/archive.js";
import type {
  DayClosing,
  DayFigures,
  DayIncidents,
  DayPromise,
  ForecastStep,
  LedgerPlant,
  LedgerQuarter,
  UncontrolledDay,
} from "./ledger-day.js";

/** A computed day. */
export interface StoredDay {
  figures: DayFigures;
  closing: DayClosing | null;
  /** What the figures depend on besides the telemetry; another value: the day must be computed again. */
  basis: string;
}

/** Savings promised and achieved in a local month, summed over the days that could be compared; EUR. */
export interface MonthRecord {
  /** Such as 2026-05. */
  month: string;
  promisedEur: number;
  achievedEur: number;
  /** Days compared. */
  days: number;
  /** Days without enough measurements. */
  daysWithoutTelemetry: number;
}

/** The computed days of a month. */
export interface StoredMonth {
  version: 1;
  days: Record<string, StoredDay>;
  /** Sums of an earlier version, which did not store days. */
  earlier?: MonthRecord;
}

/** What is stored of a day besides its figures. */
export interface DayDetails {
  version: 1;
  promise?: DayPromise;
  /** What the first plan of the day before expected of its hours. */
  forecast?: readonly ForecastStep[];
  /** The battery at the first computation: a later one must not change the past. */
  plant?: LedgerPlant;
  quarters?: QuarterColumns;
  /** The uncontrolled home; days of earlier versions have it only where devices are planned. */
  uncontrolled?: UncontrolledDay;
  incidents?: DayIncidents;
}

const NUMBERS = [
  "importKwh",
  "exportKwh",
  "pvKwh",
  "loadKwh",
  "chargeKwh",
  "dischargeKwh",
  "importCtKwh",
  "exportCtKwh",
] as const;
type Column = (typeof NUMBERS)[number];

/** The quarter-hours of a day as lists; null where a value is not known. */
export type QuarterColumns = Record<Column, (number | null)[]> & { slots: Record<string, (number | null)[]> };

/** The ledger in the data folder: a document of figures per site and month, and one of quarter-hours per day. */
export class LedgerStore {
  readonly #documents: DocumentArchive;

  constructor(documents: DocumentArchive) {
    this.#documents = documents;
  }

  /** The days of a month, `YYYY-MM`. Throws StoreError. */
  async month(siteId: string, month: string): Promise<StoredMonth> {
    const stored = (await this.#documents.get(`ledger/${siteId}/${month}`)) as
      | Partial<StoredMonth>
      | undefined;
    return stored?.version === 1 && stored.days ? (stored as StoredMonth) : { version: 1, days: {} };
  }

  /** Replaces the days of a month. Throws StoreError. */
  saveMonth(siteId: string, month: string, stored: StoredMonth): Promise<void> {
    return this.#documents.put(`ledger/${siteId}/${month}`, stored);
  }

  async details(siteId: string, date: string): Promise<DayDetails> {
    const stored = (await this.#documents.get(`ledger-day/${siteId}/${date}`)) as DayDetails | undefined;
    return stored?.version === 1 ? stored : { version: 1 };
  }

  saveDetails(siteId: string, date: string, details: DayDetails): Promise<void> {
    return this.#documents.put(`ledger-day/${siteId}/${date}`, details);
  }

  /** Local date of the installation; undefined: not known. Throws StoreError. */
  async installedOn(siteId: string): Promise<string | undefined> {
    const stored = (await this.#documents.get(`ledger-site/${siteId}`)) as { installed?: string } | undefined;
    return stored?.installed;
  }

  saveInstalledOn(siteId: string, date: string): Promise<void> {
    return this.#documents.put(`ledger-site/${siteId}`, { version: 1, installed: date });
  }

  /**
   * Takes over the monthly sums of version 0.1, which stored no days. Stopping at any point and repeating it changes
   * nothing. Throws StoreError.
   */
  async migrate(siteId: string): Promise<void> {
    const name = `calibration/${siteId}`;
    const old = (await this.#documents.get(name)) as
      | { version?: unknown; months?: MonthRecord[]; open?: { date: string; promisedEur: number } | null }
      | undefined;
    if (old === undefined) return;
    if (old.version === 1 && Array.isArray(old.months)) {
      for (const earlier of old.months) {
        const stored = await this.month(siteId, earlier.month);
        await this.saveMonth(siteId, earlier.month, { ...stored, earlier });
      }
      if (old.open) {
        const { date, promisedEur } = old.open;
        const details = await this.details(siteId, date);
        await this.saveDetails(siteId, date, { promise: { savingEur: promisedEur, steps: [] }, ...details });
      }
    }
    await this.#documents.put(name, null);
  }
}

/** The quarter-hours as they are stored: energies in tenths of a watt-hour, prices in hundredths of a cent. */
export function quarterColumns(quarters: readonly LedgerQuarter[]): QuarterColumns {
  const rounded = (value: number | undefined) =>
    value === undefined ? null : Math.round(value * 10_000) / 10_000;
  const columns = Object.fromEntries(
    NUMBERS.map((name) => [name, quarters.map((quarter) => rounded(quarter[name]))]),
  ) as Record<Column, (number | null)[]>;
  const used = SLOT_NUMBERS.filter((slot) => quarters.some(({ slotKwh }) => slotKwh[slot] !== undefined));
  const slots = used.map((slot) => [slot, quarters.map(({ slotKwh }) => rounded(slotKwh[slot]))]);
  return { ...columns, slots: Object.fromEntries(slots) };
}

/** A month's record with one more day; days without a promise are not compared. */
export function addToMonth(record: MonthRecord, figures: DayFigures): MonthRecord {
  const { promisedSavingEur, savedEur } = figures;
  if (promisedSavingEur === null) return record;
  if (savedEur === null) {
    return { ...record, daysWithoutTelemetry: record.daysWithoutTelemetry + 1 };
  }
  return {
    ...record,
    promisedEur: record.promisedEur + promisedSavingEur,
    achievedEur: record.achievedEur + savedEur,
    days: record.days + 1,
  };
}

const LONGEST_MONTHS = 36;

/** The months up to that of a date, oldest first. */
export function monthsUntil(date: string): string[] {
  const [year = 0, month = 0] = date.split("-").map(Number);
  return Array.from({ length: LONGEST_MONTHS }, (_, index) =>
    new Date(Date.UTC(year, month - LONGEST_MONTHS + index)).toISOString().slice(0, 7),
  );
}
