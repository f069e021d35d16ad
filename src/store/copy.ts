import { createHash } from "node:crypto";
import { StoreError } from "./errors.js";
import type { SeriesDatabase } from "./series.js";
import type { StoredData } from "./state.js";

/** Number of entries in memory at a time. */
const PORTION = 2_000;
const ALL = { gte: "", lt: "\u{10ffff}" };
/** Exists while a copy is incomplete. */
const MARK = "meta/copying";

/**
 * Copies state and series into an empty place, which `target` names in sentences; an interrupted copy is begun again. Compares
 * both sides at the end. Returns the number of series entries. Throws StoreError.
 */
export async function copyData(from: StoredData, to: StoredData, target: string): Promise<number> {
  const state = await from.state.read();
  if (state === null)
    throw new StoreError("storage_unavailable", "There is nothing to copy: the source contains no accounts.");
  await refuseIncomplete(from.series, "the source");
  const isInterrupted = (await to.series.get(MARK)) !== undefined;
  const isEmpty =
    (await to.series.keys({ ...ALL, limit: 1 })).length === 0 && (await to.state.read()) === null;
  if (!isEmpty && !isInterrupted)
    throw new StoreError(
      "storage_in_use",
      `There is already data in ${target}, and nothing was changed. Choose an empty place.`,
    );
  await to.series.write([{ type: "put", key: MARK, value: Buffer.alloc(0) }]);
  for await (const portion of to.series.portions(ALL, PORTION))
    await to.series.write(portion.flatMap(([key]) => (key === MARK ? [] : [{ type: "del" as const, key }])));
  for await (const portion of from.series.portions(ALL, PORTION))
    await to.series.write(portion.map(([key, value]) => ({ type: "put" as const, key, value })));
  await to.state.write(state);
  await to.series.write([{ type: "del", key: MARK }]);
  const [original, copied] = [await digest(from.series), await digest(to.series)];
  if (original.hash !== copied.hash)
    throw new StoreError(
      "storage_damaged",
      `The copy differs: ${original.count} entries at the source, ${copied.count} in ${target}. Use the source, and copy again into another place.`,
    );
  return copied.count;
}

/** Throws StoreError if `place`, as sentences name it, holds a copy that was interrupted: it lacks data, and the next copy erases what is added. */
export async function refuseIncomplete(series: SeriesDatabase, place: string): Promise<void> {
  if ((await series.get(MARK)) !== undefined)
    throw new StoreError(
      "storage_damaged",
      `The copy of data to ${place} was interrupted: run "hourgate store copy" again, or choose an empty place.`,
    );
}

async function digest(series: SeriesDatabase): Promise<{ count: number; hash: string }> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const portion of series.portions(ALL, PORTION)) {
    count += portion.length;
    for (const [key, value] of portion) hash.update(`${key}\0${value.length}\0`).update(value);
  }
  return { count, hash: hash.digest("hex") };
}
