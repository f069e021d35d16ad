import { copyFile, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { errorCode, toStoreError } from "./errors.js";
import { playManifest, type Version } from "./leveldb-manifest.js";

/** Blocks and header of a LevelDB log file, which its MANIFEST is too (LevelDB, doc/log_format.md). */
const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;

/** The readable complete records of a log file. */
interface LogReading {
  records: Buffer[];
  /** True if a record is damaged and not only truncated at the end of the file. */
  isBroken: boolean;
}

/**
 * Reads up to the first incomplete record. A record truncated at the end of the file is the result of a kill or power
 * failure during an unacknowledged write, not damage; neither are the zeros of a preallocated file.
 */
function readLog(bytes: Buffer): LogReading {
  const records: Buffer[] = [];
  const fragments: Buffer[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      at += left;
      continue;
    }
    const length = bytes.readUInt16LE(at + 4);
    const type = bytes[at + 6]!;
    if (type === 0 && length === 0)
      return { records, isBroken: bytes.subarray(at).some((byte) => byte !== 0) };
    const end = at + HEADER_BYTES + length;
    if (HEADER_BYTES + length > left || type > 4) return { records, isBroken: true };
    if (end > bytes.length) break;
    if (bytes.readUInt32LE(at) !== maskedCrc32c(bytes.subarray(at + 6, end)))
      return { records, isBroken: true };
    fragments.push(bytes.subarray(at + HEADER_BYTES, end));
    // 1 is a complete record; 2, 3 … 3, 4 are the fragments of one.
    if (type === 1 || type === 4) records.push(Buffer.concat(fragments.splice(0)));
    at = end;
  }
  return { records, isBroken: false };
}

const CRC32C = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC-32C (RFC 3720, B.4), rotated and shifted as LevelDB stores it. */
function maskedCrc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC32C[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Problems with the files of a database. */
export interface SeriesFindings {
  /** Why the database must not be opened, as part of a sentence. */
  damage?: string;
  /** Logs with a damaged record: LevelDB would use the readable part and delete the file. */
  brokenLogs: string[];
}

const TABLE = /^(\d+)\.(?:ldb|sst)$/;
const LOG = /^(\d+)\.log$/;
/** A running gateway may change files during the check; it is repeated. */
const ATTEMPTS = 10;
const PAUSE_MS = 10;

/**
 * Checks the files of a LevelDB database without changing any. LevelDB treats a folder without CURRENT as a new database and a
 * truncated MANIFEST as an older state, and then deletes unknown tables: it must not open such a folder. Throws StoreError
 * if the folder cannot be read.
 */
export async function examineSeries(folder: string): Promise<SeriesFindings> {
  for (let attempt = 1; ; attempt++) {
    try {
      const findings = await examineOnce(folder);
      if (findings.damage === undefined || attempt === ATTEMPTS) return findings;
    } catch (cause) {
      if (errorCode(cause) !== "ENOENT" || attempt === ATTEMPTS) throw toStoreError(cause, folder);
    }
    await pause(PAUSE_MS);
  }
}

/** Copies logs to `<folder>.damaged-<time>`; returns the path of that folder. Throws StoreError. */
export async function copyLogs(folder: string, names: readonly string[], now: Date): Promise<string> {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const copy = `${folder}.damaged-${stamp}`;
  try {
    await mkdir(copy, { recursive: true, mode: 0o700 });
    for (const name of names) await copyFile(join(folder, name), join(copy, name));
  } catch (cause) {
    // An incomplete copy could be mistaken for a complete one.
    await rm(copy, { recursive: true, force: true }).catch(() => {});
    throw toStoreError(cause, copy);
  }
  return copy;
}

async function examineOnce(folder: string): Promise<SeriesFindings> {
  const names = await readdir(folder).catch((cause: unknown): string[] => {
    if (errorCode(cause) === "ENOENT") return [];
    throw cause;
  });
  const sizes = new Map<string, number>();
  for (const name of names.filter((one) => TABLE.test(one) || LOG.test(one)))
    sizes.set(name, (await stat(join(folder, name))).size);
  // A first start that was killed leaves only empty files.
  const holdsData = [...sizes.values()].some((bytes) => bytes > 0);

  if (!names.includes("CURRENT"))
    return { brokenLogs: [], ...(holdsData && { damage: "the file CURRENT is missing" }) };
  const current = (await readFile(join(folder, "CURRENT"), "utf8")).trimEnd();
  if (!/^MANIFEST-\d+$/.test(current)) return { damage: "the file CURRENT is not readable", brokenLogs: [] };
  if (!names.includes(current)) return { damage: `the file ${current} is missing`, brokenLogs: [] };

  const manifest = readLog(await readFile(join(folder, current)));
  if (manifest.isBroken || manifest.records.length === 0)
    return { damage: `the file ${current} is not readable`, brokenLogs: [] };
  let version: Version;
  try {
    version = playManifest(manifest.records);
  } catch {
    return { damage: `the file ${current} is not readable`, brokenLogs: [] };
  }
  const damage = mismatch(version, sizes, current);
  return { ...(damage !== undefined && { damage }), brokenLogs: await brokenLogs(folder, version, sizes) };
}

/** A file named by the MANIFEST that is missing or incomplete; undefined if there is none. */
function mismatch(version: Version, sizes: Map<string, number>, manifest: string): string | undefined {
  const { logNumber, tables } = version;
  const logs = [...sizes.keys()].filter((name) => LOG.test(name)).map((name) => Number.parseInt(name, 10));
  // The log is created before the MANIFEST names it, and deleted after it names the next one.
  if (logNumber > 0 && !logs.includes(logNumber))
    return `${String(logNumber).padStart(6, "0")}.log is missing, or the file ${manifest} was cut off`;
  if (logNumber === 0 && [...sizes.values()].some((bytes) => bytes > 0))
    return `the file ${manifest} was cut off`;
  for (const [number, bytes] of tables) {
    const name = [...sizes.keys()].find((one) => TABLE.test(one) && Number.parseInt(one, 10) === number);
    if (name === undefined) return `the table ${number} is missing`;
    if (sizes.get(name)! < bytes) return `${name} was cut off`;
  }
  return undefined;
}

async function brokenLogs(folder: string, version: Version, sizes: Map<string, number>): Promise<string[]> {
  const broken: string[] = [];
  for (const name of sizes.keys()) {
    if (!LOG.test(name) || Number.parseInt(name, 10) < version.logNumber) continue;
    if (readLog(await readFile(join(folder, name))).isBroken) broken.push(name);
  }
  return broken;
}
