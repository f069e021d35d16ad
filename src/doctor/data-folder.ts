import { constants, existsSync } from "node:fs";
import { access, readFile, rm, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { errorCode, StoreError, toStoreError } from "../store/errors.js";
import { SeriesDatabase } from "../store/series.js";
import { STATE_SCHEMA } from "../store/state.js";
import { about, errorSentence, type Finding } from "./finding.js";
import { megabytes } from "./machine.js";

const TOO_LITTLE_FREE = 20e6;
const LITTLE_FREE = 500e6;

const folderFinding = about("data folder");
const database = about("database");

/**
 * Looks at the data folder without changing anything of it: can it be written, how much space is left, who has it, are
 * `state.json`, its backup and the database readable. `gatewayRuns`: whether a gateway answered on the HTTP port.
 */
export async function examineDataFolder(dataDir: string, gatewayRuns: boolean): Promise<Finding[]> {
  const folder = resolve(dataDir);
  if (!existsSync(folder)) return [await examineParent(folder)];
  const fault = await writeFault(folder);
  if (fault !== undefined) return [folderFinding.bad(fault.message)];
  const owner = (await stat(folder)).uid;
  const own = process.getuid?.() ?? owner;
  return [
    own === owner
      ? folderFinding.ok(`${folder} can be written.`)
      : folderFinding.warn(
          `${folder} belongs to user ${owner}, this is user ${own}: run the doctor as the user that runs the gateway.`,
        ),
    await examineSpace(folder),
    ...(await examineState(folder, gatewayRuns)),
    // Opening the database writes to it: files of another user would lock the gateway out.
    ...(own === owner ? await examineDatabase(folder, gatewayRuns) : []),
  ];
}

/** There is no folder before the first start: then the first one above it that exists must take a new one. */
async function examineParent(folder: string): Promise<Finding> {
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return folderFinding.ok(`${folder} does not exist yet; the first start makes it.`);
  } catch {
    return folderFinding.bad(
      `${folder} does not exist and cannot be made in ${parent}; make it yourself or set another data_dir.`,
    );
  }
}

/** A real write: rights, a full disk and a read-only mount all show in it. */
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

async function examineSpace(folder: string): Promise<Finding> {
  const disk = about("disk");
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const left = `${megabytes(free)} are free where ${folder} lies.`;
  if (free < TOO_LITTLE_FREE) return disk.bad(`Only ${left} Free some space: soon nothing can be kept.`);
  return free < LITTLE_FREE
    ? disk.warn(`Only ${left} A year of one plant takes about 100 MB.`)
    : disk.ok(left);
}

type Reading = { bytes: Buffer; fault?: string } | { bytes: undefined; fault: "missing" };

async function examineState(folder: string, gatewayRuns: boolean): Promise<Finding[]> {
  const state = about("state.json");
  const path = join(folder, "state.json");
  const [main, backup] = [await readState(path), await readState(`${path}.backup`)];
  if (main.fault === "missing" && backup.fault === "missing")
    return [state.ok("There is none yet; the first start makes it.")];
  if (main.fault === undefined && backup.fault === undefined) {
    // While a gateway runs it may just be writing the second one.
    const same = gatewayRuns || main.bytes.equals(backup.bytes);
    return [
      same
        ? state.ok("It and its backup are readable.")
        : state.warn("It and its backup differ; the next start makes the backup anew."),
    ];
  }
  if (main.fault === undefined)
    return [state.warn(`Its backup is ${backup.fault}; the next start makes it anew.`)];
  if (backup.fault === undefined)
    return [
      state.warn(`It is ${main.fault}; the next start takes its backup, which is whole, and keeps a copy.`),
    ];
  return [
    state.bad(
      `It is ${main.fault} and its backup ${backup.fault}: restore ${path} from your own backup, or move both away to begin anew without accounts and keys.`,
    ),
  ];
}

async function readState(path: string): Promise<Reading> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { bytes: undefined, fault: "missing" };
    return { bytes: Buffer.alloc(0), fault: `unreadable (${errorCode(error) ?? "unknown reason"})` };
  }
  if (bytes.length === 0) return { bytes, fault: "empty" };
  try {
    const isState = new Ajv2020({ allowUnionTypes: true, useDefaults: true }).compile(STATE_SCHEMA);
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isState(value) ? { bytes } : { bytes, fault: "damaged (it has another shape)" };
  } catch {
    return { bytes, fault: "damaged (it is not valid JSON)" };
  }
}

async function examineDatabase(folder: string, gatewayRuns: boolean): Promise<Finding[]> {
  const path = join(folder, "series");
  if (!existsSync(path)) return [];
  try {
    const opened = await SeriesDatabase.open(path);
    await opened.close();
    return [database.ok("It opens; no gateway has it now.")];
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "storage_in_use")
      return [database.bad(errorSentence(error))];
    return [
      gatewayRuns
        ? database.ok("A running gateway has it.")
        : database.warn(
            `A process has ${folder}, but no gateway answers on the configured HTTP port: look for a gateway on another port, or one that hangs.`,
          ),
    ];
  }
}
