import type { MeterFault, MeterSeries } from "../../core/domain/meter.js";
import { joinBlocks } from "./blocks.js";
import { usualQuantity } from "./choose.js";
import { type ColumnMapping, columnLayout, largestTable } from "./columns.js";
import { joinCommunities, partsThatDiffer, withoutChecks } from "./communities.js";
import { readEnergyReport } from "./eda.js";
import { findLayout, type TableLayout } from "./header.js";
import { readParts, seriesOfParts } from "./parts.js";
import { type RawSeries, readRows } from "./rows.js";
import { completeSeries } from "./series.js";
import { splitSigned } from "./signed-energy.js";
import { type Fail, failOf } from "./tables.js";
import { joinTariffs } from "./tariff-columns.js";
import { MeterFileError, type Table } from "./types.js";

/**
 * Reads an export file of an Austrian grid operator or supplier (CSV, XLSX, XLS, JSON, an archive of them) or
 * `start_utc,import_kwh`; the format is found from the content. Throws MeterFileError, and nothing else for any bytes.
 */
export async function readMeterFile(bytes: Uint8Array, file: string): Promise<MeterSeries[]> {
  const content = await readParts(bytes, file);
  return seriesOfParts(content, file, (part) => seriesOfTables(part.tables, part.name));
}

/** Reads a file of an unknown format with columns that the user has named. Throws MeterFileError. */
export async function readMeterColumns(
  bytes: Uint8Array,
  file: string,
  mapping: ColumnMapping,
): Promise<MeterSeries[]> {
  const content = await readParts(bytes, file);
  return seriesOfParts(content, file, (part) => seriesOfColumns(part.tables, part.name, mapping));
}

/** Reads the tables of a file of an unknown format with columns that the user has named. Throws MeterFileError. */
export function seriesOfColumns(
  tables: readonly Table[],
  file: string,
  mapping: ColumnMapping,
): MeterSeries[] {
  const fail = failOf(file);
  const table = largestTable(tables);
  const { rows, layout } = columnLayout(table, mapping);
  const raw = splitSigned(readRows(rows, layout)).map((series) => ({ ...series, unit: mapping.unit }));
  if (raw.length === 0) throw fail({ code: "no_times", column: mapping.time });
  return complete(raw, layout.format, file, fail);
}

/** Finds the format of the tables of a file and reads its series. Throws MeterFileError. */
export function seriesOfTables(tables: readonly Table[], file: string): MeterSeries[] {
  const fail = failOf(file);
  const series: MeterSeries[] = [];
  let failure: unknown;
  for (const table of tables) {
    try {
      // A second sheet may have the other direction; of the same one it repeats the first, by the day or as a sum.
      const known = new Set(series.map(usualQuantity));
      series.push(...seriesOfTable(table, file, fail).filter((one) => !known.has(usualQuantity(one))));
    } catch (error) {
      if (!(error instanceof MeterFileError)) throw error;
      failure ??= error;
    }
  }
  if (series.length > 0) return series;
  if (failure !== undefined) throw failure;
  const header = tables[0]?.find((row) => row.some((cell) => cell !== "" && cell != null)) ?? [];
  if (tables.every((table) => table.length === 0)) throw fail({ code: "empty" });
  throw fail({ code: "unknown_format", header: header.slice(0, 8).join("; ").slice(0, 120) });
}

/** The series of a table; none where its format is unknown. Throws MeterFileError. */
function seriesOfTable(table: Table, file: string, fail: Fail): MeterSeries[] {
  const report = readEnergyReport(table, file);
  if (report !== undefined) {
    const series = complete(report.series, { ...EDA_FORMAT, operator: report.operator }, file, fail);
    return withDiffering(series, report.differing + partsThatDiffer(report.series));
  }
  const layout = findLayout(table);
  if (layout === undefined) return [];
  const written = joinTariffs(joinBlocks(readRows(table, layout)));
  const isCertain = layout.format.id !== "other" && !layout.format.hasCommonNames;
  const raw = joinCommunities(isCertain ? written : splitSigned(written));
  const series = complete(withoutChecks(raw), layout.format, file, fail);
  return withDiffering(series, partsThatDiffer(raw));
}

function withDiffering(series: MeterSeries[], count: number): MeterSeries[] {
  if (count > 0) series[0]?.warnings.push({ code: "parts_differ", count });
  return series;
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
