import { HOUR_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { PricePoint } from "../core/domain/price.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { PriceArchive } from "./archive.js";
import type { SeriesDatabase } from "./series.js";

/**
 * Prices, one record per UTC month: ten years are 120 records, read at the start. A record contains one bit per hour ("was
 * published as an hourly price") and one little-endian double per quarter-hour, EUR/MWh, NaN for gaps.
 */
export class SeriesPriceArchive implements PriceArchive {
  readonly #database: SeriesDatabase;
  /** Saves read, change and write whole months and must not overlap. */
  readonly #saves = new SerialQueue();

  constructor(database: SeriesDatabase) {
    this.#database = database;
  }

  /** All prices in order of time, as hours or quarter-hours as they were saved. Throws StoreError. */
  async load(): Promise<PricePoint[]> {
    const points: PricePoint[] = [];
    for (const [key, bytes] of await this.#database.entries({ gte: PREFIX, lt: `${PREFIX}~` })) {
      const month = Month.read(bytes);
      if (month !== undefined) month.collect(Date.parse(`${key.slice(PREFIX.length)}-01T00:00:00Z`), points);
    }
    return points;
  }

  /**
   * Saves the points over existing prices; flushed when it resolves. Points without a finite price are ignored. Throws
   * RangeError for a point off the UTC grid of its length, StoreError.
   */
  save(points: readonly PricePoint[]): Promise<void> {
    return this.#saves.run(() => this.#save(points));
  }

  /** Resolves when all pending saves have ended. */
  close(): Promise<void> {
    return this.#saves.idle();
  }

  async #save(points: readonly PricePoint[]): Promise<void> {
    const byMonth = new Map<string, PricePoint[]>();
    for (const point of points) {
      if (!Number.isFinite(point.eurPerMwh)) continue;
      if (point.start.getTime() % (point.minutes * 60_000) !== 0) {
        throw new RangeError(
          `A price of ${point.minutes} minutes cannot start at ${point.start.toISOString()}.`,
        );
      }
      const name = point.start.toISOString().slice(0, 7);
      const list = byMonth.get(name);
      if (list === undefined) byMonth.set(name, [point]);
      else list.push(point);
    }
    const operations = await Promise.all(
      [...byMonth].map(async ([name, list]) => {
        const stored = await this.#database.get(PREFIX + name);
        const month = (stored && Month.read(stored)) ?? Month.empty();
        const startMs = Date.parse(`${name}-01T00:00:00Z`);
        for (const point of list) month.set(startMs, point);
        return { type: "put", key: PREFIX + name, value: month.bytes } as const;
      }),
    );
    await this.#database.write(operations);
  }
}

const PREFIX = "price/";
const HOURS = 31 * 24;
const FLAG_BYTES = HOURS / 8;

/** View of the stored bytes of one month. */
class Month {
  readonly bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  static empty(): Month {
    const bytes = Buffer.alloc(FLAG_BYTES + HOURS * 4 * 8);
    for (let quarter = 0; quarter < HOURS * 4; quarter++)
      bytes.writeDoubleLE(Number.NaN, FLAG_BYTES + quarter * 8);
    return new Month(bytes);
  }

  /** Undefined for a record of an unknown length. */
  static read(bytes: Buffer): Month | undefined {
    return bytes.length === FLAG_BYTES + HOURS * 4 * 8 ? new Month(bytes) : undefined;
  }

  set(monthMs: number, point: PricePoint): void {
    const first = (point.start.getTime() - monthMs) / QUARTER_MS;
    for (let quarter = first; quarter < first + point.minutes / 15; quarter++) {
      this.bytes.writeDoubleLE(point.eurPerMwh, FLAG_BYTES + quarter * 8);
    }
    const hour = Math.floor(first / 4);
    const flags = this.bytes[hour >> 3]!;
    const bit = 1 << (hour & 7);
    this.bytes[hour >> 3] = point.minutes === 60 ? flags | bit : flags & ~bit;
  }

  collect(monthMs: number, points: PricePoint[]): void {
    for (let hour = 0; hour < HOURS; hour++) {
      const whole = (this.bytes[hour >> 3]! & (1 << (hour & 7))) !== 0;
      for (let part = 0; part < (whole ? 1 : 4); part++) {
        const eurPerMwh = this.bytes.readDoubleLE(FLAG_BYTES + (hour * 4 + part) * 8);
        if (Number.isNaN(eurPerMwh)) continue;
        const start = new Date(monthMs + hour * HOUR_MS + part * QUARTER_MS);
        points.push({ start, minutes: whole ? 60 : 15, eurPerMwh });
      }
    }
  }
}
