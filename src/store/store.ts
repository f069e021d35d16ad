import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Log } from "../log.js";
import type { DocumentArchive, PriceArchive } from "./archive.js";
import { LevelDocumentArchive } from "./document-archive.js";
import { errorCode, StoreError, toStoreError } from "./errors.js";
import { LevelPriceArchive } from "./price-archive.js";
import { SampleArchive } from "./sample-archive.js";
import { SeriesDatabase, type StoreHealth } from "./series.js";
import { StateFile } from "./state.js";

/** What the store needs of a logger. */
export type StoreLog = Pick<Log, "info" | "warn">;

/** Everything that the gateway keeps in its data folder. */
export interface Store {
  state: StateFile;
  prices: PriceArchive;
  documents: DocumentArchive;
  samples: SampleArchive;
  /** Ends what is under way, flushes and gives the folder free. */
  close(): Promise<void>;
}

/**
 * Opens the data folder, creating it (mode 0700) where there is none. Throws StoreError: `storage_in_use` when another
 * gateway has it, `storage_damaged` when somebody must restore something, `storage_unavailable` for all the rest.
 */
export async function openStore(dataDir: string, log: StoreLog, onHealth?: StoreHealth): Promise<Store> {
  const folder = resolve(dataDir);
  await makeFolder(folder);
  // The database comes first: its lock guards the state file too, which must not be touched while another has it.
  const database = await SeriesDatabase.open(join(folder, "series"), onHealth, (sentence) =>
    log.warn({}, sentence),
  ).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === "storage_in_use") {
      throw new StoreError(
        error.code,
        `Another hourgate is using ${folder}; stop it first or set another data_dir.`,
        error,
      );
    }
    throw error;
  });
  try {
    const state = await StateFile.open(join(folder, "state.json"), log);
    const samples = await SampleArchive.open(database);
    const prices = new LevelPriceArchive(database);
    return {
      state,
      prices,
      documents: new LevelDocumentArchive(database),
      samples,
      close: async () => {
        await Promise.all([state.close(), samples.close(), prices.close()]);
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await stat(folder)).isDirectory()) throw new Error("Not a directory");
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw toStoreError((await reasonAgainst(folder, cause)) ?? cause, folder);
  }
}

/** Node.js says ENOENT of a folder that it may not make on a read-only disk; the nearest folder above it knows better. */
async function reasonAgainst(folder: string, cause: unknown): Promise<unknown> {
  if (errorCode(cause) !== "ENOENT") return undefined;
  for (let above = dirname(folder); ; above = dirname(above)) {
    const refusal = await access(above, constants.W_OK | constants.X_OK).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (errorCode(refusal) !== "ENOENT" || above === dirname(above)) return refusal;
  }
}
