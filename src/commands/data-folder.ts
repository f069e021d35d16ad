import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Settings } from "../config/settings.js";
import type { Store } from "../store/store.js";
import type { Terminal } from "./command.js";

/** True if the data folder contains stored prices or telemetry. */
export function hasData(settings: Settings): boolean {
  return existsSync(join(resolve(settings.data_dir), "series"));
}

/** Opens the data folder for the work and closes it again. Throws StoreError, such as `storage_in_use`. */
export async function withStore<Result>(
  settings: Settings,
  terminal: Terminal,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  // Loaded here so that commands without stored data do not load the database.
  const { openStore } = await import("../store/store.js");
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
