import type { Cell, Table } from "./types.js";
import { readPlainSheets } from "./xlsx.js";
import { SpreadsheetError, unpackXml } from "./zip.js";

/** Most unpacked bytes of a workbook: a year of quarter-hours with 15 columns has about 20 MB. */
export const MOST_UNPACKED_BYTES = 60 * 1024 * 1024;
/** Largest XLS file; it is not compressed. */
const MOST_XLS_BYTES = 30 * 1024 * 1024;

/** Name of the stream that holds a workbook with a password (MS-OFFCRYPTO 2.3.4.1). */
const ENCRYPTED = Buffer.from("EncryptedPackage", "utf16le");

/** Whether the bytes begin like an XLSX (zip) or XLS (compound file) workbook. */
export function isSpreadsheet(bytes: Uint8Array): boolean {
  return isZip(bytes) || (bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0);
}

/**
 * Cells of all sheets; dates stay day numbers. The spreadsheet library is loaded only for XLS and for unusual XLSX files.
 * Throws SpreadsheetError.
 */
export async function readSheets(bytes: Uint8Array): Promise<Table[]> {
  if (isZip(bytes)) {
    const files = unpackXml(bytes, MOST_UNPACKED_BYTES);
    // The library looks for entries in damaged archives without an end.
    if (files.size === 0) throw new SpreadsheetError("unreadable");
    const plain = readPlainSheets(files);
    if (plain !== undefined) return plain;
  } else if (bytes.length > MOST_XLS_BYTES) throw new SpreadsheetError("too_large");
  else if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(ENCRYPTED))
    throw new SpreadsheetError("encrypted");
  return sheetsOf(bytes);
}

/** Cells of a workbook that is a web page or XML of 2003 under the name of an XLS file; all of them are texts. Throws SpreadsheetError. */
export function readMarkupSheets(text: string): Promise<Table[]> {
  return sheetsOf(text);
}

async function sheetsOf(content: Uint8Array | string): Promise<Table[]> {
  const { read } = await import("@e965/xlsx");
  try {
    const options = { dense: true, cellText: false, cellHTML: false, cellFormula: false } as const;
    const workbook =
      typeof content === "string"
        ? // Numbers with a decimal comma would lose it, and dates become American.
          read(content, { type: "string", raw: true, ...options })
        : read(content, { type: "array", ...options });
    return workbook.SheetNames.map((name) => {
      const rows = workbook.Sheets[name]?.["!data"] ?? [];
      return Array.from(rows, (row) => (row ?? []).map((cell) => cellOf(cell?.v)));
    });
  } catch (error) {
    throw new SpreadsheetError("unreadable", error);
  }
}

export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

function cellOf(value: unknown): Cell {
  if (typeof value === "string") return value.replaceAll("\u00a0", " ").trim();
  return typeof value === "number" ? value : undefined;
}
