import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Settings } from "../config/settings.js";
import { openStore, type Store } from "../store/store.js";
import type { Terminal } from "./command.js";

/** True when a gateway (or an import) has begun to keep prices and telemetry in the data folder. */
export function hasData(settings: Settings): boolean {
  return existsSync(join(resolve(settings.data_dir), "series"));
}

/** Opens the data folder, does the work and gives it free. Throws StoreError, such as `storage_in_use`. */
export async function withStore<Result>(
  settings: Settings,
  terminal: Terminal,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(settings.data_dir, {
    info: () => {},
    warn: (_fields, message) => terminal.error(message),
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
