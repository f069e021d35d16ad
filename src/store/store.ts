import { constants } from "node:fs";
import { access, chmod, lstat, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Log } from "../log.js";
import type { DocumentArchive, PriceArchive } from "./archive.js";
import { LevelDocumentArchive } from "./archive.js";
import { errorCode, StoreError, toStoreError } from "./errors.js";
import { MeterArchive } from "./meter-archive.js";
import { LevelPriceArchive } from "./price-archive.js";
import { SampleArchive } from "./sample-archive.js";
import { SeriesDatabase, type StoreHealth } from "./series.js";
import { deleteSiteData } from "./site-data.js";
import { StateFile } from "./state.js";

/** The required methods of a logger. */
export type StoreLog = Pick<Log, "info" | "warn">;

/** All data in the gateway's data folder. */
export interface Store {
  state: StateFile;
  prices: PriceArchive;
  documents: DocumentArchive;
  samples: SampleArchive;
  /** Imported quarter-hours of meters. */
  meter: MeterArchive;
  /** Deletes telemetry and documents of removed sites. Throws StoreError. */
  deleteSites(siteIds: readonly string[]): Promise<void>;
  /** Completes pending operations, flushes and releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens the data folder; creates it (mode 0700) if it does not exist. Throws StoreError: `storage_in_use` if another gateway
 * uses it, `storage_damaged` if data must be restored, `storage_unavailable` otherwise.
 */
export async function openStore(dataDir: string, log: StoreLog, onHealth?: StoreHealth): Promise<Store> {
  const folder = resolve(dataDir);
  await makeFolder(folder);
  // The database first: its lock also protects the state file.
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
    await restrictDataFolder(folder);
    const state = await StateFile.open(join(folder, "state.json"), log);
    const samples = await SampleArchive.open(database);
    const prices = new LevelPriceArchive(database);
    const meter = await MeterArchive.open(database);
    return {
      state,
      prices,
      documents: new LevelDocumentArchive(database),
      samples,
      meter,
      deleteSites: async (siteIds) => {
        await deleteSiteData(database, siteIds);
        await meter.removeSites(siteIds);
      },
      close: async () => {
        await Promise.all([state.close(), samples.close(), prices.close(), meter.close()]);
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

/** The gateway's own files in the data folder, which may contain files of others. */
const OWN_FILES = /^(series|broker|outbox|node-red|tls|state\.json|audit)/;

/** Takes all rights from other users: earlier versions created files that all users could read. */
async function restrictDataFolder(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  await chmod(folder, 0o700).catch(() => {});
  for (const name of await readdir(folder))
    if (OWN_FILES.test(name)) await restrictAccess(join(folder, name), uid);
}

/** Links, folders of other users (Node-RED's) and file systems without rights are left as they are. */
async function restrictAccess(path: string, owner: number): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // The database removes files at any time.
  if (found === undefined) return;
  const { mode, uid } = found;
  const isFolder = (mode & constants.S_IFMT) === constants.S_IFDIR;
  const isFile = (mode & constants.S_IFMT) === constants.S_IFREG;
  if ((!isFolder && !isFile) || (isFolder && uid !== owner)) return;
  if ((mode & 0o077) !== 0) await chmod(path, mode & 0o700).catch(() => {});
  if (isFolder) for (const name of await readdir(path)) await restrictAccess(join(path, name), owner);
}

/** Node.js reports ENOENT if a folder cannot be created on a read-only disk; the nearest existing parent has the cause. */
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
