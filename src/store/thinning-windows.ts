import { floorTo } from "../domain/interval.js";
import { seriesKey } from "./sample-keys.js";
import type { SeriesDatabase } from "./series.js";

/**
 * Which windows of history hold a reading already, in the database or in the flush that is being prepared. A window is
 * a cell of the UTC grid of its length.
 */
export class ThinningWindows {
  readonly #database: SeriesDatabase;
  readonly #lengthsMs: readonly number[];
  readonly #occupied = new Map<string, boolean>();

  /** `lengthsMs`: every length that will be asked for; 0 is no thinning. */
  constructor(database: SeriesDatabase, lengthsMs: readonly number[]) {
    this.#database = database;
    this.#lengthsMs = [...new Set(lengthsMs)].filter((length) => length > 0);
  }

  async isOccupied(prefix: string, atMs: number, lengthMs: number): Promise<boolean> {
    if (lengthMs <= 0) return false;
    const startMs = floorTo(atMs, lengthMs);
    const name = `${lengthMs}/${prefix}${startMs}`;
    const known = this.#occupied.get(name);
    if (known !== undefined) return known;
    const range = { gte: seriesKey(prefix, startMs), lt: seriesKey(prefix, startMs + lengthMs), limit: 1 };
    const occupied = (await this.#database.keys(range)).length > 0;
    this.#occupied.set(name, occupied);
    return occupied;
  }

  /** Takes note of a reading that this flush adds. */
  occupy(prefix: string, atMs: number): void {
    for (const lengthMs of this.#lengthsMs) {
      this.#occupied.set(`${lengthMs}/${prefix}${floorTo(atMs, lengthMs)}`, true);
    }
  }
}
