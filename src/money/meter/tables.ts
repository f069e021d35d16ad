import { splitRows } from "../../core/csv.js";
import type { MeterFault } from "../../core/domain/meter.js";
import { textsOf } from "../../texts/index.js";
import { readEnergyReport } from "./eda.js";
import { findLayout } from "./header.js";
import { isSpreadsheet, readSheets } from "./spreadsheet.js";
import { decodeText } from "./text.js";
import { MeterFileError, type Table } from "./types.js";
import { SpreadsheetError } from "./zip.js";

/** Largest file taken, MB: a year of quarter-hours in the longest format has 5. */
export const MOST_FILE_MB = 30;
const DELIMITERS = [";", ",", "\t", "|"];
/** Rows that suffice to find the delimiter. */
const HEAD_ROWS = 45;

/** How files begin that people choose by mistake; each byte is a character. */
const WRONG_KINDS: readonly [RegExp, string][] = [
  [/^%PDF/, "PDF"],
  [/^\x89PNG|^\xff\xd8\xff|^GIF8|^RIFF/, "image"],
  [/^\s*(\xef\xbb\xbf)?<(!doctype|html|\?xml)/i, "HTML/XML"],
  [/^\s*(\xef\xbb\xbf)?[{[]/, "JSON"],
];

/** Makes the error of a file from its fault. */
export type Fail = (fault: MeterFault, cause?: unknown) => MeterFileError;

/** Errors of a file; their message is the English sentence with the name of the file. */
export function failOf(file: string): Fail {
  return (fault, cause) =>
    new MeterFileError(file, fault, `${file} ${textsOf("en").meter.fault(fault)}`, cause);
}

/** Unpacks a CSV, XLSX or XLS file to the tables in it. Throws MeterFileError, and nothing else for any bytes. */
export async function readTables(bytes: Uint8Array, file: string): Promise<readonly Table[]> {
  const fail = failOf(file);
  if (bytes.length === 0) throw fail({ code: "empty" });
  if (bytes.length > MOST_FILE_MB * 1024 * 1024) throw fail({ code: "too_large", limitMb: MOST_FILE_MB });
  if (isSpreadsheet(bytes)) {
    return readSheets(bytes).catch((error: unknown) => {
      if (!(error instanceof SpreadsheetError)) throw error;
      const codes = {
        too_large: { code: "too_large", limitMb: MOST_FILE_MB },
        encrypted: { code: "encrypted" },
        unreadable: { code: "unreadable_spreadsheet" },
      } as const;
      throw fail(codes[error.reason], error);
    });
  }
  const start = String.fromCharCode(...bytes.subarray(0, 64));
  const wrong = WRONG_KINDS.find(([pattern]) => pattern.test(start))?.[1];
  if (wrong !== undefined) throw fail({ code: "wrong_kind", found: wrong });
  const text = decodeText(bytes);
  const lines = (text.includes("\n") ? text : text.replaceAll("\r", "\n")).replace(/^\uFEFF/, "");
  if (lines.trim() === "") throw fail({ code: "empty" });
  if (isBinary(text)) throw fail({ code: "wrong_kind", found: "binary" });
  const stated = /^"?sep=(.)"?\s*\n/.exec(lines);
  const body = stated === null ? lines : lines.slice(stated[0].length);
  const delimiter = delimiterOf(body, stated?.[1]);
  const rows = splitRows(body, delimiter);
  return [delimiter === "," ? withDecimalCommas(rows) : rows];
}

/** Joins numbers whose decimal comma is not distinguished from the delimiter: `01.03.2026 00:00,0,125`. */
function withDecimalCommas(rows: string[][]): string[][] {
  const layout = findLayout(rows);
  if (layout === undefined) return rows;
  const values = new Set(layout.groups.map(({ value }) => value));
  const width = layout.header.length;
  const isSplit = (row: readonly string[]) => row.length === width + values.size;
  const below = rows.slice(layout.headerRow + 1);
  if (below.filter(isSplit).length <= below.length / 2) return rows;
  const join = (row: readonly string[]) => {
    if (!isSplit(row)) return [...row];
    const cells: string[] = [];
    for (let at = 0; at < row.length; at++)
      cells.push(values.has(cells.length) ? `${row[at]},${row[++at]}` : row[at]!);
    return cells;
  };
  return [...rows.slice(0, layout.headerRow + 1), ...below.map(join)];
}

/** The delimiter with which the file has a known format, else the one that makes the most cells. */
function delimiterOf(body: string, stated: string | undefined): string {
  const delimiters = stated === undefined ? DELIMITERS : [stated, ...DELIMITERS];
  const fits = (delimiter: string) => {
    const head = splitRows(body, delimiter, HEAD_ROWS);
    const layout = findLayout(head);
    return readEnergyReport(head, "") !== undefined
      ? "known"
      : layout?.format.id === "other"
        ? "other"
        : layout && "known";
  };
  let other: string | undefined;
  for (const candidate of delimiters) {
    const kind = fits(candidate);
    if (kind === "known") return candidate;
    if (kind === "other") other ??= candidate;
  }
  const found = other ?? stated;
  if (found !== undefined) return found;
  const cells = (delimiter: string) =>
    splitRows(body, delimiter, HEAD_ROWS).reduce((sum, row) => sum + row.length, 0);
  // A decimal comma in the cells must not win over a real delimiter.
  const [semicolon, comma, ...others] = DELIMITERS as [string, string, ...string[]];
  const rowsOf = splitRows(body, semicolon, HEAD_ROWS).length;
  const real = [semicolon, ...others].find((delimiter) => cells(delimiter) >= 1.5 * rowsOf);
  return real ?? comma;
}

/** Whether a text has many control characters, which no table has. */
function isBinary(text: string): boolean {
  const head = text.slice(0, 2000);
  let odd = 0;
  for (let index = 0; index < head.length; index++) {
    const code = head.charCodeAt(index);
    if ((code < 32 && code !== 9 && code !== 10 && code !== 13) || code === 0xfffd) odd++;
  }
  return odd > head.length / 50;
}
