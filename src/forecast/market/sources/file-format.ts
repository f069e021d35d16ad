import { firstProblems, readCsv, rowProblem } from "../../../core/csv.js";
import { MINUTE_MS } from "../../../core/domain/interval.js";
import type { PricePoint } from "../../../core/domain/price.js";
import { instantsOfTexts } from "../../../core/time/time-labels.js";
import { PriceRows } from "./answer.js";

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.0+)?)?(Z|[+-]\d\d:\d\d)?$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i;
const GAP = /^(null|nan|n\/a|-)?$/i;

export interface PriceFile {
  points: PricePoint[];
  /** One sentence per unusable line, with its number; the first few, then the number of the others. */
  problems: string[];
}

/**
 * Reads a price CSV: a header that names `start_utc` (or `start`: local time of Vienna where a time has no offset) and
 * `eur_per_mwh` in any order among other columns, hourly or quarter-hourly rows in any order, an empty cell or `null` as a gap. Unusable lines become problems. Separated by
 * commas, or by semicolons with decimal commas. The last of several rows with the same start wins. Throws an Error
 * without a usable header.
 */
export function parsePriceFile(text: string): PriceFile {
  const table = readCsv(text);
  const utcColumn = table.names.indexOf("start_utc");
  const startColumn = utcColumn < 0 ? table.names.indexOf("start") : utcColumn;
  const priceColumn = table.names.indexOf("eur_per_mwh");
  if (startColumn < 0 || priceColumn < 0)
    throw new Error("Line 1 must be a header that names the columns start_utc and eur_per_mwh.");
  const textOf = ({ cells }: { cells: readonly string[] }) => cells[startColumn] ?? "";
  const local = utcColumn < 0 ? instantsOfTexts(table.rows.map(textOf)) : undefined;

  const problems: string[] = [];
  const points = new PriceRows({ lastWins: true });
  for (const [index, row] of table.rows.entries()) {
    const cell = row.cells[priceColumn];
    const price = table.hasSemicolons ? cell?.replace(",", ".") : cell;
    const value = price !== undefined && NUMBER.test(price) ? Number(price) : Number.NaN;
    const isGap = price !== undefined && Number.isNaN(value) && GAP.test(price);
    const problem = points.add(local?.[index] ?? readTime(textOf(row)), isGap ? null : value);
    if (problem !== undefined) problems.push(rowProblem(row, problem, table));
  }
  return { points: points.points(), problems: firstProblems(problems) };
}

/** A time in ms since the epoch, UTC unless it has an offset; NaN for an invalid one such as 30 February. */
function readTime(text: string): number {
  if (!TIME.test(text)) return Number.NaN;
  // Digits by position: capture groups would take half the time of reading a file.
  const [month, day, hour, minute] = [pair(text, 5), pair(text, 8), pair(text, 11), pair(text, 14)];
  const second = text[16] === ":" ? pair(text, 17) : 0;
  const atMs = Date.UTC(pair(text, 0) * 100 + pair(text, 2), month - 1, day, hour, minute, second);
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  // Date.UTC carries days beyond the end of a month over into the next one.
  if (day > 28 && new Date(atMs).getUTCDate() !== day) return Number.NaN;
  const sign = text.at(-6);
  if (sign !== "+" && sign !== "-") return atMs;
  const offsetMs = (pair(text, text.length - 5) * 60 + pair(text, text.length - 2)) * MINUTE_MS;
  return sign === "-" ? atMs + offsetMs : atMs - offsetMs;
}

/** The two-digit number at a position. */
function pair(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 48 * 11;
}
