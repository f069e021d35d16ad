import { constants } from "node:fs";
import { access, chmod, lstat, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Log } from "../core/log.js";
import { type DocumentArchive, type PriceArchive, SeriesDocumentArchive } from "./archive.js";
import { refuseIncomplete } from "./copy.js";
import { DurableJson } from "./durable-json.js";
import { errorCode, isUnwritable, StoreError, toStoreError } from "./errors.js";
import { LevelSeries } from "./level-series.js";
import { MeterArchive } from "./meter-archive.js";
import { type StorePlaceSettings, storePlace } from "./place.js";
import { SeriesPriceArchive } from "./price-archive.js";
import { SampleArchive } from "./sample-archive.js";
import type { SeriesDatabase, StoreEvents, StoreHealth } from "./series.js";
import { refuseLater, StateFile, type StoredData, stateCheck } from "./state.js";
import type { State } from "./state-schema.js";

/** The required methods of a logger. */
export type StoreLog = Pick<Log, "info" | "warn">;

/** All stored data of a gateway. */
export interface Store {
  state: StateFile;
  prices: PriceArchive;
  documents: DocumentArchive;
  samples: SampleArchive;
  /** Imported quarter-hours of meters. */
  meter: MeterArchive;
  /** Deletes telemetry and documents of removed sites. Throws StoreError. */
  deleteSites(siteIds: readonly string[]): Promise<void>;
  /** Completes pending operations, flushes and releases the folder or shard. */
  close(): Promise<void>;
}

export interface OpenOptions extends StoreEvents {
  /** For a command and not for a gateway: a shard in PostgreSQL is not taken away from a gateway that serves it. */
  isOffline?: boolean;
}

/** Opens the data folder or the shard in PostgreSQL, whichever is configured. Throws StoreError as `openStore`. */
export async function openConfiguredStore(
  settings: StorePlaceSettings,
  log: StoreLog,
  options?: OpenOptions,
): Promise<Store> {
  return storeOf(await openData(settings, log, options), storePlace(settings), log);
}

/**
 * Opens the data folder; creates it (mode 0700) if it does not exist. Throws StoreError: `storage_in_use` if another gateway
 * uses it, `storage_damaged` if data must be restored, `storage_unavailable` otherwise.
 */
export async function openStore(dataDir: string, log: StoreLog, onHealth?: StoreHealth): Promise<Store> {
  return storeOf(await openFolder(dataDir, log, onHealth), resolve(dataDir), log);
}

/** The data of the configured place. Throws StoreError. */
export async function openData(
  { data_dir, store: { postgres } }: StorePlaceSettings,
  log: StoreLog,
  { isOffline = false, ...events }: OpenOptions = {},
): Promise<StoredData> {
  const { url, shard } = postgres;
  if (url === null) {
    if (isOffline) await checkOwner(data_dir);
    return openFolder(data_dir, log, events.onHealth);
  }
  const folder = resolve(data_dir);
  await makeFolder(folder);
  await restrictDataFolder(folder);
  // Loaded here because its client takes time to load.
  const { openShard } = await import("./postgres/open.js");
  return openShard({ url, shard, isOffline }, events);
}

/**
 * A command of root would leave files that the gateway's own user can no longer write. Throws StoreError for root, if another user
 * wrote the database last.
 */
export async function checkOwner(
  dataDir: string,
  ownUid = process.geteuid?.(),
  statOf: (path: string) => Promise<{ uid: number }> = stat,
): Promise<void> {
  const folder = resolve(dataDir);
  if (ownUid !== 0) return;
  const written = await statOf(join(folder, "series", "CURRENT")).catch(() => undefined);
  if (written === undefined || written.uid === 0) return;
  throw new StoreError(
    "storage_unavailable",
    `The data in ${folder} belong to user ${written.uid}, whose gateway could no longer write what root has written; run the command as that user (sudo -u '#${written.uid}' …).`,
  );
}

/** The data of a folder. Throws StoreError. */
export async function openFolder(
  dataDir: string,
  log: StoreLog,
  onHealth?: StoreHealth,
): Promise<StoredData> {
  const folder = resolve(dataDir);
  await makeFolder(folder);
  // The database first: its lock also protects the state file.
  const series = await LevelSeries.open(join(folder, "series"), onHealth, (sentence) =>
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
  await restrictDataFolder(folder);
  return { series, state: new FolderState(join(folder, "state.json"), series) };
}

/** The state in a data folder. It is written only while the database is open, whose lock protects it. */
class FolderState extends DurableJson<State> {
  readonly #series: LevelSeries;

  constructor(path: string, series: LevelSeries) {
    super(path, stateCheck, { refuse: (state) => refuseLater(state, dirname(path)) });
    this.#series = series;
  }

  override async write(data: State): Promise<void> {
    await this.#series.writable();
    await super.write(data);
  }
}

async function storeOf({ series, state: adapter }: StoredData, place: string, log: StoreLog): Promise<Store> {
  try {
    await refuseIncomplete(series, place);
    const state = await StateFile.open(adapter, log);
    const samples = await SampleArchive.open(series);
    const prices = new SeriesPriceArchive(series);
    const meter = await MeterArchive.open(series);
    return {
      state,
      prices,
      documents: new SeriesDocumentArchive(series, log),
      samples,
      meter,
      deleteSites: async (siteIds) => {
        await deleteSiteData(series, siteIds);
        await meter.removeSites(siteIds);
      },
      close: async () => {
        await Promise.all([state.close(), samples.close(), prices.close(), meter.close()]);
        await series.close();
      },
    };
  } catch (error) {
    await series.close();
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!(await stat(folder)).isDirectory()) throw new Error("Not a directory");
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
      // What is there can be read; the database says that nothing is stored.
      if (!isUnwritable(error)) throw error;
    });
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

/** Keys deleted at a time: years of telemetry are too many for one write. */
const PORTION = 5_000;

/** Deletes telemetry and documents of sites (`document/<kind>/<site>`). Throws StoreError; can then be repeated. */
async function deleteSiteData(database: SeriesDatabase, siteIds: readonly string[]): Promise<void> {
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
