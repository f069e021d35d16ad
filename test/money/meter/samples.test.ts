import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as library from "@e965/xlsx";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MeterSeries } from "../../../src/core/domain/meter.js";
import { readMeterFile, seriesOfTables } from "../../../src/money/meter/read.js";
import { readSheets } from "../../../src/money/meter/spreadsheet.js";
import { readTables } from "../../../src/money/meter/tables.js";
import type { Table } from "../../../src/money/meter/types.js";

const FOLDER = resolve(import.meta.dirname, "../../fixtures/meter");
const files = new Map<string, Promise<MeterSeries[]>>();
/** Series of a file, which is read once. */
function read(name: string): Promise<MeterSeries[]> {
  const known = files.get(name) ?? readMeterFile(readFileSync(resolve(FOLDER, name)), name);
  files.set(name, known);
  return known;
}
const iso = (ms: number | undefined) => new Date(ms ?? Number.NaN).toISOString().replace(":00.000Z", "Z");

/**
 * Counts, first and last start and energy of each series, computed with a separate script in Python (decimal arithmetic,
 * zoneinfo). Columns: file, direction, label, step, n, first start, last start, kWh, missing.
 */
const EXPECTED = [
  "clam-strom-2024.csv import start 15 96 2024-03-31T22:00Z 2024-04-01T21:45Z 21.836 0",
  "ebner-strom-2023.xlsx import end 15 94 2023-02-28T23:00Z 2023-03-26T07:30Z 15.21 22",
  "ebner-strom-2023.xlsx export end 15 94 2023-02-28T23:00Z 2023-03-26T07:30Z 9.79 22",
  "energienetze-steiermark-2024.xlsx import start 15 172 2023-12-31T23:00Z 2024-05-30T21:45Z 15.40175 0",
  "eww-wels-2024.xlsx residual start 15 267 2023-05-31T22:00Z 2024-05-31T21:45Z 51.333 0",
  "eww-wels-2024.xlsx export start 15 132 2024-03-30T23:00Z 2024-05-31T21:45Z 0.141 135",
  "eww-wels-2024.xlsx import start 15 132 2024-03-30T23:00Z 2024-05-31T21:45Z 23.178 135",
  "ikb-2024.csv import end 15 176 2024-02-20T23:15Z 2024-02-29T22:45Z 14.545 0",
  "kaernten-netz-2024.csv import start 15 172 2024-03-26T23:00Z 2024-05-01T21:45Z 33.095 0",
  "netz-burgenland-2023-08.csv import start 15 84 2023-07-31T22:00Z 2023-08-30T21:45Z 3.803 0",
  "netz-noe-2024-eeg.csv import end 15 176 2023-12-31T23:00Z 2024-01-10T22:45Z 93.683 0",
  "netz-noe-2024-eeg.csv residual end 15 57 2023-12-31T23:00Z 2024-01-04T22:45Z 26.040196 119",
  "netz-ooe-2023.xls import start 15 172 2023-02-28T23:00Z 2023-03-31T21:45Z 72.453 0",
  "salzburg-netz-2023-restverbrauch.csv residual start 15 176 2023-04-30T22:00Z 2023-11-07T22:45Z 15.373 0",
  "stadtwerke-kufstein-2024.xlsx import start 60 89 2024-09-30T22:00Z 2024-10-28T23:00Z 13.127 0",
  "stromnetz-graz-2023.csv import end 15 175 2023-04-13T22:00Z 2023-04-17T21:30Z 25.386 1",
  "stromnetz-graz-2026-03.csv import end 15 163 2026-02-28T23:00Z 2026-03-31T21:45Z 18.839 9",
  "tinetz-2023-links.csv import start 15 124 2023-09-30T22:00Z 2023-10-31T22:45Z 4.093 0",
  "tiwag-2026.csv import start 15 176 2026-03-31T22:00Z 2026-04-30T22:00Z 14.21 0",
  "vorarlberg-netz-2023.csv import start 15 192 2023-08-14T22:00Z 2023-08-16T21:45Z 9.472 0",
  "wiener-netze-qh.csv import start 15 92 2023-06-21T22:00Z 2024-06-20T21:45Z 6.014 44",
  "synthetic-eda-portal.xlsx import start 15 4 2026-07-01T10:00Z 2026-07-01T10:45Z 1.15 0",
  "synthetic-eda-portal.xlsx residual start 15 4 2026-07-01T10:00Z 2026-07-01T10:45Z 0.7 0",
  "synthetic-eda-portal.xlsx generation start 15 4 2026-07-01T10:00Z 2026-07-01T10:45Z 2.6 0",
  "synthetic-eda-portal.xlsx export start 15 4 2026-07-01T10:00Z 2026-07-01T10:45Z 2.15 0",
  "synthetic-linz-netz-2025.csv import start 15 9 2025-10-25T23:45Z 2025-10-26T02:00Z 1234.86 1",
  "synthetic-netz-noe-2025.csv import end 15 100 2025-10-25T22:00Z 2025-10-26T22:45Z 14.95 0",
  "synthetic-netz-noe-2025.csv residual end 15 96 2025-10-25T22:00Z 2025-10-26T21:45Z 13.405 4",
];

describe("recorded exports of grid operators", () => {
  it.each(EXPECTED.map((line) => line.split(" ")))("reads %s (%s)", async (name, direction, ...expected) => {
    const series = (await read(name!)).filter((one) => one.direction === direction && !one.isDelivered);
    expect(series).toHaveLength(1);
    const { label, stepMinutes, intervals, starts, kwh, missing } = series[0]!;
    const got = [label, stepMinutes, intervals, iso(starts[0]), iso(starts.at(-1)), kwh, missing];
    expect(got.map(String)).toEqual(expected);
  });

  it.each([
    "ebner-strom-2023.xlsx",
    "energienetze-steiermark-2024.xlsx",
    "eww-wels-2024.xlsx",
    "stadtwerke-kufstein-2024.xlsx",
    "synthetic-eda-portal.xlsx",
  ])("reads the same cells from %s as the spreadsheet library", async (name) => {
    const bytes = readFileSync(resolve(FOLDER, name));
    const workbook = library.read(bytes, { dense: true });
    const expected = workbook.SheetNames.map((sheet) =>
      Array.from(workbook.Sheets[sheet]!["!data"]!, (row) =>
        Array.from(row ?? [], (cell?: { v?: unknown }) =>
          typeof cell?.v === "string" ? cell.v.trim() : cell?.v,
        ),
      ),
    );
    const filled = (table: Table) =>
      table.map((row) =>
        row.flatMap((cell, column) => (cell === undefined || cell === "" ? [] : [[column, cell]])),
      );
    expect((await readSheets(bytes)).map(filled)).toEqual(expected.map((table) => filled(table as Table)));
  });

  // Two blocks, and two hours of autumn that only their order tells apart, are left out.
  const ORDERED = /^(netz-burgenland|synthetic-linz|synthetic-netz-noe|tinetz|wiener-netze)/;
  it.each([...new Set(EXPECTED.map((line) => line.split(" ")[0]!))].filter((name) => !ORDERED.test(name)))(
    "reads the same from %s, whatever the order of its rows",
    async (name) => {
      const tables = await readTables(readFileSync(resolve(FOLDER, name)), name);
      const expected = seriesOfTables(tables, name);
      const isTimed = (row: Table[number] | undefined) => /^\d{1,4}[.-]\d\d[.-]/.test(String(row?.[0] ?? ""));
      fc.assert(
        fc.property(fc.infiniteStream(fc.nat()), (random) => {
          const shuffled = tables.map((table) => {
            const timed = table.filter(isTimed).map((row) => ({ row, key: random.next().value as number }));
            timed.sort((a, b) => a.key - b.key);
            return table.map((row) => (isTimed(row) ? timed.pop()!.row : row));
          });
          for (const one of seriesOfTables(shuffled, name)) {
            const { starts, values, estimates, missing } = expected.find(
              ({ direction, isDelivered }) => direction === one.direction && isDelivered === one.isDelivered,
            )!;
            expect(one).toMatchObject({ starts, values, estimates, missing });
          }
        }),
        { numRuns: 1 },
      );
    },
  );

  it("counts estimated, doubled and dropped rows", async () => {
    const [linz] = await read("synthetic-linz-netz-2025.csv");
    expect(linz).toMatchObject({ operator: "LINZ NETZ", estimated: 1, warnings: expect.anything() });
    const [ebner] = await read("ebner-strom-2023.xlsx");
    expect(ebner).toMatchObject({ doubled: 1, meterPoint: "AT0034600000000000000000YYYXXXZZZ" });
    const [tinetz] = await read("tinetz-2023-links.csv");
    expect(tinetz).toMatchObject({ operator: "TINETZ", dropped: 31 });
    const [wien] = await read("wiener-netze-qh.csv");
    expect(wien).toMatchObject({ operator: "Wiener Netze", estimated: 16 });
  });

  it("shares a merged autumn hour between both hours", async () => {
    const [salzburg] = await read("salzburg-netz-2023-restverbrauch.csv");
    expect(salzburg!.warnings).toContainEqual({ code: "merged_hour", date: "2023-10-29" });
    const at = (time: string) => salzburg!.values[salzburg!.starts.indexOf(Date.parse(time))];
    expect(at("2023-10-29T01:00:00Z")).toBe(at("2023-10-29T00:00:00Z"));
    expect(salzburg!.values.reduce((sum, kwh) => sum + kwh, 0)).toBeCloseTo(15.373, 6);
  });

  it("separates draw and delivery of an energy community", async () => {
    const series = await read("synthetic-eda-portal.xlsx");
    const community = series.filter(({ direction }) => direction === "community");
    expect(community.map(({ kwh, isDelivered }) => [kwh, isDelivered])).toEqual([
      [0.45, false],
      [0.45, true],
    ]);
  });
});
