import { inflateRawSync } from "node:zlib";
import type { Cell, Table } from "./types.js";

/** Most unpacked bytes of a workbook: a year of quarter-hours with 15 columns has about 20 MB. */
const MOST_UNPACKED_BYTES = 120 * 1024 * 1024;
const MOST_ENTRIES = 2_000;
/** Largest XLS file; it is not compressed. */
const MOST_XLS_BYTES = 30 * 1024 * 1024;
/** Day number offset of workbooks that count from 1904. */
const DAYS_1904 = 1_462;

/** A spreadsheet that is not read; `reason` says why. */
export class SpreadsheetError extends Error {
  override readonly name = "SpreadsheetError";
  readonly reason: "too_large" | "unreadable";

  constructor(reason: "too_large" | "unreadable", cause?: unknown) {
    super(`The spreadsheet is ${reason === "too_large" ? "too large" : "unreadable"}.`, { cause });
    this.reason = reason;
  }
}

/** Whether the bytes begin like an XLSX (zip) or XLS (compound file) workbook. */
export function isSpreadsheet(bytes: Uint8Array): boolean {
  return isZip(bytes) || (bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0);
}

/** Cells of all sheets; dates stay day numbers. Loads the spreadsheet library. Throws SpreadsheetError. */
export async function readSheets(bytes: Uint8Array): Promise<Table[]> {
  if (isZip(bytes)) checkUnpackedSize(bytes);
  else if (bytes.length > MOST_XLS_BYTES) throw new SpreadsheetError("too_large");
  const { read } = await import("@e965/xlsx");
  try {
    const workbook = read(bytes, {
      type: "array",
      dense: true,
      cellText: false,
      cellHTML: false,
      cellFormula: false,
    });
    const shift = workbook.Workbook?.WBProps?.date1904 === true ? DAYS_1904 : 0;
    return workbook.SheetNames.map((name) => {
      const rows = workbook.Sheets[name]?.["!data"] ?? [];
      return Array.from(rows, (row) => Array.from(row ?? [], (cell) => cellOf(cell?.v, shift)));
    });
  } catch (error) {
    throw new SpreadsheetError("unreadable", error);
  }
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

function cellOf(value: unknown, shift: number): Cell {
  if (typeof value === "string") return value.trim();
  // Only numbers in the range of dates are shifted: energies are far below.
  if (typeof value === "number") return shift > 0 && value > 30_000 ? value + shift : value;
  return undefined;
}

/**
 * Unpacks every entry of a zip file with a limit, since a small file can unpack to gigabytes and the sizes it states may be
 * wrong. Throws SpreadsheetError.
 */
function checkUnpackedSize(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + 22 > buffer.length) throw new SpreadsheetError("unreadable");
  const entries = buffer.readUInt16LE(end + 10);
  if (entries > MOST_ENTRIES) throw new SpreadsheetError("too_large");
  let left = MOST_UNPACKED_BYTES;
  let at = buffer.readUInt32LE(end + 16);
  for (let entry = 0; entry < entries; entry++) {
    if (at + 46 > buffer.length || buffer.readUInt32LE(at) !== 0x02014b50)
      throw new SpreadsheetError("unreadable");
    const method = buffer.readUInt16LE(at + 10);
    const packed = buffer.readUInt32LE(at + 20);
    const local = buffer.readUInt32LE(at + 42);
    if (local + 30 > buffer.length) throw new SpreadsheetError("unreadable");
    const from = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
    left -= method === 8 ? inflatedLength(buffer.subarray(from, from + packed), left) : packed;
    if (left < 0) throw new SpreadsheetError("too_large");
    at += 46 + buffer.readUInt16LE(at + 28) + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
}

function inflatedLength(packed: Buffer, limit: number): number {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) }).length;
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new SpreadsheetError(isTooLong ? "too_large" : "unreadable", error);
  }
}
