import { MINUTE_MS } from "../../../core/domain/interval.js";
import type { PricePoint } from "../../../core/domain/price.js";
import { PriceRows } from "./answer.js";

/** How many unusable lines are described individually. */
const DESCRIBED_LINES = 5;

const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.0+)?)?(Z|[+-]\d\d:\d\d)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?$/i;
const GAP = /^(null|nan|n\/a|-)?$/i;

export interface PriceFile {
  points: PricePoint[];
  /** One sentence per unusable line, with its number; the first few, then the number of the others. */
  problems: string[];
}

/**
 * Reads a price CSV: a header that names `start_utc` and `eur_per_mwh` in any order among other columns, hourly or
 * quarter-hourly rows in any order, an empty cell or `null` as a gap. Unusable lines become problems. Separated by
 * commas, or by semicolons with decimal commas. The last of several rows with the same start wins. Throws an Error
 * without a usable header.
 */
export function parsePriceFile(text: string): PriceFile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const header = lines[0] ?? "";
  const semicolons = header.includes(";");
  const cells = (line: string) => splitLine(line, semicolons ? ";" : ",");
  const names = cells(header).map((name) => name.toLowerCase());
  const startColumn = names.indexOf("start_utc");
  const priceColumn = names.indexOf("eur_per_mwh");
  if (startColumn < 0 || priceColumn < 0)
    throw new Error("Line 1 must be a header that names the columns start_utc and eur_per_mwh.");

  const problems: string[] = [];
  const rows = new PriceRows();
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.trim() === "") continue;
    const row = cells(line);
    const cell = row[priceColumn];
    const price = semicolons ? cell?.replace(",", ".") : cell;
    const startMs = readTime(row[startColumn] ?? "");
    const value = price !== undefined && NUMBER.test(price) ? Number(price) : Number.NaN;
    const isGap = price !== undefined && Number.isNaN(value) && GAP.test(price);
    const problem = rows.add(startMs, isGap ? null : value);
    if (problem !== undefined) problems.push(`Line ${index + 1}: ${problem} ("${line.slice(0, 60)}").`);
  }
  return { points: rows.points(), problems: shorten(problems) };
}

/** Cells of a line without surrounding spaces and quotes. Fast, because files of several years are common. */
function splitLine(line: string, separator: string): string[] {
  const row = line.split(separator);
  for (let index = 0; index < row.length; index++) {
    const cell = row[index]!.trim();
    row[index] = cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1) : cell;
  }
  return row;
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

function shorten(problems: string[]): string[] {
  if (problems.length <= DESCRIBED_LINES) return problems;
  const more = problems.length - DESCRIBED_LINES;
  return [...problems.slice(0, DESCRIBED_LINES), `${more} more lines could not be read.`];
}
