import { DAY_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { parseTimeLabel } from "../../core/time/time-labels.js";
import { dayInterval, offsetMinutes, VIENNA } from "../../core/time/zone.js";
import { foldRow } from "./header.js";
import { ASSUMED_KWH, OTHER_FORMAT, UNIT } from "./other-formats.js";
import { directionOf } from "./rows.js";
import { foldText } from "./text.js";
import type { Cell, Table } from "./types.js";

/** A header may follow this many lines of titles. */
const PREAMBLE_ROWS = 25;
const MOST_COLUMNS = 250;
/** Rows beyond are no days of a home: each is written as up to 100 rows. */
const MOST_DAYS = 10_000;
const TIME =
  /^(\d{1,2})[:.](\d{2})(?:[:.]\d{2})?(?: ?(?:uhr|h))?(?: ?[ab*])?(?:\s*(?:-|–|bis)\s*\d{1,2}[:.]\d{2}.*)?$/;
/** "1", "QH 01", "Wert 1", "1. Viertelstunde". */
const NUMBER = /^([a-z][a-z ]{0,20}[ ._-]*)?(\d{1,3})(?:\.? ?(?:h|std|uhr|stunde|viertelstunde|wert))?$/;
/** "0 - 1 Uhr". */
const HOUR_RANGE = /^(\d{1,2}) ?(?:-|–|bis) ?\d{1,2}(?: ?(?:uhr|h))?$/;
/** Columns of a day, by the lengths that days have: 23 to 25 hours. */
const DAYS: readonly [least: number, usual: number, most: number][] = [
  [23, 24, 25],
  [46, 48, 50],
  [92, 96, 100],
];
/** Units in titles; "KW" is a week, too. */
const UNITS: readonly [RegExp, string][] = [
  [/\bkwh\b/i, "kWh"],
  [/\bmwh\b/i, "MWh"],
  [/\bwh\b/i, "Wh"],
  [/\bkW\b/, "kW"],
  [/\bW\b(?!\.)/, "W"],
];

/** The columns with the intervals of a day. */
interface DayColumns {
  headerRow: number;
  columns: readonly number[];
  stepMinutes: number;
  /** Wall time of the start of each column, minutes; undefined where the columns are numbered. */
  minutes: readonly number[] | undefined;
}

/** A table with a row per interval, of one that has a row per day and a column per interval. Any other table is itself. */
export function withIntervalRows(table: Table): Table {
  const days = dayColumns(table);
  const date = days && dateColumn(table, days);
  if (days === undefined || date === undefined || table.length > MOST_DAYS) return table;
  const { headerRow, columns } = days;
  const names = foldRow(table[headerRow]!);
  const isKept = (name: string) =>
    [OTHER_FORMAT.meterPoint, OTHER_FORMAT.code, OTHER_FORMAT.status, UNIT].some((one) => one?.test(name));
  const kept = [...names.keys()].filter((at) => at !== date && !columns.includes(at) && isKept(names[at]!));
  const hasUnits = kept.some((column) => UNIT.test(names[column]!));
  const others = table[headerRow]!.filter((_, column) => !columns.includes(column) && !kept.includes(column));
  const name = hasUnits ? "Wert" : valueName(table.slice(0, headerRow), others);
  const rows: (readonly Cell[])[] = [
    ...table.slice(0, headerRow),
    ["Beginn", ...kept.map((column) => table[headerRow]![column]), name],
  ];
  for (const row of table.slice(headerRow + 1)) {
    const facts = kept.map((column) => row?.[column]);
    const dayMs = dayOf(row?.[date]);
    // A total, a title or a blank line.
    if (dayMs === undefined) rows.push([row?.[date], ...facts, row?.[columns[0]!]]);
    else
      for (const [at, cell] of intervalsOf(
        columns.map((column) => row[column]),
        dayMs,
        days,
      ))
        rows.push([timeText(at), ...facts, cell]);
  }
  return rows;
}

function dayColumns(table: Table): DayColumns | undefined {
  for (const [headerRow, row] of table.slice(0, PREAMBLE_ROWS).entries()) {
    if (!row || row.length < DAYS[0]![0]) continue;
    const cells = Array.from(row.slice(0, MOST_COLUMNS), (cell) =>
      typeof cell === "number" ? cell : foldText(typeof cell === "string" ? cell : ""),
    );
    const found = numbered(cells) ?? timed(cells);
    if (found !== undefined) return { headerRow, ...found };
  }
  return undefined;
}

type Columns = Omit<DayColumns, "headerRow">;

/** Columns 1 to 96, or 0 to 95; of "Wert 1", "Status 1", "Wert 2" … the ones with the first word. */
function numbered(cells: readonly (string | number)[]): Columns | undefined {
  const byWord = new Map<string, { column: number; number: number }[]>();
  for (const [column, cell] of cells.entries()) {
    const [, word = "", number] = NUMBER.exec(String(cell)) ?? [];
    if (number === undefined) continue;
    const known = byWord.get(word) ?? [];
    byWord.set(word, known);
    known.push({ column, number: Number(number) });
  }
  for (const numbers of byWord.values()) {
    const columns = sequence(numbers, 1) ?? sequence(numbers, 0);
    if (columns !== undefined)
      return { columns, stepMinutes: 1440 / usualCount(columns.length)!, minutes: undefined };
  }
  return undefined;
}

/** The columns that count from `first` to the intervals of a day. */
function sequence(
  numbers: readonly { column: number; number: number }[],
  first: number,
): number[] | undefined {
  for (let from = 0; from < numbers.length; from++) {
    let count = 0;
    while (numbers[from + count]?.number === first + count) count++;
    if (usualCount(count) !== undefined) return numbers.slice(from, from + count).map(({ column }) => column);
  }
  return undefined;
}

/** Columns from 00:00, or with the ends of the intervals to 24:00. */
function timed(cells: readonly (string | number)[]): Columns | undefined {
  const times = cells.flatMap((cell, column) => {
    const minute = typeof cell === "number" ? fractionMinutes(cell) : timeMinutes(cell);
    return minute === undefined ? [] : [{ column, minute }];
  });
  const usual = usualCount(times.length);
  if (usual === undefined) return undefined;
  const stepMinutes = 1440 / usual;
  const isEnd = times[0]!.minute === stepMinutes;
  const minutes = times.map(({ minute }) => (isEnd ? (minute + 1440 - stepMinutes) % 1440 : minute));
  const distinct = new Set(minutes);
  if (minutes[0] !== 0 || distinct.size < usual - 60 / stepMinutes || distinct.size > usual) return undefined;
  if (minutes.some((minute) => minute % stepMinutes !== 0)) return undefined;
  return { columns: times.map(({ column }) => column), stepMinutes, minutes };
}

function usualCount(count: number): number | undefined {
  return DAYS.find(([least, , most]) => count >= least && count <= most)?.[1];
}

function timeMinutes(text: string): number | undefined {
  const [, hour, minute = "0"] = TIME.exec(text) ?? HOUR_RANGE.exec(text) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  return minutes <= 1440 ? minutes : undefined;
}

/** The time of day of a spreadsheet. */
function fractionMinutes(part: number): number | undefined {
  const minutes = Math.round(part * 1440);
  return part >= 0 && part <= 1 && Math.abs(part * 1440 - minutes) < 0.01 ? minutes : undefined;
}

/** The first column with a date in most rows. */
function dateColumn(table: Table, { headerRow, columns }: DayColumns): number | undefined {
  const rows = table.slice(headerRow + 1).filter((row) => columns.some((column) => isFilled(row?.[column])));
  const isDate = (column: number) =>
    rows.length > 0 && rows.filter((row) => dayOf(row[column]) !== undefined).length > rows.length / 2;
  return [...table[headerRow]!.keys()].find((column) => !columns.includes(column) && isDate(column));
}

function isFilled(cell: Cell): boolean {
  return cell !== undefined && cell !== null && cell !== "";
}

/** A date without a time of day, as if it were in UTC. */
function dayOf(cell: Cell): number | undefined {
  const label = parseTimeLabel(cell);
  return label !== undefined && !label.isUtc && label.ms % DAY_MS === 0 ? label.ms : undefined;
}

/** The intervals of a day by their wall time, ms as if in UTC; in autumn 02:00 to 02:45 come twice. */
function intervalsOf(cells: readonly Cell[], dayMs: number, days: DayColumns): [number, Cell][] {
  const { stepMinutes, minutes } = days;
  if (minutes === undefined) return countedIntervals(cells, dayMs, stepMinutes);
  const seen = new Set<number>();
  return cells.flatMap((cell, at): [number, Cell][] => {
    const minute = minutes[at]!;
    // The columns of the second hour in autumn are empty on all other days.
    const isExtra = seen.has(minute) && !isFilled(cell);
    seen.add(minute);
    return isExtra ? [] : [[dayMs + minute * MINUTE_MS, cell]];
  });
}

/** Numbers count the intervals that have passed, or leave out those that clocks skip in spring and repeat in autumn. */
function countedIntervals(cells: readonly Cell[], dayMs: number, stepMinutes: number): [number, Cell][] {
  const stepMs = stepMinutes * MINUTE_MS;
  const { start, end } = dayInterval(new Date(dayMs).toISOString().slice(0, 10), VIENNA);
  const count = (end.getTime() - start.getTime()) / stepMs;
  const usual = DAY_MS / stepMs;
  const isCounted =
    count > usual ? cells.slice(usual, count).some(isFilled) : !cells.slice(count, usual).some(isFilled);
  const wallMs = (at: number) => {
    const ms = start.getTime() + at * stepMs;
    return isCounted ? ms + offsetMinutes(ms, VIENNA) * MINUTE_MS : dayMs + at * stepMs;
  };
  return cells.slice(0, isCounted ? count : usual).map((cell, at) => [wallMs(at), cell]);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}

/** A name with the direction and the unit that titles and other columns state. */
function valueName(titles: Table, others: readonly Cell[]): string {
  const words = others.filter(
    (cell) => typeof cell === "string" && directionOf(foldText(cell)) !== undefined,
  );
  const text = [...titles.flat(), ...others].filter((cell) => typeof cell === "string").join(" ");
  const unit = UNITS.find(([pattern]) => pattern.test(text))?.[1];
  return `${unit === undefined ? ASSUMED_KWH : "Energie"} ${words.join(" ")}${unit === undefined ? "" : ` [${unit}]`}`;
}
