import { writtenWithNumber } from "../../core/time/month-names.js";
import type { Cell, Table } from "./types.js";

/** Rows that show how the times of a column are written, and columns that are looked at. */
const SHOWN_ROWS = 60;
const MOST_COLUMNS = 100;
/** Seconds and milliseconds since 1970, between the years 2001 and 2100. */
const EPOCH = /^(\d{10}|\d{13})(\.0+)?$/;
const LAST_SECOND = Date.UTC(2100, 0, 1) / 1000;

/** "12:15 AM". */
const HALF_DAY = /(?<![\d:])(1[0-2]|0?[1-9]):(\d{2})(:\d{2})? ?([ap])\.?m\b\.?/gi;

/** A table whose times are dates with numbers: no names of months, no halves of a day, no times counted from 1970. */
export function withUsualTimes(table: Table): Table {
  const shown = table.slice(0, SHOWN_ROWS);
  const width = shown.reduce((most, row) => Math.max(most, row?.length ?? 0), 0);
  const rewritten = new Map<number, (cell: Cell) => Cell>();
  for (let column = 0; column < Math.min(width, MOST_COLUMNS); column++) {
    const cells = shown.map((row) => row?.[column]);
    if (cells.some((cell) => withNumber(cell) !== cell)) rewritten.set(column, withNumber);
    else if (areEpochs(cells)) rewritten.set(column, (cell) => epochText(cell) ?? cell);
  }
  if (rewritten.size === 0) return table;
  return table.map((row) => {
    if (!row) return row;
    const cells = [...row];
    for (const [column, rewrite] of rewritten)
      if (column < cells.length) cells[column] = rewrite(cells[column]);
    return cells;
  });
}

function withNumber(cell: Cell): Cell {
  return typeof cell === "string" ? writtenWithNumber(cell).replace(HALF_DAY, fullDay) : cell;
}

function fullDay(_: string, hour: string, minute: string, second = "", half: string): string {
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${String(hours).padStart(2, "0")}:${minute}${second}`;
}

/** Numbers of meters and customers may be as long; they do not change by whole minutes from row to row. */
function areEpochs(cells: readonly Cell[]): boolean {
  const filled = cells.filter((cell) => cell !== undefined && cell !== null && cell !== "");
  const seconds = new Set(filled.flatMap((cell) => epochSeconds(cell) ?? []));
  if ([...seconds].some((second) => second % 60 !== 0)) return false;
  return seconds.size > 1 && seconds.size > filled.length / 3;
}

function epochSeconds(cell: Cell): number | undefined {
  const [, digits = ""] = EPOCH.exec(String(cell ?? "")) ?? [];
  const seconds = digits.length === 13 ? Number(digits) / 1000 : Number(digits);
  return digits !== "" && seconds < LAST_SECOND ? seconds : undefined;
}

function epochText(cell: Cell): string | undefined {
  const seconds = epochSeconds(cell);
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}
