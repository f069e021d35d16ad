import type { SeriesDatabase } from "./series.js";

/** Deletes telemetry and documents of sites (`document/<kind>/<site>`). Throws StoreError. */
export async function deleteSiteData(database: SeriesDatabase, siteIds: readonly string[]): Promise<void> {
  const keys: string[] = [];
  for (const siteId of siteIds) {
    const site = encodeURIComponent(siteId);
    for (const prefix of [`sample/${site}/`, `latest/${site}/`])
      keys.push(...(await database.keys({ gte: prefix, lt: `${prefix}~` })));
  }
  const documents = siteIds.length === 0 ? [] : await database.keys({ gte: "document/", lt: "document0" });
  keys.push(...documents.filter((key) => siteIds.includes(key.split("/")[2] ?? "")));
  await database.write(keys.map((key) => ({ type: "del", key })));
}
