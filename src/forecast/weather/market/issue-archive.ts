import { DAY_MS, HOUR_MS } from "../../../core/domain/interval.js";
import { isRecord } from "../../../core/net/json.js";
import { hasFields, isNumber, isOneOf, isText } from "../../../core/shape.js";
import type { DocumentArchive } from "../../../store/archive.js";
import { HOUR_WIDTH, type WeatherTable } from "../../price/forecast-issue-set.js";

/** Days for which issues are stored: about three years, the range of a training. */
export const STORED_DAYS = 3 * 366;
const LATEST = "market-weather/latest";
/** Scales of the readings, which are stored as integers: hundredths of m/s and of a degree, tenths of W/m2. */
const SCALES = [100, 10, 100];
/** Stored value of a gap. */
const HOLE = -32_768;

interface StoredTable {
  at: number;
  start: number;
  values: string;
}

/** Issues of a month, by day of the month; null for a day that was requested without result. */
interface MonthDocument {
  version: 1;
  issues: Record<string, StoredTable | null>;
}

/**
 * Issued weather on disk: one issue per day in one document per month, and the newest issue. Days are identified by midnight
 * UTC, ms.
 */
export class IssueArchive {
  readonly #documents: DocumentArchive;
  readonly #months = new Map<string, MonthDocument>();

  constructor(documents: DocumentArchive) {
    this.#documents = documents;
  }

  /** All stored issues before `nowMs` by day; undefined for days requested without result. Rejects with StoreError. */
  async load(nowMs: number): Promise<Map<number, WeatherTable | undefined>> {
    const days = new Map<number, WeatherTable | undefined>();
    for (const month of monthsUntil(nowMs)) {
      const document = await this.#month(month);
      if (document === undefined) continue;
      for (const [day, stored] of Object.entries(document.issues)) {
        const table = stored === null ? undefined : readTable(stored);
        if (stored === null || table !== undefined) days.set(Date.parse(`${month}-${day}T00:00:00Z`), table);
      }
    }
    return days;
  }

  async latest(): Promise<WeatherTable | undefined> {
    return readTable(await this.#documents.get(LATEST));
  }

  async saveLatest(table: WeatherTable): Promise<void> {
    await this.#documents.put(LATEST, writeTable(table));
  }

  /** Stores the issues of days; undefined for those without result. Flushed when it resolves. */
  async save(days: ReadonlyMap<number, WeatherTable | undefined>): Promise<void> {
    const touched = new Set<string>();
    for (const [dayMs, table] of days) {
      const date = new Date(dayMs).toISOString();
      const month = date.slice(0, 7);
      const document = (await this.#month(month)) ?? { version: 1, issues: {} };
      document.issues[date.slice(8, 10)] = table === undefined ? null : writeTable(table);
      this.#months.set(month, document);
      touched.add(month);
    }
    for (const month of touched) await this.#documents.put(nameOf(month), this.#months.get(month));
  }

  /** The document of a month, also outside the loaded range, because the clock may have been set. */
  async #month(month: string): Promise<MonthDocument | undefined> {
    const known = this.#months.get(month);
    if (known !== undefined) return known;
    const stored = await this.#documents.get(nameOf(month));
    if (!isMonth(stored)) return undefined;
    this.#months.set(month, stored);
    return stored;
  }

  /** Clears the month that has just become too old. */
  async forget(nowMs: number): Promise<void> {
    const old = new Date(nowMs - (STORED_DAYS + 62) * DAY_MS).toISOString().slice(0, 7);
    if ((await this.#documents.get(nameOf(old))) === undefined) return;
    this.#months.delete(old);
    await this.#documents.put(nameOf(old), null);
  }
}

/** The issue after writing and reading: training data must be the same before and after a restart. */
export function asStored(table: WeatherTable): WeatherTable {
  return readTable(writeTable(table)) ?? table;
}

function nameOf(month: string): string {
  return `market-weather/${month}`;
}

function monthsUntil(nowMs: number): string[] {
  const months = new Set<string>();
  for (let at = nowMs - STORED_DAYS * DAY_MS; at < nowMs; at += DAY_MS)
    months.add(new Date(at).toISOString().slice(0, 7));
  return [...months.add(new Date(nowMs).toISOString().slice(0, 7))];
}

const isMonth = hasFields<MonthDocument>({
  version: isOneOf([1]),
  // A table that cannot be read is no issue of its day.
  issues: (value): value is MonthDocument["issues"] => isRecord(value),
});
const isTable = hasFields<StoredTable>({ at: isNumber, start: isNumber, values: isText });

function writeTable({ issuedAtMs, startMs, values }: WeatherTable): StoredTable {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => {
    bytes.writeInt16LE(Number.isNaN(value) ? HOLE : Math.round(value * scaleOf(index)), index * 2);
  });
  return { at: issuedAtMs, start: startMs, values: bytes.toString("base64") };
}

function readTable(stored: unknown): WeatherTable | undefined {
  if (!isTable(stored) || stored.start % HOUR_MS !== 0) return undefined;
  const { at, start, values } = stored;
  const bytes = Buffer.from(values, "base64");
  if (bytes.length === 0 || bytes.length % (2 * HOUR_WIDTH) !== 0) return undefined;
  const numbers = Float32Array.from({ length: bytes.length / 2 }, (_, index) => {
    const whole = bytes.readInt16LE(index * 2);
    return whole === HOLE ? Number.NaN : whole / scaleOf(index);
  });
  return { issuedAtMs: at, startMs: start, values: numbers };
}

function scaleOf(index: number): number {
  return SCALES[index % SCALES.length]!;
}
