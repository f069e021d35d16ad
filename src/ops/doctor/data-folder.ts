import { constants, existsSync } from "node:fs";
import { access, readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, StoreError, toStoreError } from "../../store/errors.js";
import { LevelSeries } from "../../store/level-series.js";
import { laterVersion, stateCheck } from "../../store/state.js";
import { about, type DoctorTexts, errorSentence, type Finding } from "./finding.js";
import { megabytes } from "./machine.js";

const TOO_LITTLE_FREE = 20e6;
const LITTLE_FREE = 500e6;

interface DataFolderCheck {
  /** Whether a gateway answered on the HTTP port. */
  gatewayRuns: boolean;
  /** Whether state and series are stored there, and not in PostgreSQL. */
  isStore: boolean;
  texts: DoctorTexts;
}

/**
 * Examines the data folder without changing it: whether it can be written, how much space is left, who owns it, whether
 * `state.json`, its backup and the database are readable.
 */
export async function examineDataFolder(dataDir: string, check: DataFolderCheck): Promise<Finding[]> {
  const { texts } = check;
  const folderFinding = about(texts.what.folder);
  const folder = resolve(dataDir);
  if (!existsSync(folder)) return [await examineParent(folder, texts)];
  const fault = await writeFault(folder);
  if (fault !== undefined) return [folderFinding.bad(texts.folder.unusable(fault.message))];
  const owner = (await stat(folder)).uid;
  const own = process.getuid?.() ?? owner;
  return [
    own === owner
      ? folderFinding.ok(texts.folder.ok(folder))
      : folderFinding.warn(texts.folder.otherOwner(folder, owner, own)),
    await examineSpace(folder, texts),
    ...(check.isStore ? await examineState(folder, check) : []),
    // Opening the database writes to it: files of another user would make it unusable for the gateway.
    ...(own === owner && check.isStore ? await examineDatabase(folder, check) : []),
  ];
}

/** Before the first start the folder does not exist: the closest existing parent must be writable. */
async function examineParent(folder: string, texts: DoctorTexts): Promise<Finding> {
  const folderFinding = about(texts.what.folder);
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return folderFinding.ok(texts.folder.willBeMade(folder));
  } catch {
    return folderFinding.bad(texts.folder.cannotBeMade(folder, parent));
  }
}

/** Writes a file: this detects missing permissions, a full disk and a read-only mount. */
async function writeFault(folder: string): Promise<StoreError | undefined> {
  const probe = join(folder, `.doctor-${process.pid}`);
  try {
    await writeFile(probe, "written by hourgate doctor\n", { flush: true });
    return undefined;
  } catch (cause) {
    return toStoreError(cause, folder);
  } finally {
    await rm(probe, { force: true }).catch(() => {});
  }
}

async function examineSpace(folder: string, texts: DoctorTexts): Promise<Finding> {
  const disk = about(texts.what.disk);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const shown = megabytes(free);
  if (free < TOO_LITTLE_FREE) return disk.bad(texts.disk.full(shown, folder));
  return free < LITTLE_FREE
    ? disk.warn(texts.disk.low(shown, folder))
    : disk.ok(texts.disk.ok(shown, folder));
}

interface Fault {
  kind: keyof DoctorTexts["state"]["fault"];
  code?: string | undefined;
}

/** Content of a state file, and its fault if any. */
interface StateReading {
  bytes: Buffer;
  fault?: Fault;
}

async function examineState(folder: string, { gatewayRuns, texts }: DataFolderCheck): Promise<Finding[]> {
  const state = about(texts.what.state);
  const path = join(folder, "state.json");
  const [main, backup] = [await readState(path), await readState(`${path}.backup`)];
  const text = ({ kind, code }: Fault) => texts.state.fault[kind](code);
  if (main.fault?.kind === "missing" && backup.fault?.kind === "missing") return [state.ok(texts.state.none)];
  const later = [main, backup].find(({ fault }) => fault?.kind === "later");
  if (later !== undefined) return [state.bad(texts.state.later(text(later.fault!)))];
  if (main.fault === undefined && backup.fault === undefined) {
    // A running gateway may be writing the second one at this moment.
    const same = gatewayRuns || main.bytes.equals(backup.bytes);
    return [same ? state.ok(texts.state.ok) : state.warn(texts.state.differs)];
  }
  if (main.fault === undefined) return [state.warn(texts.state.backupBroken(text(backup.fault!)))];
  if (backup.fault === undefined) return [state.warn(texts.state.mainBroken(text(main.fault)))];
  return [state.bad(texts.state.bothBroken(text(main.fault), text(backup.fault), path))];
}

async function readState(path: string): Promise<StateReading> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = errorCode(error);
    const fault: Fault = code === "ENOENT" ? { kind: "missing" } : { kind: "unreadable", code };
    return { bytes: Buffer.alloc(0), fault };
  }
  if (bytes.length === 0) return { bytes, fault: { kind: "empty" } };
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const later = laterVersion(value);
    if (later !== undefined) return { bytes, fault: { kind: "later", code: later } };
    return stateCheck.fits(value) ? { bytes } : { bytes, fault: { kind: "shape" } };
  } catch {
    return { bytes, fault: { kind: "json" } };
  }
}

async function examineDatabase(folder: string, { gatewayRuns, texts }: DataFolderCheck): Promise<Finding[]> {
  const database = about(texts.what.database);
  const path = join(folder, "series");
  if (!existsSync(path)) return [];
  try {
    const opened = await LevelSeries.open(path);
    await opened.close();
    return [database.ok(texts.database.ok)];
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "storage_in_use")
      return [database.bad(texts.database.broken(errorSentence(error)))];
    return [gatewayRuns ? database.ok(texts.database.inUse) : database.warn(texts.database.locked(folder))];
  }
}
