import type { LabelKind } from "../../core/domain/meter.js";
import { COUNTER, METER_FORMATS, type MeterFormat, type ValueColumn } from "./formats.js";
import { END_NAME, OTHER_FORMAT, OTHER_FORMATS, START_NAME } from "./other-formats.js";
import { foldText } from "./text.js";
import type { Cell, Table } from "./types.js";

/** A header may follow this many lines of titles and addresses. */
const PREAMBLE_ROWS = 25;
/** Columns that a header is searched in; reports with more are read by their labels. */
const MOST_COLUMNS = 100;

/** One value column with the columns that belong to it, by index. */
export interface ColumnGroup {
  time: number;
  clock: number | undefined;
  until: number | undefined;
  value: number;
  column: ValueColumn;
  /** Header of the value column as in the file. */
  name: string;
  status: number | undefined;
  /** What the names of the columns say of the times. */
  label?: LabelKind | undefined;
}

/** Where a format's columns are in a table. */
export interface TableLayout {
  format: Omit<MeterFormat, "label"> & { label?: MeterFormat["label"] };
  headerRow: number;
  /** Folded cells of the header. */
  header: string[];
  groups: ColumnGroup[];
  substitute?: number | undefined;
  unit?: number | undefined;
  meterPoint?: number | undefined;
  code?: number | undefined;
  group?: number | undefined;
  parts: number[];
  counters: number[];
}

/** Finds the header of a known format within the first lines, or of any table with a time and kWh; undefined if none. */
export function findLayout(table: Table): TableLayout | undefined {
  const headers = table.slice(0, PREAMBLE_ROWS).map(foldRow);
  if (!headers.some((header) => header.length > 1)) return undefined;
  // Load profiles often have their units in a row below the names.
  const joined = headers.map((header, row) =>
    Array.from(header, (cell, column) => `${cell} ${headers[row + 1]?.[column] ?? ""}`.trim()),
  );
  return (
    findIn(table, headers, { more: 0 }) ??
    findIn(table, joined, { more: 1 }) ??
    findIn(table, headers, { more: 0, byDates: true })
  );
}

interface HeaderSearch {
  /** Rows below its own that a header is made of. */
  more: 0 | 1;
  /** The column of the time is that with dates, whatever its name. */
  byDates?: boolean;
}

/** Finds the header among rows of folded cells. */
function findIn(
  table: Table,
  headers: readonly string[][],
  { more, byDates = false }: HeaderSearch,
): TableLayout | undefined {
  const formats = more === 0 && !byDates ? [...METER_FORMATS, ...OTHER_FORMATS] : OTHER_FORMATS;
  let withoutTimes: TableLayout | undefined;
  for (const format of formats) {
    let preamble = "";
    for (const [row, header] of headers.entries()) {
      const names = more === 0 ? table[row]! : header;
      const headerRow = row + more;
      const times = byDates ? dateColumns(table, headerRow) : columnsOf(header, format.time);
      const layout = layoutOf(format, { header, names, headerRow, times });
      if (layout !== undefined && (format.preamble?.test(preamble) ?? true)) {
        // Titles above the header may have the same words.
        if (format.id !== OTHER_FORMAT.id || hasDate(table, layout)) return withClock(table, layout);
        withoutTimes ??= layout;
      }
      preamble += ` ${header.join(" ")}`;
    }
  }
  return more === 0 ? withoutTimes : undefined;
}

/** Rows below the header that show what its columns hold. */
const SHOWN_ROWS = 10;
const DATE = /\d[-./]\d{1,2}[-./]\d/;
const DATE_ONLY = /^(\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}-\d{2}-\d{2})$/;
const CLOCK = /^\d{1,2}:\d{2}\b/;

function rowsBelow(table: Table, headerRow: number): Table {
  return table.slice(headerRow + 1, headerRow + 1 + SHOWN_ROWS);
}

function hasDate(table: Table, { groups, header, headerRow }: TableLayout): boolean {
  const { time } = groups[0]!;
  return !DATE.test(header[time] ?? "") && rowsBelow(table, headerRow).some((row) => isDate(row[time]));
}

function isDate(cell: Cell): boolean {
  return typeof cell === "number" || DATE.test(cell ?? "");
}

/** The columns with dates in all rows below a header. */
function dateColumns(table: Table, headerRow: number): number[] {
  const rows = rowsBelow(table, headerRow);
  const columns = [...(rows[0]?.keys() ?? [])].slice(0, MOST_COLUMNS);
  return columns.filter((column) =>
    rows.every((row) => typeof row[column] === "string" && isDate(row[column])),
  );
}

/** With the column of the time of day, whatever its name, where the column of the time has dates only. */
function withClock(table: Table, layout: TableLayout): TableLayout {
  const { time, clock, until } = layout.groups[0]!;
  const rows = rowsBelow(table, layout.headerRow).filter((row) => DATE_ONLY.test(String(row[time] ?? "")));
  if (layout.format.id !== OTHER_FORMAT.id || clock !== undefined || rows.length === 0) return layout;
  const found = layout.header.findIndex(
    (_, column) => column !== until && rows.every((row) => CLOCK.test(String(row[column] ?? ""))),
  );
  if (found < 0) return layout;
  const isEnd = END_NAME.test(layout.header[found]!);
  const groups = layout.groups.map((group) => ({
    ...group,
    clock: found,
    label: isEnd ? ("end" as const) : group.label,
  }));
  return { ...layout, groups };
}

export function foldRow(row: readonly Cell[]): string[] {
  return Array.from(row.slice(0, MOST_COLUMNS), (cell) => (typeof cell === "string" ? foldText(cell) : ""));
}

interface HeaderRow {
  header: string[];
  /** The cells as in the file. */
  names: readonly Cell[];
  headerRow: number;
  /** Columns that may hold the time. */
  times: readonly number[];
}

function columnsOf(header: readonly string[], pattern: RegExp | undefined): number[] {
  return pattern === undefined ? [] : header.flatMap((cell, index) => (pattern.test(cell) ? [index] : []));
}

function layoutOf(
  format: TableLayout["format"],
  { header, names, headerRow, times: named }: HeaderRow,
): TableLayout | undefined {
  const find = (pattern: RegExp | undefined, from = 0, to = header.length) => {
    if (pattern === undefined) return undefined;
    const index = header.findIndex((cell, at) => at >= from && at < to && pattern.test(cell));
    return index < 0 ? undefined : index;
  };
  if (format.requires?.some((pattern) => find(pattern) === undefined)) return undefined;
  const isOther = format.id === OTHER_FORMAT.id;
  const isEnd = (index: number) => isOther && END_NAME.test(header[index] ?? "");
  const times = [...named.filter((index) => !isEnd(index)), ...named.filter(isEnd)];
  if (times.length === 0) return undefined;
  // Two tables side by side repeat the columns; in any other table the first time column belongs to all values.
  const isRepeated = format.time.source === "^date_from$";
  const groups: ColumnGroup[] = [];
  for (const [nth, time] of (isRepeated ? times : times.slice(0, 1)).entries()) {
    const [from, to] = isRepeated ? [time, times[nth + 1] ?? header.length] : [0, header.length];
    const clockColumn = find(format.clock, from, to);
    const clock = clockColumn === time ? undefined : clockColumn;
    if (format.clock !== undefined && !isOther && clock === undefined) return undefined;
    const untilColumn = find(format.until, from, to);
    const until = untilColumn === time ? undefined : untilColumn;
    const label = isOther ? labelKindOf(header[time] ?? "", until) : undefined;
    for (let value = from; value < to; value++) {
      const cell = header[value]!;
      if (value === time || value === clock || value === until || (COUNTER.test(cell) && !format.isCounter))
        continue;
      const column = format.values.find((candidate) => candidate.header.test(cell));
      if (column === undefined) continue;
      const nextValue = header.findIndex(
        (other, at) => at > value && format.values.some((candidate) => candidate.header.test(other)),
      );
      const status =
        find(format.status, value + 1, nextValue < 0 ? to : nextValue) ??
        (format.values.length === 1 ? find(format.status) : undefined);
      const name = String(names[value] ?? "");
      groups.push({ time, clock, until, value, column, name, status, label });
    }
  }
  if (groups.length === 0) return undefined;
  return {
    format,
    headerRow,
    header,
    groups: firstOfEach(groups),
    substitute: find(format.substitute),
    unit: find(format.unit),
    meterPoint: find(format.meterPoint),
    code: find(format.code),
    group: find(format.group),
    parts: columnsOf(header, format.parts),
    counters: columnsOf(header, format.zeroCounterIsMissing),
  };
}

/** What the name of the time column says, or that there is a column with the end beside it. */
function labelKindOf(name: string, until: number | undefined): LabelKind | undefined {
  if (END_NAME.test(name)) return "end";
  return until !== undefined || START_NAME.test(name) ? "start" : undefined;
}

/** A format with named directions has one column for each; later ones are parts (a community of several). */
function firstOfEach(groups: ColumnGroup[]): ColumnGroup[] {
  return groups.filter(
    ({ column }, index) =>
      column.direction === undefined ||
      column.check === "part" ||
      groups.findIndex((other) => other.column === column) === index,
  );
}
