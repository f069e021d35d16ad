import type { MeterSeries, MeterWarning } from "../../core/domain/meter.js";
import { joinPeriods } from "./periods.js";
import { isZip, MOST_UNPACKED_BYTES } from "./spreadsheet.js";
import { failOf, readTables, throwFault } from "./tables.js";
import { MeterFileError, type Table } from "./types.js";
import { type ZipEntry, zipEntries } from "./zip.js";

/** Files of an archive that are read; a year of daily messages has 365. */
const MOST_FILES = 400;
const READABLE = /\.(csv|txt|tsv|xlsx|xls|json|xml|html?)$/i;
/** Parts of a workbook, which is a zip archive too. */
const WORKBOOK = /^(\[Content_Types\]\.xml|xl\/|content\.xml|mimetype)/;

/** A file, or one of the files of an archive. */
export interface FilePart {
  name: string;
  tables: readonly Table[];
}

export interface FileContent {
  parts: readonly FilePart[];
  /** Files of an archive that hold no tables. */
  unread: readonly { name: string; error: MeterFileError }[];
}

/** The tables of a file, or of each file of an archive. Throws MeterFileError, and nothing else for any bytes. */
export async function readParts(bytes: Uint8Array, file: string): Promise<FileContent> {
  const entries = archiveEntries(bytes, file);
  if (entries === undefined)
    return { parts: [{ name: file, tables: await readTables(bytes, file) }], unread: [] };
  const parts: FilePart[] = [];
  const unread: { name: string; error: MeterFileError }[] = [];
  let left = MOST_UNPACKED_BYTES;
  for (const entry of entries) {
    const content = unpacked(entry, left, file);
    left -= content.length;
    const name = entry.name.split("/").at(-1)!;
    try {
      parts.push({ name, tables: await readTables(content, name) });
    } catch (error) {
      unread.push({ name, error: meterFileError(error) });
    }
  }
  return { parts, unread };
}

/** The files of an archive that may hold series; undefined for a workbook and anything else. */
function archiveEntries(bytes: Uint8Array, file: string): ZipEntry[] | undefined {
  if (!isZip(bytes)) return undefined;
  let entries: ZipEntry[];
  try {
    entries = zipEntries(bytes);
  } catch (error) {
    return throwFault(error, failOf(file));
  }
  if (entries.some(({ name }) => WORKBOOK.test(name))) return undefined;
  const readable = entries.filter(({ name }) => READABLE.test(name) && !/(^|\/)(__MACOSX\/|\.)/.test(name));
  if (readable.length > MOST_FILES) throw failOf(file)({ code: "too_many_files", limit: MOST_FILES });
  if (readable.some(({ isEncrypted }) => isEncrypted)) throw failOf(file)({ code: "encrypted" });
  return readable.length === 0 ? undefined : readable;
}

function unpacked(entry: ZipEntry, mostBytes: number, file: string): Buffer {
  try {
    return entry.content(mostBytes);
  } catch (error) {
    return throwFault(error, failOf(file));
  }
}

function meterFileError(error: unknown): MeterFileError {
  if (!(error instanceof MeterFileError)) throw error;
  return error;
}

/**
 * The series of all parts: of the same meter and quantity they are periods of one series. Parts without a series are named in a
 * warning, unless no part has one. Throws MeterFileError.
 */
export function seriesOfParts(
  { parts, unread }: FileContent,
  file: string,
  seriesOf: (part: FilePart) => MeterSeries[],
): MeterSeries[] {
  if (parts.length === 1 && unread.length === 0 && parts[0]!.name === file) return seriesOf(parts[0]!);
  const failures = [...unread];
  const series = parts.flatMap((part) => {
    try {
      return seriesOf(part);
    } catch (error) {
      failures.push({ name: part.name, error: meterFileError(error) });
      return [];
    }
  });
  const fail = failOf(file);
  if (series.length === 0) throw fail(failures[0]?.error.fault ?? { code: "no_values" }, failures[0]?.error);
  const joined = joinPeriods(series.map((one) => ({ ...one, file })));
  if (joined === undefined) throw fail({ code: "several_values" });
  const leftOut = failures.map(({ name }): MeterWarning => ({ code: "left_out_file", file: name }));
  return joined.map((one, index) =>
    index === 0 ? { ...one, warnings: [...one.warnings, ...leftOut] } : one,
  );
}
