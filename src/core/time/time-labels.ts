import { DAY_MS, HOUR_MS } from "../domain/interval.js";
import { offsetMinutes, VIENNA } from "./zone.js";

/** A cell of a table: text, a number of a spreadsheet, or nothing. */
type Cell = string | number | null | undefined;

/** The time in a row: an instant, or local wall time of Vienna as if it were UTC. */
export interface Label {
  ms: number;
  isUtc: boolean;
}

const GERMAN = /^(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2})(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?(?: ?Uhr)?$/;
const ISO =
  /^(\d{4})[-/.](\d{2})[-/.](\d{2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
/** "Mo, 01.03.2026 00:15". */
const WEEKDAY = /^(?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mo|di|mi|do|fr|sa|so)[.,]*\s+/i;
/** Summer or winter time behind a local time; A and B are the first and the second 02:00 hour in autumn. */
const ZONE_MARK = /^(.*\d) ?\(?(MESZ|CEST|MEZ|CET|[AB])\)?$/i;
const SUMMER_MARKS = new Set(["MESZ", "CEST", "A"]);
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
/** Day number of 1970-01-01 in spreadsheets. */
const SHEET_EPOCH_DAYS = 25_569;
/** Days of 1990 to 2100 in spreadsheets: other numbers are no dates. */
const SHEET_DAYS = { min: 32_874, max: 73_050 };

/** Reads the time of a cell, with the time of day of a second cell if there is one; undefined for anything else. */
export function parseTimeLabel(cell: Cell, clock?: Cell): Label | undefined {
  if (typeof cell === "number") {
    if (!(cell >= SHEET_DAYS.min && cell <= SHEET_DAYS.max)) return undefined;
    const time = clock === undefined ? 0 : clockMs(clock);
    const ms = Math.round((cell - SHEET_EPOCH_DAYS) * 86_400) * 1000;
    return time === undefined ? undefined : { ms: ms + time, isUtc: false };
  }
  if (typeof cell !== "string" || cell === "") return undefined;
  const text = /^\d/.test(cell) ? cell : cell.replace(WEEKDAY, "");
  const [, plain, mark] = /\d$/.test(text) ? [] : (ZONE_MARK.exec(text) ?? []);
  if (plain === undefined || mark === undefined) return parseText(text, clock);
  const label = parseText(plain, clock);
  const isDoubledHour = label !== undefined && Math.floor(label.ms / HOUR_MS) % 24 === 2;
  if (label === undefined || label.isUtc || (mark.length === 1 && !isDoubledHour)) return undefined;
  const isSummer = SUMMER_MARKS.has(mark.toUpperCase());
  return { ms: label.ms - (isSummer ? 2 : 1) * HOUR_MS, isUtc: true };
}

function parseText(cell: string, clock: Cell): Label | undefined {
  const german = GERMAN.exec(cell);
  if (german !== null) {
    const [, day, month, year, hour, minute, second] = german;
    const fullYear = Number(year) + (year!.length === 2 ? 2000 : 0);
    return labelOf([fullYear, Number(month), Number(day)], [hour, minute, second], clock);
  }
  const iso = ISO.exec(cell);
  if (iso === null) return undefined;
  const [, year, month, day, hour, minute, second, offset] = iso;
  const label = labelOf([Number(year), Number(month), Number(day)], [hour, minute, second], clock);
  if (label === undefined || offset === undefined) return label;
  return { ms: label.ms - offsetMs(offset), isUtc: true };
}

function labelOf(
  [year, month, day]: [number, number, number],
  time: (string | undefined)[],
  clock: Cell,
): Label | undefined {
  if (year < 1990 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const date = Date.UTC(year, month - 1, day);
  if (new Date(date).getUTCDate() !== day) return undefined;
  const timeMs =
    time[0] === undefined ? (clock === undefined ? 0 : clockMs(clock)) : timeOf(time[0], time[1], time[2]);
  return timeMs === undefined ? undefined : { ms: date + timeMs, isUtc: false };
}

function clockMs(cell: Cell): number | undefined {
  if (typeof cell === "number") return cell >= 0 && cell <= 1 ? Math.round(cell * 86_400) * 1000 : undefined;
  const match = CLOCK.exec(cell ?? "");
  return match === null ? undefined : timeOf(match[1], match[2], match[3]);
}

function timeOf(hour = "0", minute = "0", second = "0"): number | undefined {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (h > 24 || m > 59 || s > 59 || (h === 24 && m + s > 0)) return undefined;
  return h * HOUR_MS + m * 60_000 + s * 1000;
}

function offsetMs(offset: string): number {
  if (/z/i.test(offset)) return 0;
  const digits = offset.replace(/\D/g, "");
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (offset.startsWith("-") ? -minutes : minutes) * 60_000;
}

/** Instants at which clocks in Vienna show a wall time: one, two (autumn), or the one of the skipped hour (spring). */
function instantsOf(wallMs: number): { instants: number[]; isSkipped: boolean } {
  const instants = [120, 60]
    .map((offset) => ({ offset, ms: wallMs - offset * 60_000 }))
    .filter(({ offset, ms }) => offsetMinutes(ms, VIENNA) === offset)
    .map(({ ms }) => ms);
  return instants.length > 0
    ? { instants, isSkipped: false }
    : { instants: [wallMs - HOUR_MS], isSkipped: true };
}

/** Instants of the labels of a series in file order. */
export interface Instants {
  ms: Float64Array;
  /** 1 where clocks never showed the label (spring). */
  skipped: Uint8Array;
  /** Local days whose doubled hour (autumn) is in the file only once. */
  singleHours: Map<string, number[]>;
}

/**
 * Converts labels to instants. Of a label of the doubled autumn hour that occurs twice, the second occurrence is the later
 * one; a label that occurs once belongs to the later hour only when the rows have started again.
 */
export function toInstants(labels: readonly Label[]): Instants {
  const ms = new Float64Array(labels.length);
  const skipped = new Uint8Array(labels.length);
  const doubledHours = new Map<number, number[]>();
  labels.forEach((label, index) => {
    if (label.isUtc) {
      ms[index] = label.ms;
      return;
    }
    const { instants, isSkipped } = instantsOf(label.ms);
    ms[index] = instants[0]!;
    skipped[index] = isSkipped ? 1 : 0;
    if (instants.length < 2) return;
    const day = Math.floor(label.ms / DAY_MS);
    const rows = doubledHours.get(day);
    if (rows === undefined) doubledHours.set(day, [index]);
    else rows.push(index);
  });
  const singleHours = new Map<string, number[]>();
  const order = orderOf(labels);
  for (const [day, rows] of doubledHours) {
    const hasSecond = assignDoubledHour(order === "falling" ? [...rows].reverse() : rows, {
      labels,
      ms,
      isOrdered: order !== "none",
    });
    if (!hasSecond) singleHours.set(new Date(day * DAY_MS).toISOString().slice(0, 10), rows);
  }
  return { ms, skipped, singleHours };
}

/**
 * Instants (ms) of a list of times, in its order: with an offset, or local time of Vienna, where of two equal times of the doubled
 * hour in autumn the second one is the later. NaN for anything else, and for a time that clocks never showed.
 */
export function instantsOfTexts(texts: readonly unknown[]): number[] {
  const labels = texts.map((text) => (typeof text === "string" ? parseTimeLabel(text.trim()) : undefined));
  const { ms, skipped } = toInstants(labels.filter((label) => label !== undefined));
  let read = 0;
  return labels.map((label) => {
    if (label === undefined) return Number.NaN;
    const at = skipped[read] === 1 ? Number.NaN : ms[read]!;
    read++;
    return at;
  });
}

/** Steps against the order of rows: a file begins anew for a second meter, or is sorted as text. */
const MOST_AGAINST = 0.1;

/** Whether the rows are listed from the first to the latest, or the other way round. */
function orderOf(labels: readonly Label[]): "rising" | "falling" | "none" {
  let [rising, falling] = [0, 0];
  for (let index = 1; index < labels.length; index++) {
    const step = labels[index]!.ms - labels[index - 1]!.ms;
    if (step > 0) rising++;
    else if (step < 0) falling++;
  }
  if (Math.min(rising, falling) > MOST_AGAINST * (rising + falling) && rising + falling > 10) return "none";
  return falling > rising ? "falling" : "rising";
}

interface DoubledHour {
  labels: readonly Label[];
  ms: Float64Array;
  /** Whether the order of the rows tells both hours apart. */
  isOrdered: boolean;
}

/** Moves the rows of the second hour an hour later; false when there is only one hour. */
function assignDoubledHour(rows: readonly number[], { labels, ms, isOrdered }: DoubledHour): boolean {
  const times = rows.map((row) => labels[row]!.ms);
  const counts = new Map<number, number>();
  for (const time of times) counts.set(time, (counts.get(time) ?? 0) + 1);
  const restart = isOrdered ? restartOf(times) : -1;
  const seen = new Set<number>();
  let hasSecond = false;
  rows.forEach((row, index) => {
    const time = times[index]!;
    const isSecond = counts.get(time)! > 1 ? seen.has(time) : restart >= 0 && index >= restart;
    seen.add(time);
    if (!isSecond) return;
    ms[row]! += HOUR_MS;
    hasSecond = true;
  });
  return hasSecond;
}

/**
 * Index at which the hour begins again; -1 if it does not. Equal neighbours are a restart too, when a gap lies between them,
 * but several of them are rows sorted as text.
 */
function restartOf(times: readonly number[]): number {
  const earlier = times.findIndex((time, index) => index > 0 && time < times[index - 1]!);
  if (earlier >= 0) return earlier;
  const equal = times.flatMap((time, index) => (index > 0 && time === times[index - 1] ? [index] : []));
  return equal.length === 1 ? equal[0]! : -1;
}
