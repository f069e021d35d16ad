/**
 * Splits CSV text into rows of trimmed cells; quoted cells may contain the delimiter, line ends and doubled quotes. Lenient,
 * because exports are: spaces before a quote and text behind one do not matter, and rows may differ in length.
 */
export function splitRows(text: string, delimiter: string, maxRows = Number.POSITIVE_INFINITY): string[][] {
  const rows: string[][] = [];
  let at = 0;
  let quote = text.indexOf('"');
  while (at < text.length && rows.length < maxRows) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    if (quote >= 0 && quote < at) quote = text.indexOf('"', at);
    if (quote >= 0 && quote < end) {
      const quoted = quotedRow(text, at, delimiter);
      rows.push(quoted.cells);
      at = quoted.next;
    } else {
      const cells = text.slice(at, end).split(delimiter);
      for (const [index, cell] of cells.entries()) cells[index] = cell.trim();
      rows.push(cells);
      at = end + 1;
    }
  }
  return rows;
}

function quotedRow(text: string, start: number, delimiter: string): { cells: string[]; next: number } {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    while (text[at] === " ") at++;
    if (text[at] === '"') {
      let cell = "";
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[++at];
        else break;
      }
      cells.push(cell.trim());
      at++;
      while (at < text.length && text[at] !== delimiter && text[at] !== "\n") at++;
    } else {
      const from = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== "\n") at++;
      cells.push(text.slice(from, at).trim());
    }
    if (text[at] !== delimiter) return { cells, next: at + 1 };
    at++;
  }
}

/** A CSV file with a header. */
export interface CsvTable {
  /** Names of the columns, in lower case. */
  names: readonly string[];
  /** The rows below the header without blank ones, each with its line number; several for a file of one line. */
  rows: readonly CsvRow[];
  /** Cells are separated by semicolons: numbers then have a decimal comma. */
  hasSemicolons: boolean;
}

export interface CsvRow {
  line: number;
  cells: readonly string[];
}

/** Reads a file of `column,column` or `column;column`, as hourgate writes and takes them. */
export function readCsv(text: string): CsvTable {
  // A return before a line feed is trimmed with its cell.
  const lines = (text.includes("\n") ? text : text.replaceAll("\r", "\n")).replace(/^\uFEFF/, "");
  const hasSemicolons = lines.slice(0, lines.indexOf("\n") + 1 || undefined).includes(";");
  const [names = [], ...below] = splitRows(lines, hasSemicolons ? ";" : ",");
  return {
    names: names.map((name) => name.toLowerCase()),
    rows: below.flatMap((cells, index) =>
      cells.length > 1 || cells[0] !== "" ? { line: index + 2, cells } : [],
    ),
    hasSemicolons,
  };
}

/** How many unusable lines are described individually. */
const DESCRIBED_LINES = 5;

/** The sentence for a row that cannot be used. */
export function rowProblem({ line, cells }: CsvRow, reason: string, { hasSemicolons }: CsvTable): string {
  return `Line ${line}: ${reason} ("${cells.join(hasSemicolons ? ";" : ",").slice(0, 60)}").`;
}

/** The first few problems, then the number of the others. */
export function firstProblems(problems: readonly string[]): string[] {
  if (problems.length <= DESCRIBED_LINES) return [...problems];
  const more = problems.length - DESCRIBED_LINES;
  return [...problems.slice(0, DESCRIBED_LINES), `${more} more lines could not be read.`];
}
