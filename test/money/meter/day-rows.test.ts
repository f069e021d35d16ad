import { describe, expect, it } from "vitest";
import { withIntervalRows } from "../../../src/money/meter/day-rows.js";
import { readMeterFile, seriesOfTables } from "../../../src/money/meter/read.js";
import { DAYS, ORDINARY, type Quarter, quarters } from "./support/quarters.js";

const bytesOf = (lines: readonly string[]) => new TextEncoder().encode(lines.join("\r\n"));
const read = (lines: readonly string[]) => readMeterFile(bytesOf(lines), "lastprofil.csv");
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const timeOf = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
const times = numbers(96).map((number) => timeOf(15 * (number - 1)));
const padded = (cells: readonly string[], count: number) => [
  ...cells,
  ...Array.from({ length: count - cells.length }, () => ""),
];

/** Each day as one row: its header, and the cells of its quarter-hours. */
const FORMS: Record<
  string,
  { names: readonly (string | number)[]; cells: (day: readonly Quarter[]) => string[] }
> = {
  "times of day, the skipped hour empty, the second 02:00 hour behind the first": {
    names: [...times.slice(0, 12), ...times.slice(8, 12), ...times.slice(12)],
    cells: (day) => {
      const at = new Map<string, string[]>();
      for (const { from, comma } of day) at.set(from.time, [...(at.get(from.time) ?? []), comma]);
      const hour = (nth: number) => times.slice(8, 12).map((time) => at.get(time)?.[nth] ?? "");
      const one = (list: readonly string[]) => list.map((time) => at.get(time)?.[0] ?? "");
      return [...one(times.slice(0, 8)), ...hour(0), ...hour(1), ...one(times.slice(12))];
    },
  },
  "numbers to 100 that count the quarter-hours": {
    names: numbers(100),
    cells: (day) =>
      padded(
        day.map(({ comma }) => comma),
        100,
      ),
  },
  "values and their status": {
    names: numbers(100).flatMap((number) => [`Wert ${number}`, `Status ${number}`]),
    cells: (day) =>
      padded(
        day.flatMap(({ comma }) => [comma, "W"]),
        200,
      ),
  },
  "numbers with letters": {
    names: numbers(100).map((number) => `QH ${String(number).padStart(2, "0")}`),
    cells: (day) =>
      padded(
        day.map(({ comma }) => comma),
        100,
      ),
  },
};

describe("files with a row per day", () => {
  it.each(Object.entries(FORMS))("reads columns with %s", async (_, { names, cells }) => {
    for (const day of Object.values(DAYS)) {
      const written = quarters(day);
      const rows = [`${written[0]!.from.date};${cells(written).join(";")}`];
      const [series, ...others] = await read(["Lastgang Bezug in kWh", `Datum;${names.join(";")}`, ...rows]);
      expect(others).toEqual([]);
      expect([...series!.starts]).toEqual(written.map(({ startMs }) => startMs));
      expect([...series!.values]).toEqual(written.map(({ kwh }) => kwh));
      expect(series).toMatchObject({ direction: "import", label: "start", stepMinutes: 15, missing: 0 });
      expect(series!.warnings).toEqual([]);
    }
  });

  it("reads numbers to 96 of days without a change of clocks, and of spring in both ways", async () => {
    const spring = quarters(DAYS["of 92 quarter-hours"]);
    const values = spring.map(({ comma }) => comma);
    for (const cells of [padded(values, 96), [...values.slice(0, 8), "", "", "", "", ...values.slice(8)]]) {
      const [series] = await read([`Datum;kWh;${numbers(96).join(";")}`, `29.03.2026;;${cells.join(";")}`]);
      expect([...series!.starts]).toEqual(spring.map(({ startMs }) => startMs));
      expect([...series!.values]).toEqual(spring.map(({ kwh }) => kwh));
    }
  });

  it("reads ends of intervals, hours, units and meters in columns, and leaves sums out", async () => {
    const ends = numbers(96).map((number) => timeOf(15 * number));
    const cells = ORDINARY.map(({ comma }) => comma).join(";");
    const [ended] = await read([
      `Tag;Tagessumme (kWh);${ends.join(";")}`,
      `31.01.2026;45,1;${cells}`,
      "Summe;45,1",
    ]);
    expect([...ended!.starts]).toEqual(ORDINARY.map(({ startMs }) => startMs));
    const point = (number: number) => `AT${"0".repeat(30)}${number}`;
    const hours = numbers(24).map((hour) => `${hour - 1} - ${hour} Uhr`);
    const both = await read([
      `Zählpunkt;OBIS;Einheit;Datum;${hours.join(";")}`,
      `${point(1)};1-1:1.9.0;Wh;31.01.2026;${numbers(24).join(";")}`,
      `${point(2)};1-1:2.9.0;Wh;31.01.2026;${numbers(24).join(";")}`,
    ]);
    expect(
      both.map(({ meterPoint, direction, intervals, kwh }) => [meterPoint, direction, intervals, kwh]),
    ).toEqual([
      [point(1), "import", 24, 0.3],
      [point(2), "export", 24, 0.3],
    ]);
  });

  it("reads times and numbers of a spreadsheet, and mean power", () => {
    const header = ["Datum", ...numbers(96).map((number) => (number - 1) / 96)];
    const row = [46_053, ...ORDINARY.map(({ kwh }) => 4 * kwh)];
    const [series] = seriesOfTables([withIntervalRows([["Leistung in kW"], header, row])], "x.xlsx");
    expect([...series!.starts]).toEqual(ORDINARY.map(({ startMs }) => startMs));
    expect([...series!.values]).toEqual(ORDINARY.map(({ kwh }) => kwh));
  });

  it("assumes kWh where nothing states a unit, and says so", async () => {
    const [series] = await read([
      `Datum;${times.join(";")}`,
      `31.01.2026;${ORDINARY.map(({ comma }) => comma).join(";")}`,
    ]);
    expect(series).toMatchObject({ intervals: 96, unit: "kWh" });
    expect(series!.warnings.map(({ code }) => code)).toEqual(["unit_assumed", "direction_assumed"]);
  });
});
