import type { MeterFault } from "../domain/meter.js";
import { textsOf } from "../texts/index.js";
import { readEnergyReport } from "./eda.js";
import { findLayout, type TableLayout } from "./header.js";
import { type RawSeries, readRows } from "./rows.js";
import { completeSeries } from "./series.js";
import { isSpreadsheet, readSheets } from "./spreadsheet.js";
import { decodeText, splitRows } from "./text.js";
import { MeterFileError, type MeterSeries, type Table } from "./types.js";
import { SpreadsheetError } from "./zip.js";

/** Largest file taken, MB: a year of quarter-hours in the longest format has 5. */
export const MOST_FILE_MB = 30;
const DELIMITERS = [";", ",", "\t", "|"];

/** How files begin that people choose by mistake; each byte is a character. */
const WRONG_KINDS: readonly [RegExp, string][] = [
  [/^%PDF/, "PDF"],
  [/^\x89PNG|^\xff\xd8\xff|^GIF8|^RIFF/, "image"],
  [/^\s*(\xef\xbb\xbf)?<(!doctype|html|\?xml)/i, "HTML/XML"],
  [/^\s*(\xef\xbb\xbf)?[{[]/, "JSON"],
];

/**
 * Reads an export file of an Austrian grid operator or supplier (CSV, XLSX, XLS) or `start_utc,import_kwh`; the format is
 * found from the content. Throws MeterFileError, and nothing else for any bytes.
 */
export async function readMeterFile(bytes: Uint8Array, file: string): Promise<MeterSeries[]> {
  const fail = (fault: MeterFault, cause?: unknown) =>
    new MeterFileError(file, fault, `${file} ${textsOf("en").meter.fault(fault)}`, cause);
  if (bytes.length === 0) throw fail({ code: "empty" });
  if (bytes.length > MOST_FILE_MB * 1024 * 1024) throw fail({ code: "too_large", limitMb: MOST_FILE_MB });
  if (isSpreadsheet(bytes)) {
    const sheets = await readSheets(bytes).catch((error: unknown) => {
      if (!(error instanceof SpreadsheetError)) throw error;
      const isLarge = error.reason === "too_large";
      throw fail(
        isLarge ? { code: "too_large", limitMb: MOST_FILE_MB } : { code: "unreadable_spreadsheet" },
        error,
      );
    });
    return readTables(sheets, file, fail);
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
  const delimiters = stated === null ? DELIMITERS : [stated[1]!, ...DELIMITERS];
  // Only the first lines are needed to find the delimiter.
  const fits = (delimiter: string) => {
    const head = splitRows(body, delimiter, 45);
    const layout = findLayout(head);
    return readEnergyReport(head) !== undefined
      ? "known"
      : layout?.format.id === "other"
        ? "other"
        : layout && "known";
  };
  const delimiter =
    delimiters.find((candidate) => fits(candidate) === "known") ??
    delimiters.find((candidate) => fits(candidate) === "other") ??
    ";";
  return readTables([splitRows(body, delimiter)], file, fail);
}

type Fail = (fault: MeterFault) => MeterFileError;

function readTables(tables: readonly Table[], file: string, fail: Fail): MeterSeries[] {
  for (const table of tables) {
    const report = readEnergyReport(table);
    if (report !== undefined) {
      const format = { ...EDA_FORMAT, operator: report.operator };
      return complete(report.series, format, file, fail);
    }
    const layout = findLayout(table);
    if (layout !== undefined) return complete(readRows(table, layout), layout.format, file, fail);
  }
  const header = tables[0]?.find((row) => row.some((cell) => cell !== "" && cell != null)) ?? [];
  if (tables.every((table) => table.length === 0)) throw fail({ code: "empty" });
  throw fail({ code: "unknown_format", header: header.slice(0, 8).join("; ").slice(0, 120) });
}

const EDA_FORMAT: TableLayout["format"] = {
  id: "eda",
  operator: "EDA",
  label: "start",
  time: /^$/,
  values: [],
  labelIsAssumed: true,
};

/** Completes all series of a file. Empty ones are left out; a fault of any other series is the file's. */
function complete(
  raw: readonly RawSeries[],
  format: TableLayout["format"],
  file: string,
  fail: Fail,
): MeterSeries[] {
  const series: MeterSeries[] = [];
  const empty: string[] = [];
  let fault: MeterFault | undefined;
  let dayRows = 0;
  for (const one of raw) {
    if (one.block < 0) continue;
    const isRepeated =
      one.block > 0 && one.direction === "import" && raw.some((other) => isSameMeter(one, other));
    const completed = completeSeries(isRepeated ? { ...one, direction: "export" } : one, format, file);
    if (!("code" in completed)) {
      if (isRepeated) completed.warnings.push({ code: "second_block" });
      series.push(completed);
    } else if (completed.code === "no_values") empty.push(one.name);
    else if (one.rows.length === 0) dayRows += one.dropped;
    else fault ??= completed;
  }
  const first = series[0];
  if (first === undefined) throw fail(fault ?? { code: dayRows > 0 ? "day_values" : "no_values" });
  if (fault !== undefined) throw fail(fault);
  // The half of a file with day values beside quarter-hours.
  first.dropped += dayRows;
  for (const column of empty) first.warnings.push({ code: "empty_column", column: column.slice(0, 80) });
  return series;
}

/** Whether `other` is the first block of a file with the same meter and direction. */
function isSameMeter(one: RawSeries, other: RawSeries): boolean {
  return other.block === 0 && other.meterPoint === one.meterPoint && other.direction === one.direction;
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
