import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstProblems, readCsv, rowProblem, splitRows } from "../../src/core/csv.js";

/** A cell as RFC 4180 writes it. */
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

describe("rows of a CSV text", () => {
  it("have the cells that were written, quoted or not", () => {
    const cell = fc.string({ maxLength: 12 }).map((text) => text.replaceAll("\r", "").trim());
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 }), (rows) => {
        const text = rows.map((row) => row.map(quoted).join(";")).join("\n");
        expect(splitRows(text, ";")).toEqual(rows);
      }),
    );
    expect(splitRows(' a ;"b;""c"" d" ;\n"e\nf";1,5', ";")).toEqual([
      ["a", 'b;"c" d', ""],
      ["e\nf", "1,5"],
    ]);
  });
});

describe("a CSV file with a header", () => {
  it.each(["\n", "\r\n", "\r"])("is read with the line end %j, without blank lines", (end) => {
    const table = readCsv(`\uFEFFStart_UTC;"Price"${end}${end}2026-01-01;1,5${end};${end}`);
    expect(table.names).toEqual(["start_utc", "price"]);
    expect(table.hasSemicolons).toBe(true);
    expect(table.rows).toEqual([
      { line: 3, cells: ["2026-01-01", "1,5"] },
      { line: 4, cells: ["", ""] },
    ]);
  });

  it("names the first lines that cannot be used, and counts the others", () => {
    const table = readCsv(`a,b\n${"x,y\n".repeat(8)}`);
    const problems = table.rows.map((row) => rowProblem(row, "it is wrong", table));
    expect(problems[0]).toBe('Line 2: it is wrong ("x,y").');
    expect(firstProblems(problems)).toHaveLength(6);
    expect(firstProblems(problems).at(-1)).toBe("3 more lines could not be read.");
  });

  it("is empty without a text", () => {
    expect(readCsv("")).toEqual({ names: [], rows: [], hasSemicolons: false });
  });
});
