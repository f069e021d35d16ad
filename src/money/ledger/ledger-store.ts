import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import { recordOf } from "../../core/net/json.js";
import { isNumber } from "../../core/shape.js";
import { monthsBack } from "../../core/time/zone.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { DayFigures, LedgerQuarter } from "./ledger-day.js";
import {
  type DayDetails,
  detailsFromJson,
  isLocalDate,
  isMonthRecord,
  type MonthRecord,
  monthFromJson,
  QUARTER_NUMBERS,
  type QuarterColumns,
  type StoredMonth,
} from "./stored-day.js";

/** The ledger in the data folder: a document of figures per site and month, and one of quarter-hours per day. */
export class LedgerStore {
  readonly #documents: DocumentArchive;

  constructor(documents: DocumentArchive) {
    this.#documents = documents;
  }

  /** The days of a month, `YYYY-MM`. Throws StoreError. */
  async month(siteId: string, month: string): Promise<StoredMonth> {
    return monthFromJson(await this.#documents.get(`ledger/${siteId}/${month}`));
  }

  /** Replaces the days of a month. Throws StoreError. */
  saveMonth(siteId: string, month: string, stored: StoredMonth): Promise<void> {
    return this.#documents.put(`ledger/${siteId}/${month}`, stored);
  }

  async details(siteId: string, date: string): Promise<DayDetails> {
    return detailsFromJson(await this.#documents.get(`ledger-day/${siteId}/${date}`));
  }

  saveDetails(siteId: string, date: string, details: DayDetails): Promise<void> {
    return this.#documents.put(`ledger-day/${siteId}/${date}`, details);
  }

  /** Local date of the installation; undefined: not known. Throws StoreError. */
  async installedOn(siteId: string): Promise<string | undefined> {
    const { installed } = recordOf(await this.#documents.get(`ledger-site/${siteId}`));
    return isLocalDate(installed) ? installed : undefined;
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
    const stored = await this.#documents.get(name);
    if (stored === undefined) return;
    const { version, months, open } = recordOf(stored);
    if (version === 1 && Array.isArray(months)) {
      for (const earlier of months.filter(isMonthRecord)) {
        const stored = await this.month(siteId, earlier.month);
        await this.saveMonth(siteId, earlier.month, { ...stored, earlier });
      }
      const { date, promisedEur } = recordOf(open);
      if (isLocalDate(date) && isNumber(promisedEur)) {
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
    QUARTER_NUMBERS.map((name) => [name, quarters.map((quarter) => rounded(quarter[name]))]),
  ) as Omit<QuarterColumns, "slots">;
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
  return monthsBack(date.slice(0, 7), "", LONGEST_MONTHS).reverse();
}
