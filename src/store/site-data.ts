import type { SeriesDatabase } from "./series.js";

/** Keys deleted at a time: years of telemetry are too many for one write. */
const PORTION = 5_000;

/** Deletes telemetry and documents of sites (`document/<kind>/<site>`). Throws StoreError; can then be repeated. */
export async function deleteSiteData(database: SeriesDatabase, siteIds: readonly string[]): Promise<void> {
  if (siteIds.length === 0) return;
  for (const siteId of siteIds) {
    const site = encodeURIComponent(siteId);
    for (const prefix of [`sample/${site}/`, `latest/${site}/`]) {
      const range = { gte: prefix, lt: `${prefix}~`, limit: PORTION };
      for (let keys = await database.keys(range); keys.length > 0; keys = await database.keys(range))
        await remove(database, keys);
    }
  }
  const documents = await database.keys({ gte: "document/", lt: "document0" });
  await remove(
    database,
    documents.filter((key) => siteIds.includes(key.split("/")[2] ?? "")),
  );
}

function remove(database: SeriesDatabase, keys: readonly string[]): Promise<void> {
  return database.write(keys.map((key) => ({ type: "del", key })));
}
