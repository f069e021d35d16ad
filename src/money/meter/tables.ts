import { splitRows } from "../../core/csv.js";
import type { MeterFault } from "../../core/domain/meter.js";
import { textsOf } from "../../texts/index.js";
import { withUnitsInNames } from "./cell-units.js";
import { withIntervalRows } from "./day-rows.js";
import { readEnergyReport } from "./eda.js";
import { messageTable } from "./eda-message.js";
import { findLayout } from "./header.js";
import { jsonTables } from "./json-tables.js";
import { isSpreadsheet, readMarkupSheets, readSheets } from "./spreadsheet.js";
import { decodeText } from "./text.js";
import { MeterFileError, type Table } from "./types.js";
import { withUsualTimes } from "./usual-times.js";
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
];
/** How files with tables begin that are none of the above. */
const MARKUP = /^\s*<(!doctype|!--|html|head|meta|style|body|table|\?xml|[\w:]*consumptionrecord)/i;
const SPREADSHEET_XML = "urn:schemas-microsoft-com:office:spreadsheet";
const JSON_START = /^\s*[{[]/;

/** Makes the error of a file from its fault. */
export type Fail = (fault: MeterFault, cause?: unknown) => MeterFileError;

/** Errors of a file; their message is the English sentence with the name of the file. */
export function failOf(file: string): Fail {
  return (fault, cause) =>
    new MeterFileError(file, fault, `${file} ${textsOf("en").meter.fault(fault)}`, cause);
}

/**
 * The tables of a file in the form that formats are found in: a row per interval, usual times, units in the names of columns.
 * Throws MeterFileError, and nothing else for any bytes.
 */
export async function readTables(bytes: Uint8Array, file: string): Promise<readonly Table[]> {
  const tables = await writtenTables(bytes, failOf(file));
  return tables.map((table) => withUnitsInNames(withIntervalRows(withUsualTimes(table))));
}

/** The tables of a file as they are written. */
async function writtenTables(bytes: Uint8Array, fail: Fail): Promise<readonly Table[]> {
  if (bytes.length === 0) throw fail({ code: "empty" });
  if (bytes.length > MOST_FILE_MB * 1024 * 1024) throw fail({ code: "too_large", limitMb: MOST_FILE_MB });
  if (isSpreadsheet(bytes)) return readSheets(bytes).catch((error: unknown) => throwFault(error, fail));
  const start = String.fromCharCode(...bytes.subarray(0, 64));
  const wrong = WRONG_KINDS.find(([pattern]) => pattern.test(start))?.[1];
  if (wrong !== undefined) throw fail({ code: "wrong_kind", found: wrong });
  const text = decodeText(bytes).replace(/^\uFEFF/, "");
  const lines = text.includes("\n") ? text : text.replaceAll("\r", "\n");
  if (lines.trim() === "") throw fail({ code: "empty" });
  if (isBinary(text)) throw fail({ code: "wrong_kind", found: "binary" });
  if (MARKUP.test(text)) return markupTables(text, fail);
  if (JSON_START.test(text)) {
    const found = jsonTables(text);
    if (found === undefined) throw fail({ code: "wrong_kind", found: "JSON" });
    return found;
  }
  const stated = /^"?sep=(.)"?\s*\n/.exec(lines);
  const body = stated === null ? lines : lines.slice(stated[0].length);
  const delimiter = delimiterOf(body, stated?.[1]);
  const rows = splitRows(body, delimiter);
  return [delimiter === "," ? withDecimalCommas(rows) : rows];
}

async function markupTables(text: string, fail: Fail): Promise<readonly Table[]> {
  const message = messageTable(text);
  if (message !== undefined) return [message];
  const from = text.includes(SPREADSHEET_XML) ? 0 : text.search(/<table/i);
  if (from < 0) throw fail({ code: "wrong_kind", found: "HTML/XML" });
  // Attributes of the table may look like the start of a CSV file.
  const markup =
    text.startsWith("<?xml") && from === 0 ? text : `<table>${text.slice(text.indexOf(">", from) + 1)}`;
  return readMarkupSheets(markup).catch((error: unknown) => throwFault(error, fail));
}

/** Throws the fault of a spreadsheet or an archive. */
export function throwFault(error: unknown, fail: Fail): never {
  if (!(error instanceof SpreadsheetError)) throw error;
  const codes = {
    too_large: { code: "too_large", limitMb: MOST_FILE_MB },
    encrypted: { code: "encrypted" },
    unreadable: { code: "unreadable_spreadsheet" },
  } as const;
  throw fail(codes[error.reason], error);
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
