import { hasDecimalComma, parseNumber } from "./numbers.js";
import type { Cell, Table } from "./types.js";

const SHOWN_ROWS = 60;
const MOST_COLUMNS = 200;
/** "0,125 kWh". */
const WITH_UNIT = /^([+-]?\d[\d.,'’\u00a0\u202f ]{0,20}?)[\s\u00a0\u202f]*(kWh|MWh|Wh|kW|W)$/i;
/** Energy in kWh and power in kW, by the unit. */
const FACTORS: Readonly<Record<string, readonly ["kWh" | "kW", number]>> = {
  kwh: ["kWh", 1],
  mwh: ["kWh", 1000],
  wh: ["kWh", 0.001],
  kw: ["kW", 1],
  w: ["kW", 0.001],
};

/** A table whose values are numbers: a unit behind each of them goes to the name of the column. */
export function withUnitsInNames(table: Table): Table {
  const shown = table.slice(0, SHOWN_ROWS);
  const width = shown.reduce((most, row) => Math.max(most, row?.length ?? 0), 0);
  const firsts = new Map<number, { row: number; unit: "kWh" | "kW" }>();
  for (let column = 0; column < Math.min(width, MOST_COLUMNS); column++) {
    const row = shown.findIndex((cells) => WITH_UNIT.test(textOf(cells?.[column])));
    const filled = shown.slice(Math.max(0, row)).filter((cells) => textOf(cells?.[column]) !== "");
    const fitting = filled.filter((cells) => WITH_UNIT.test(textOf(cells?.[column])));
    // A title may hold the sum of the file.
    if (row < 0 || fitting.length <= filled.length / 2) continue;
    firsts.set(column, { row, unit: unitOf(textOf(shown[row]![column]))![0] });
  }
  if (firsts.size === 0) return table;
  const commas = new Map([...firsts].map(([column]) => [column, hasComma(table, column)]));
  const rows = table.map((row) => {
    if (!row) return row;
    const cells = [...row];
    for (const [column, { unit }] of firsts)
      if (column < cells.length) cells[column] = numberOf(cells[column], unit, commas.get(column)!);
    return cells;
  });
  for (const [column, { row, unit }] of firsts) {
    const named = rows.slice(0, row).findLast((cells) => textOf(cells?.[column]) !== "");
    // In a name, "kWh" of "Verbrauch in kWh" stays; another unit would be taken for that of the numbers.
    if (named !== undefined)
      named[column] = `${textOf(named[column])
        .replace(/[[(]?\b(kWh|MWh|Wh|kW|W)\b[\])]?/gi, "")
        .trim()} [${unit}]`;
  }
  return rows;
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : typeof cell === "number" ? String(cell) : "";
}

function unitOf(text: string): readonly ["kWh" | "kW", number] | undefined {
  return FACTORS[WITH_UNIT.exec(text)?.[2]?.toLowerCase() ?? ""];
}

function hasComma(table: Table, column: number): boolean {
  const numbers = table.map((row) => [WITH_UNIT.exec(textOf(row?.[column]))?.[1]?.trim()]);
  return hasDecimalComma(numbers, [0]);
}

/** The number of a cell in the unit of its column; a cell without that kind of unit stays. */
function numberOf(cell: Cell, unit: "kWh" | "kW", comma: boolean): Cell {
  const [, number = ""] = WITH_UNIT.exec(textOf(cell)) ?? [];
  const [kind, factor] = unitOf(textOf(cell)) ?? [];
  const value = parseNumber(number, comma);
  if (kind !== unit || factor === undefined || typeof value !== "number") return cell;
  // Without the noise of binary fractions.
  return Number((value * factor).toPrecision(12));
}
