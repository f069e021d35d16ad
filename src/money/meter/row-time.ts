import { HOUR_MS } from "../../core/domain/interval.js";
import { type Label, parseTimeLabel } from "../../core/time/time-labels.js";
import type { TableLayout } from "./header.js";
import type { Cell, Table } from "./types.js";

/** The time in a row, and the end of the interval where the row states it. */
export interface RowTime {
  label: Label;
  end: Label | undefined;
  /** "start - end": the time is the start of the interval. */
  isRange: boolean;
}

/** Between start and end of a range; only behind a time of day a hyphen without spaces is none of a date. */
const RANGE = /\s*[–—]\s*|\s+(?:-|bis)\s+|(?<=^\d{1,2}\..*:\d{2})-(?=\d{1,2}:|\d{1,2}\.)/;
/** Longer cells are no times. */
const MOST_CHARACTERS = 80;
const CLOCK_RANGE = /^(\d{1,2}:\d{2}(?::\d{2})?)\s*(?:[-–—]|bis)\s*\d{1,2}:\d{2}(?::\d{2})?$/;

/** The time zone in the name of a column: `start_utc`, "Zeit (UTC+1)". */
const UTC = /(?:\b|_)(?:utc|gmt) ?([+-]\d{1,2})?(?::00)?\)?$/;
/** Dates that other countries write with the month first: 01/31/2026. */
const SLASH_DATE = /^(\d{1,2})\/(\d{1,2})\/(?=\d)/;

/** Reads the times of the rows of a table. */
export class RowTimes {
  readonly #layout: TableLayout;
  /** Columns with the month first. */
  readonly #monthFirst: ReadonlySet<number>;

  constructor(rows: Table, layout: TableLayout) {
    this.#layout = layout;
    const columns = new Set(layout.groups.flatMap(({ time, until }) => [time, until ?? time]));
    this.#monthFirst = new Set([...columns].filter((column) => isMonthFirst(rows, column)));
  }

  /** Times of the value columns; those of one table share theirs. */
  of(row: readonly Cell[]): (RowTime | undefined)[] {
    const { groups, header } = this.#layout;
    const times: (RowTime | undefined)[] = [];
    for (const [index, { time, clock, until }] of groups.entries()) {
      if (index > 0 && groups[index - 1]!.time === time) {
        times.push(times[index - 1]);
        continue;
      }
      const found = rowTime(this.#cell(row, time), clock === undefined ? undefined : (row[clock] ?? ""));
      const offset = UTC.exec(header[time] ?? "");
      if (found !== undefined && offset !== null && !found.label.isUtc)
        found.label = { ms: found.label.ms - Number(offset[1] ?? 0) * HOUR_MS, isUtc: true };
      if (found !== undefined && until !== undefined) found.end ??= parseTimeLabel(this.#cell(row, until));
      times.push(found);
    }
    return times;
  }

  #cell(row: readonly Cell[], column: number): Cell {
    const cell = row[column];
    return typeof cell === "string" && this.#monthFirst.has(column)
      ? cell.replace(SLASH_DATE, "$2.$1.")
      : cell;
  }
}

/** A number above 12 is no month; without one, that which changes with the days of a file is none. */
function isMonthFirst(rows: Table, column: number): boolean {
  const [firsts, seconds] = [new Set<number>(), new Set<number>()];
  for (const row of rows) {
    const cell = row?.[column];
    const [, first, second] = typeof cell === "string" ? (SLASH_DATE.exec(cell) ?? []) : [];
    if (first === undefined) continue;
    firsts.add(Number(first));
    seconds.add(Number(second));
  }
  if (Math.max(0, ...firsts) > 12) return false;
  return Math.max(0, ...seconds) > 12 || firsts.size < seconds.size;
}

/** A time, or "start - end" in the cell of the time or of the time of day. */
export function rowTime(cell: Cell, clock: Cell): RowTime | undefined {
  const from = typeof clock === "string" ? CLOCK_RANGE.exec(clock)?.[1] : undefined;
  const label = parseTimeLabel(cell, from ?? clock);
  if (label !== undefined) return { label, end: undefined, isRange: from !== undefined };
  const [first, second, ...others] =
    typeof cell === "string" && cell.length <= MOST_CHARACTERS ? cell.split(RANGE) : [];
  if (second === undefined || others.length > 0) return undefined;
  // "01.03.2026 - 00:15" is one time, "01.03.2026 00:00 - 00:15" is a range.
  const isClock = /^\d{1,2}:\d{2}(:\d{2})?$/.test(second);
  const start = parseTimeLabel(first, isClock && !/:/.test(first!) ? second : undefined);
  if (start === undefined) return undefined;
  return { label: start, end: parseTimeLabel(second), isRange: !isClock || /:/.test(first!) };
}
