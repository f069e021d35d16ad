import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Settings } from "../../config/settings.js";
import { errorCode } from "../../store/errors.js";
import type { Store, StoreLog } from "../../store/store.js";
import type { Terminal } from "./command.js";

/** True if there may be stored prices or telemetry; also if this user may not see them, which opening the data says. */
export function hasData({ data_dir, store }: Settings): boolean {
  if (store.postgres.url !== null) return true;
  try {
    statSync(join(resolve(data_dir), "series"));
    return true;
  } catch (error) {
    return errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR";
  }
}

/** Opens the stored data for the work and closes it again. Throws StoreError, such as `storage_in_use`. */
export async function withStore<Result>(
  settings: Settings,
  terminal: Terminal,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  // Loaded here so that commands without stored data do not load the database.
  const { openConfiguredStore } = await import("../../store/store.js");
  const store = await openConfiguredStore(settings, storeLog(terminal), { isOffline: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Prints warnings on the terminal. */
export function storeLog(terminal: Terminal): StoreLog {
  return { info: () => {}, warn: (_fields, message) => terminal.error(message) };
}
