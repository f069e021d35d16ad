import type { LabelKind, MeterDirection, MeterFault } from "../../core/domain/meter.js";
import { parseTimeLabel } from "../../core/time/time-labels.js";
import type { ColumnGroup, TableLayout } from "./header.js";
import { hasDecimalComma, parseNumber } from "./numbers.js";
import { rowTime } from "./row-time.js";
import { directionOf, meterUnit } from "./rows.js";
import { provenLabel } from "./series.js";
import { foldText } from "./text.js";
import type { Cell, Table } from "./types.js";

/** Faults of a file that named columns can resolve. */
export const MAPPABLE: readonly MeterFault["code"][] = [
  "unknown_format",
  "label_unknown",
  "wrong_unit",
  "wrong_magnitude",
  "no_values",
  "no_times",
];

/** Units that a user can name for the values of a file. Power is the mean of the interval. */
export const COLUMN_UNITS = ["kWh", "Wh", "MWh", "kW", "W"] as const;

export type ColumnUnit = (typeof COLUMN_UNITS)[number];

/** Where the columns of a file of an unknown format are; columns are counted from 1, as spreadsheets show them. */
export interface ColumnMapping {
  /** Column with date and time, or with the date alone when there is a `clock`. */
  time: number;
  /** Column with the time of day, where it is apart from the date. */
  clock?: number;
  values: readonly { column: number; direction: MeterDirection }[];
  unit: ColumnUnit;
  /** Whether the time is the start or the end of the interval. */
  label: LabelKind;
}

/** A column mapping that cannot be used; `field` is the part of it. */
export class ColumnMappingError extends Error {
  override readonly name = "ColumnMappingError";
  readonly field: "time" | "clock" | "values" | "unit" | "label";

  constructor(field: ColumnMappingError["field"], message: string) {
    super(message);
    this.field = field;
  }
}

const SHOWN = { rows: 8, columns: 12, characters: 40 };
/** Rows that a guess is made from. */
const GUESS_ROWS = 60;

/** The beginning of a table of an unknown format, and what its columns probably are. */
export interface ColumnPreview {
  /** Rows of equal length. */
  rows: string[][];
  /** Names of the columns: the last row above the first time; empty texts where the file has none. */
  names: string[];
  guess: ColumnMapping;
}

/** The table with the most rows: sheets beside it hold titles or totals. */
export function largestTable(tables: readonly Table[]): Table {
  return tables.reduce((largest, table) => (table.length > largest.length ? table : largest), []);
}

/** The first rows of a file's table, with a guess; undefined for a table without a second column. */
export function previewColumns(tables: readonly Table[]): ColumnPreview | undefined {
  const table = largestTable(tables);
  const filled = table.filter((row) =>
    row?.some((cell) => cell !== undefined && cell !== null && cell !== ""),
  );
  const width = Math.min(SHOWN.columns, Math.max(0, ...filled.slice(0, GUESS_ROWS).map((row) => row.length)));
  if (width < 2) return undefined;
  const rows = filled
    .slice(0, SHOWN.rows)
    .map((row) => Array.from({ length: width }, (_, column) => textOf(row[column])));
  const guess = guessColumns(filled.slice(0, GUESS_ROWS), width);
  const firstTime = filled.slice(0, SHOWN.rows).findIndex((row) => hasTime(row[guess.time - 1]));
  const names = rows[firstTime - 1] ?? rows[0]!.map(() => "");
  return { rows, names, guess: withNames(guess, names, filled) };
}

/** The guess with what the names of the columns say of unit and direction, and the times of start or end. */
function withNames(guess: ColumnMapping, names: readonly string[], filled: Table): ColumnMapping {
  const { time, clock } = guess;
  const labels = filled.flatMap((row) => rowTime(row[time - 1], clock && row[clock - 1])?.label ?? []);
  const values = guess.values.map(({ column, direction }) => {
    const named = directionOf(foldText(names[column - 1] ?? ""));
    return { column, direction: named === undefined || named === "ignore" ? direction : named };
  });
  const stated = meterUnit(undefined, names[guess.values[0]!.column - 1] ?? "");
  const unit = COLUMN_UNITS.find((one) => one === stated) ?? guess.unit;
  return { ...guess, values, unit, label: provenLabel(labels) ?? guess.label };
}

/** The layout of the rows of a table by named columns, for `readRows`. Throws ColumnMappingError. */
export function columnLayout(table: Table, mapping: ColumnMapping): { rows: Table; layout: TableLayout } {
  checkMapping(mapping);
  const { time, clock, values, label } = mapping;
  const groups: ColumnGroup[] = values.map(({ column, direction }) => ({
    time: time - 1,
    clock: clock === undefined ? undefined : clock - 1,
    until: undefined,
    value: column - 1,
    column: { header: /^/, direction },
    name: `column ${column}`,
    status: undefined,
  }));
  const layout: TableLayout = {
    format: { id: "columns", operator: "unknown", label, time: /^/, values: [] },
    headerRow: 0,
    header: [],
    groups,
    parts: [],
    counters: [],
  };
  // Rows above the first time are titles; an empty header row comes before them.
  return { rows: [[], ...table], layout };
}

/** Refuses columns that cannot be used together. Throws ColumnMappingError. */
export function checkMapping({ time, clock, values, unit, label }: ColumnMapping): void {
  const isColumn = (column: number) => Number.isInteger(column) && column >= 1 && column <= 2000;
  if (!isColumn(time)) throw new ColumnMappingError("time", "The time column must be a number from 1.");
  if (clock !== undefined && (!isColumn(clock) || clock === time))
    throw new ColumnMappingError(
      "clock",
      "The column with the time of day must be another one than the date.",
    );
  const columns = values.map(({ column }) => column);
  const isUsed = (column: number) => column === time || column === clock;
  if (columns.length === 0 || columns.some((column) => !isColumn(column) || isUsed(column)))
    throw new ColumnMappingError(
      "values",
      "Name at least one column with values, other than those of the time.",
    );
  if (new Set(columns).size < columns.length)
    throw new ColumnMappingError("values", "A column can be used for one quantity only.");
  if (!COLUMN_UNITS.includes(unit))
    throw new ColumnMappingError("unit", `The unit must be one of ${COLUMN_UNITS.join(", ")}.`);
  if (label !== "start" && label !== "end")
    throw new ColumnMappingError("label", "The time must be the start or the end of the interval.");
}

/** Whether a cell holds a date, possibly with the span to another one. */
function hasTime(cell: Cell): boolean {
  return parseTimeLabel(typeof cell === "string" ? cell.split(" - ")[0] : cell) !== undefined;
}

function guessColumns(rows: Table, width: number): ColumnMapping {
  const columns = Array.from({ length: width }, (_, column) => column);
  const share = (isFit: (row: readonly Cell[]) => boolean) => rows.filter(isFit).length / rows.length;
  const time = columns.find((column) => share((row) => hasTime(row[column])) > 0.5) ?? 0;
  const clock = columns.find(
    (column) =>
      column !== time && share((row) => /^\d{1,2}:\d{2}(:\d{2})?$/.test(String(row[column] ?? ""))) > 0.5,
  );
  const comma = hasDecimalComma(rows, columns);
  const value = columns.find(
    (column) =>
      column !== time &&
      column !== clock &&
      share((row) => typeof parseNumber(row[column], comma) === "number") > 0.5,
  );
  const fallback = columns.find((column) => column !== time && column !== clock) ?? 1;
  return {
    time: time + 1,
    ...(clock !== undefined && { clock: clock + 1 }),
    values: [{ column: (value ?? fallback) + 1, direction: "import" }],
    unit: "kWh",
    label: "start",
  };
}

function textOf(cell: Cell): string {
  const text = cell === undefined || cell === null ? "" : String(cell);
  return text.length > SHOWN.characters ? `${text.slice(0, SHOWN.characters - 1)}…` : text;
}
