import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Settings } from "../../config/settings.js";
import { StoreError } from "../../store/errors.js";
import { askGateway } from "../admin/client.js";
import type { AdminRequest, AdminResponse, OperationName, ResultOf } from "../admin/operations.js";
import { CommandError, type Terminal, usageError } from "./command.js";
import { withStore } from "./data-folder.js";

/** How long a locked data folder without an answering gateway is retried: a gateway may be starting or stopping, ms. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 200;

/** The result of a request. Throws CommandError with a sentence that says what to do. */
export async function resultOfRequest<Name extends OperationName>(
  settings: Settings,
  request: { command: Name; arguments: object },
  terminal: Terminal,
): Promise<ResultOf<Name>> {
  const response = await administrate(settings, request, terminal).catch((error: Error) => {
    throw new CommandError(error.message);
  });
  // The gateway is the same program: its result is that of the operation of this version.
  if (response.ok) return response.result as ResultOf<Name>;
  throw response.usage ? usageError(response.error) : new CommandError(response.error);
}

/**
 * Executes a request in the gateway that runs on the data folder; if none runs, in this process on the folder itself.
 * Throws StoreError, and Error with a sentence that says what to do.
 */
export async function administrate(
  settings: Settings,
  request: AdminRequest,
  terminal: Terminal,
  patienceMs = PATIENCE_MS,
): Promise<AdminResponse> {
  const folder = resolve(settings.data_dir);
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    const response = await askGateway(folder, request);
    if (response !== undefined) return response;
    try {
      // Loaded here so that other commands do not load accounts, mail and webhooks.
      const { administerOffline } = await import("./administration-offline.js");
      return await withStore(settings, terminal, (store) =>
        administerOffline(settings, store, request, terminal),
      );
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "storage_in_use") throw error;
      if (waitedMs >= patienceMs) {
        // The gateway may run on another machine.
        if (settings.store.postgres.url !== null) throw error;
        throw new Error(
          `Another process has locked ${folder} but does not answer on its socket; if it is a gateway that hangs, restart it.`,
        );
      }
    }
    await wait(RETRY_MS);
  }
}
