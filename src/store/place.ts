import { resolve } from "node:path";
import type { Settings } from "../config/settings.js";

/** The settings that determine where data is stored. */
export type StorePlaceSettings = Pick<Settings, "data_dir" | "store">;

/** Host, port and database for sentences; user and password are not in it. */
export function postgresAddress(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return (searchParams.get("host") ?? (decodeURIComponent(host) || "localhost")) + pathname;
}

/** Where data is stored, for sentences: the absolute path of the data folder, or the shard. */
export function storePlace({ data_dir, store: { postgres } }: StorePlaceSettings): string {
  return postgres.url === null
    ? resolve(data_dir)
    : `shard ${postgres.shard} in PostgreSQL at ${postgresAddress(postgres.url)}`;
}
