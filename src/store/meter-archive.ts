import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { MeterSeries } from "../core/domain/meter.js";
import { METER_QUANTITIES, type MeterQuantity, type MeterWarning } from "../core/domain/meter.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import { StoreError } from "./errors.js";
import {
  blocksOf,
  MONTH_BYTES,
  monthKey,
  monthsBetween,
  quartersOf,
  sharedQuarters,
} from "./meter-blocks.js";
import { importedSeries, type MeteredSpan, type MeterImport, overlaps, spanOf } from "./meter-import.js";
import { isOtherShare, type MeteredQuarter, overlapOf, sumOf } from "./meter-shares.js";
import type { SeriesDatabase, SeriesOperation } from "./series.js";

/** A series with the quantity that it is stored under. */
export type StoredSeries = MeterSeries & { quantity: MeterQuantity };

interface StoredImport {
  sequence: number;
  import: MeterImport;
}

export interface AddedImport {
  import: MeterImport;
  /** Per series of the file, in its order. */
  warnings: MeterWarning[][];
}

/** What the keys of the descriptions of imports begin with. */
export const INDEX = "meter/import/";
const DATA = "meter/data/";

/** A series with its values by month. */
interface PreparedSeries {
  series: StoredSeries;
  blocks: ReadonlyMap<string, Buffer>;
}

/**
 * Quarter-hours of imported meter files, apart from telemetry: every import keeps its own values. Where imports of a site
 * and quantity overlap, the later one is read; without it the earlier one is read again. Shares of different communities add up.
 */
export class MeterArchive {
  readonly #database: SeriesDatabase;
  /** In order of import; the error that reading them met. */
  readonly #held: StoredImport[] | StoreError;
  readonly #changes = new SerialQueue();
  /** The most energy of a quarter-hour that a site can have, kWh; what exceeds it is not read. */
  mostQuarterKwh: (siteId: string) => number = () => Number.POSITIVE_INFINITY;

  private constructor(database: SeriesDatabase, held: StoredImport[] | StoreError) {
    this.#database = database;
    this.#held = held;
  }

  /** Imports that cannot be read do not prevent the start: every use of them throws. */
  static async open(database: SeriesDatabase): Promise<MeterArchive> {
    const held = await database.entries({ gte: INDEX, lt: `${INDEX}~` }).then(
      (entries) =>
        entries.map(([key, bytes]) => ({
          sequence: Number(key.slice(INDEX.length)),
          import: JSON.parse(bytes.toString()) as MeterImport,
        })),
      (error: unknown) => {
        if (error instanceof StoreError) return error;
        throw error;
      },
    );
    return new MeterArchive(database, held);
  }

  get #imports(): StoredImport[] {
    if (this.#held instanceof StoreError) throw this.#held;
    return this.#held;
  }

  /** The imports of a site, or of all, in order of import. Throws StoreError. */
  list(siteId?: string): MeterImport[] {
    return this.#imports
      .map((entry) => entry.import)
      .filter((one) => siteId === undefined || one.siteId === siteId);
  }

  /**
   * Stores files for a site in one atomic write, each as an import; flushed to disk when it resolves. A file whose values
   * were imported for the site before is left as it is. Throws StoreError.
   */
  add(siteId: string, files: readonly (readonly StoredSeries[])[], now: Date): Promise<AddedImport[]> {
    return this.#changes.run(() => this.#add(siteId, files, now));
  }

  /** The warnings that `add` of a file would give for each of its series. Throws StoreError. */
  async warningsOf(siteId: string, file: readonly StoredSeries[]): Promise<MeterWarning[][]> {
    const id = await idOf(siteId, file);
    if (this.#imports.some((entry) => entry.import.id === id))
      return file.map(() => [{ code: "already_imported" }]);
    const warnings: MeterWarning[][] = [];
    for (const one of file) warnings.push(await this.#overlapsOf(siteId, await prepared(one)));
    return warnings;
  }

  /** The most bytes that the imports of a site take. */
  bytes(siteId: string): number {
    return this.list(siteId).reduce(
      (sum, { series }) =>
        sum +
        series.reduce(
          (total, { firstStart, lastStart }) =>
            total + importedBytes(Date.parse(firstStart), Date.parse(lastStart)),
          0,
        ),
      0,
    );
  }

  /** Removes an import with all its values; undefined if there is none with this id. Throws StoreError. */
  remove(id: string): Promise<MeterImport | undefined> {
    return this.#changes.run(async () => {
      const [removed] = await this.#remove((one) => one.id === id);
      return removed;
    });
  }

  /** Removes all imports of sites. Throws StoreError. */
  async removeSites(siteIds: readonly string[]): Promise<void> {
    await this.#changes.run(() => this.#remove(({ siteId }) => siteIds.includes(siteId)));
  }

  /**
   * Imported energy of a quantity from `from` (inclusive) to `to` (exclusive), in order of time; quarter-hours that no import
   * knows are left out. Hourly values are spread evenly. Throws StoreError.
   */
  async energy(siteId: string, quantity: MeterQuantity, from: Date, to: Date): Promise<MeteredQuarter[]> {
    const known = new Map<number, readonly MeteredQuarter[]>();
    const mostKwh = this.mostQuarterKwh(siteId);
    for (const one of this.list(siteId)) {
      const series = one.series.find((other) => other.quantity === quantity);
      if (series === undefined || !overlaps(series, from, to)) continue;
      const { communities = [] } = series;
      const prefix = `${DATA}${one.id}/${quantity}/`;
      const range = {
        gte: prefix + monthKey(from.getTime()),
        lt: `${prefix}${monthKey(to.getTime())}~`,
      };
      for (const [key, bytes] of await this.#database.entries(range)) {
        for (const quarter of quartersOf(key, bytes, from.getTime(), to.getTime())) {
          if (quarter.kwh > mostKwh) continue;
          const ms = quarter.start.getTime();
          const others = (known.get(ms) ?? []).filter((other) =>
            isOtherShare(quantity, other.communities, communities),
          );
          known.set(ms, [...others, { ...quarter, communities }]);
        }
      }
    }
    return [...known.values()].map(sumOf).sort((a, b) => a.start.getTime() - b.start.getTime());
  }

  /** The quantities that imports of a site hold. */
  quantities(siteId: string): MeterQuantity[] {
    const held = new Set(this.list(siteId).flatMap(({ series }) => series.map(({ quantity }) => quantity)));
    return METER_QUANTITIES.filter((quantity) => held.has(quantity));
  }

  /** First and last start of the imported values of a quantity, for each import. */
  spans(siteId: string, quantity: MeterQuantity): MeteredSpan[] {
    const series = this.list(siteId).flatMap((one) => one.series);
    return series.filter((one) => one.quantity === quantity).map(spanOf);
  }

  /** Resolves when every change under way has ended. */
  close(): Promise<void> {
    return this.#changes.idle();
  }

  async #remove(isRemoved: (one: MeterImport) => boolean): Promise<MeterImport[]> {
    const removed = this.#imports.filter((entry) => isRemoved(entry.import));
    const keys: string[] = [];
    for (const { sequence, import: one } of removed) {
      keys.push(indexKey(sequence));
      keys.push(...(await this.#database.keys({ gte: `${DATA}${one.id}/`, lt: `${DATA}${one.id}/~` })));
    }
    await this.#database.write(keys.map((key) => ({ type: "del", key }) as const));
    const remaining = this.#imports.filter((entry) => !removed.includes(entry));
    this.#imports.splice(0, this.#imports.length, ...remaining);
    return removed.map((entry) => entry.import);
  }

  async #add(siteId: string, files: readonly (readonly StoredSeries[])[], now: Date): Promise<AddedImport[]> {
    const operations: SeriesOperation[] = [];
    const fresh: { sequence: number; import: MeterImport }[] = [];
    const added: AddedImport[] = [];
    const batch: { id: string; series: readonly PreparedSeries[] }[] = [];
    let sequence = (this.#imports.at(-1)?.sequence ?? 0) + 1;
    for (const series of files) {
      const id = await idOf(siteId, series);
      const known = [...this.#imports, ...fresh].find((entry) => entry.import.id === id)?.import;
      if (known !== undefined) {
        added.push({ import: known, warnings: series.map(() => [{ code: "already_imported" }]) });
        continue;
      }
      const warnings: MeterWarning[][] = [];
      const withBlocks: PreparedSeries[] = [];
      for (const one of series) {
        const ready = await prepared(one);
        warnings.push([...(await this.#overlapsOf(siteId, ready)), ...overlapsWithin(batch, ready)]);
        withBlocks.push(ready);
      }
      batch.push({ id, series: withBlocks });
      const meterImport = {
        id,
        siteId,
        file: series[0]?.file ?? "",
        importedAt: now.toISOString(),
        series: series.map(importedSeries),
      };
      added.push({ import: meterImport, warnings });
      fresh.push({ sequence, import: meterImport });
      operations.push({
        type: "put",
        key: indexKey(sequence++),
        value: Buffer.from(JSON.stringify(meterImport)),
      });
      for (const { series: one, blocks } of withBlocks)
        for (const [month, value] of blocks)
          operations.push({ type: "put", key: `${DATA}${id}/${one.quantity}/${month}`, value });
    }
    await this.#database.write(operations);
    this.#imports.push(...fresh);
    return added;
  }

  /** Which earlier imports the series replaces, or adds to, with the number of quarter-hours. */
  async #overlapsOf(siteId: string, { series, blocks }: PreparedSeries): Promise<MeterWarning[]> {
    const warnings: MeterWarning[] = [];
    const { starts, stepMinutes, quantity } = series;
    const from = new Date(starts[0]!);
    const to = new Date(starts.at(-1)! + stepMinutes * 60_000);
    for (const one of this.list(siteId)) {
      const earlier = one.series.find((other) => other.quantity === quantity);
      if (earlier === undefined || !overlaps(earlier, from, to)) continue;
      const prefix = `${DATA}${one.id}/${quantity}/`;
      const range = { gte: prefix + monthKey(from.getTime()), lt: `${prefix}${monthKey(to.getTime())}~` };
      let count = 0;
      for (const [key, bytes] of await this.#database.entries(range)) {
        const own = blocks.get(key.slice(prefix.length));
        if (own !== undefined) count += sharedQuarters(own, bytes);
      }
      if (count > 0)
        warnings.push({ code: overlapOf(quantity, earlier.communities, series), id: one.id, count });
    }
    return warnings;
  }
}

/** The most bytes that a series takes in the archive. */
export function importedBytes(firstStartMs: number, lastStartMs: number): number {
  return monthsBetween(firstStartMs, lastStartMs) * MONTH_BYTES;
}

/** The blocks of a series, in a turn of the event loop of their own: a long series takes some ten milliseconds. */
async function prepared(series: StoredSeries): Promise<PreparedSeries> {
  await setImmediate();
  return { series, blocks: blocksOf(series) };
}

/** Which files before it in the same request the series replaces. */
function overlapsWithin(
  batch: readonly { id: string; series: readonly PreparedSeries[] }[],
  { series, blocks }: PreparedSeries,
): MeterWarning[] {
  return batch.flatMap(({ id, series: others }) => {
    const other = others.find((one) => one.series.quantity === series.quantity);
    if (other === undefined) return [];
    let count = 0;
    for (const [month, block] of blocks) {
      const before = other.blocks.get(month);
      if (before !== undefined) count += sharedQuarters(block, before);
    }
    if (count === 0) return [];
    return [{ code: overlapOf(series.quantity, other.series.communities, series), id, count }];
  });
}

/** Key of the description of an import. */
export function indexKey(sequence: number): string {
  return INDEX + String(sequence).padStart(10, "0");
}

/** Name of an import: the same for the same values of the same site. */
async function idOf(siteId: string, series: readonly StoredSeries[]): Promise<string> {
  const hash = createHash("sha256").update(siteId);
  for (const { quantity, meterPoint, communities, stepMinutes, starts, values, estimates } of series) {
    await setImmediate();
    hash.update(`|${quantity}|${meterPoint ?? ""}|${stepMinutes}|${communities.join()}`);
    for (const array of [starts, values, estimates])
      hash.update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  return hash.digest("hex").slice(0, 12);
}
