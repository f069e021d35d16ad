import { DAY_MS, HOUR_MS } from "../../domain/interval.js";
import { HOUR_WIDTH, type WeatherTable } from "../../forecast/forecast-issue-set.js";
import type { DocumentArchive } from "../../store/archive.js";

/** Issues of about three years are kept: what a training looks back on, seasons included. */
export const KEPT_DAYS = 3 * 366;
const LATEST = "market-weather/latest";
/** Whole numbers that a reading is kept as: hundredths of m/s and of a degree, tenths of W/m2. */
const SCALES = [100, 10, 100];
/** Kept where nothing is known. */
const HOLE = -32_768;

interface StoredTable {
  at: number;
  start: number;
  values: string;
}

/** Issues of a month, by day of the month; null for a day that was asked for and of which nothing is to be had. */
interface MonthDocument {
  version: 1;
  issues: Record<string, StoredTable | null>;
}

/**
 * Issued weather on disk: one issue a day, a document a month, and the newest of all. Days are named by the instant of their
 * midnight, UTC.
 */
export class IssueArchive {
  readonly #documents: DocumentArchive;
  readonly #months = new Map<string, MonthDocument>();

  constructor(documents: DocumentArchive) {
    this.#documents = documents;
  }

  /** All issues of the days kept before `nowMs`; days that were asked for in vain are in the map without one. Rejects as the store does. */
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

  /** Keeps the issues of days; undefined for those of which nothing is to be had. Flushed when it resolves. */
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

  /** What is held of a month, also of one that lies outside of what was loaded: the clock may have been set since. */
  async #month(month: string): Promise<MonthDocument | undefined> {
    const known = this.#months.get(month);
    if (known !== undefined) return known;
    const stored = await this.#documents.get(nameOf(month));
    if (!isMonth(stored)) return undefined;
    this.#months.set(month, stored);
    return stored;
  }

  /** Empties the month that has just become too old. */
  async forget(nowMs: number): Promise<void> {
    const old = new Date(nowMs - (KEPT_DAYS + 62) * DAY_MS).toISOString().slice(0, 7);
    if ((await this.#documents.get(nameOf(old))) === undefined) return;
    this.#months.delete(old);
    await this.#documents.put(nameOf(old), null);
  }
}

/** An issue as it comes back from the disk: what is learnt from must be the same before and after a restart. */
export function asKept(table: WeatherTable): WeatherTable {
  return readTable(writeTable(table)) ?? table;
}

function nameOf(month: string): string {
  return `market-weather/${month}`;
}

function monthsUntil(nowMs: number): string[] {
  const months = new Set<string>();
  for (let at = nowMs - KEPT_DAYS * DAY_MS; at < nowMs; at += DAY_MS)
    months.add(new Date(at).toISOString().slice(0, 7));
  return [...months.add(new Date(nowMs).toISOString().slice(0, 7))];
}

function isMonth(value: unknown): value is MonthDocument {
  const month = value as Partial<MonthDocument> | null | undefined;
  return (
    typeof month === "object" &&
    month !== null &&
    month.version === 1 &&
    typeof month.issues === "object" &&
    month.issues !== null
  );
}

function writeTable({ issuedAtMs, startMs, values }: WeatherTable): StoredTable {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => {
    bytes.writeInt16LE(Number.isNaN(value) ? HOLE : Math.round(value * scaleOf(index)), index * 2);
  });
  return { at: issuedAtMs, start: startMs, values: bytes.toString("base64") };
}

function readTable(stored: unknown): WeatherTable | undefined {
  const { at, start, values } = (stored ?? {}) as Partial<Record<keyof StoredTable, unknown>>;
  if (!isInstant(at) || !isInstant(start) || start % HOUR_MS !== 0 || typeof values !== "string")
    return undefined;
  const bytes = Buffer.from(values, "base64");
  if (bytes.length === 0 || bytes.length % (2 * HOUR_WIDTH) !== 0) return undefined;
  const numbers = Float32Array.from({ length: bytes.length / 2 }, (_, index) => {
    const whole = bytes.readInt16LE(index * 2);
    return whole === HOLE ? Number.NaN : whole / scaleOf(index);
  });
  return { issuedAtMs: at, startMs: start, values: numbers };
}

function isInstant(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function scaleOf(index: number): number {
  return SCALES[index % SCALES.length]!;
}
