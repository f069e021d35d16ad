import type { Cell, Table } from "./types.js";

/** Numbers with and without marks at the thousands. */
const COMMA_NUMBER = /^[+-]?(\d+|[1-9]\d{0,2}(\.\d{3})+)?(,\d+)?(e[+-]?\d+)?$/i;
const POINT_NUMBER = /^[+-]?(\d+|[1-9]\d{0,2}(,\d{3})+)?(\.\d*)?(e[+-]?\d+)?$/i;
const PLAIN_NUMBER = /^[+-]?\d+\.\d+$/;
/** Marks at the thousands that are no decimal mark: Swiss and typographic ones. */
const THOUSANDS = /(\d)['’\u00a0\u202f ](?=\d{3}(\D|$))/g;
const MISSING = new Set(["", "-", "--", "n/a", "null", "nan"]);

/** Reads a number with the decimal mark of the column; "missing" for an empty cell, undefined for anything else. */
export function parseNumber(cell: Cell, hasDecimalComma: boolean): number | "missing" | undefined {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : undefined;
  const text = (cell ?? "").trim().replace(THOUSANDS, "$1");
  if (MISSING.has(text.toLowerCase())) return "missing";
  // In a column with decimal commas, 0.125 and 1.5 have no marks at the thousands.
  if (hasDecimalComma && PLAIN_NUMBER.test(text) && !COMMA_NUMBER.test(text)) return Number(text);
  if (!(hasDecimalComma ? COMMA_NUMBER : POINT_NUMBER).test(text)) return undefined;
  const plain = hasDecimalComma ? text.replaceAll(".", "").replace(",", ".") : text.replaceAll(",", "");
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

/** Whether a decimal comma occurs in one of the columns. */
export function hasDecimalComma(table: Table, columns: readonly number[]): boolean {
  return table.some((row) =>
    columns.some((column) => {
      const cell = row[column];
      return typeof cell === "string" && /^[+-]?[\d.'’ ]*,\d+$/.test(cell);
    }),
  );
}
