import { describe, expect, it } from "vitest";
import { readMeterColumns, readMeterFile } from "../../../src/money/meter/read.js";
import { DAYS, ORDINARY, QUARTER_MS, quarterAt, quarters } from "./support/quarters.js";

const bytesOf = (lines: readonly string[]) => new TextEncoder().encode(lines.join("\n"));
const read = (lines: readonly string[]) => readMeterFile(bytesOf(lines), "daten.csv");

/** Rows of a step within a day, from its first one. */
function rowsOf(
  [fromMs, toMs]: readonly [number, number],
  minutes: number,
  value: (ms: number) => number,
): string[] {
  const rows: string[] = [];
  for (let ms = fromMs; ms < toMs; ms += minutes * 60_000) {
    const { from } = quarterAt(ms);
    rows.push(`${from.date} ${from.time};${value(ms).toFixed(4).replace(".", ",")}`);
  }
  return rows;
}

describe("steps finer than a quarter-hour", () => {
  it.each([
    [1, 15],
    [5, 15],
    [10, 30],
  ])("of %d minutes are added to %d minutes", async (minutes, toMinutes) => {
    for (const day of Object.values(DAYS)) {
      const parts = toMinutes / minutes;
      const energy = (ms: number) => ((ms / 60_000) % 7) / 1000;
      const [series] = await read(["Beginn;Verbrauch (kWh)", ...rowsOf(day, minutes, energy)]);
      expect(series).toMatchObject({
        stepMinutes: toMinutes,
        missing: 0,
        intervals: (day[1] - day[0]) / (60_000 * toMinutes),
      });
      for (const [index, startMs] of [...series!.starts].entries()) {
        expect(startMs).toBe(day[0] + index * toMinutes * 60_000);
        const sum = Array.from({ length: parts }, (_, part) => energy(startMs + part * minutes * 60_000));
        expect(series!.values[index]).toBeCloseTo(
          sum.reduce((all, kwh) => all + kwh),
          6,
        );
      }
      expect(series!.warnings).toContainEqual({ code: "summed", minutes, toMinutes });
    }
  });

  it("are means where the values are power, and missing where a part is", async () => {
    const rows = rowsOf(DAYS.ordinary, 5, () => 2);
    const [series] = await read(["Beginn;Leistung (kW)", ...rows.slice(0, 10), ...rows.slice(11)]);
    expect(series).toMatchObject({ intervals: 95, missing: 1, kwh: 47.5 });
  });

  it("are refused where most quarter-hours are not whole", async () => {
    const rows = rowsOf(DAYS.ordinary, 1, () => 0.01).filter((_, index) => index % 15 < 9);
    await expect(read(["Beginn;Verbrauch (kWh)", ...rows])).rejects.toThrow(/every 1 minutes/);
  });
});

describe("hours among quarter-hours", () => {
  it.each(["start", "end"])("are spread over them (%s)", async (label) => {
    const until = DAYS.ordinary[0] + 12 * 4 * QUARTER_MS;
    const written = [
      ...Array.from({ length: 12 }, (_, hour) => [DAYS.ordinary[0] + hour * 4 * QUARTER_MS, 4, 0.4] as const),
      ...quarters([until, DAYS.ordinary[1]]).map(({ startMs }) => [startMs, 1, 0.25] as const),
    ];
    const rows = written.map(([startMs, parts, kwh]) => {
      const { from } = quarterAt(label === "start" ? startMs : startMs + parts * QUARTER_MS);
      return `${from.date} ${from.time};${String(kwh).replace(".", ",")}`;
    });
    const [series] = await read([`${label === "start" ? "Beginn" : "Ende"};Verbrauch (kWh)`, ...rows]);
    expect([...series!.starts]).toEqual(ORDINARY.map(({ startMs }) => startMs));
    expect([...series!.values]).toEqual(ORDINARY.map((_, index) => (index < 48 ? 0.1 : 0.25)));
    expect(series!.warnings).toContainEqual({ code: "hours", count: 12 });
  });

  it("are no gaps of a few quarter-hours", async () => {
    const rows = rowsOf(DAYS.ordinary, 15, () => 0.1).filter((_, index) => index > 20 || index % 4 === 0);
    const [series] = await read(["Datum;Verbrauch (kWh)", ...rows]);
    expect(series).toMatchObject({ intervals: rows.length, kwh: Math.round(rows.length) / 10 });
  });
});

describe("one column with both directions", () => {
  const signed = ORDINARY.map(({ from, kwh }, index) => {
    const value = (index > 40 && index < 60 ? -kwh : kwh).toFixed(3).replace(".", ",");
    return `${from.date} ${from.time};${value}`;
  });
  const energies = (isFedIn: boolean) =>
    ORDINARY.map(({ kwh }, index) => (index > 40 && index < 60 === isFedIn ? kwh : 0));

  it("has feed-in below zero", async () => {
    for (const name of ["Saldo (kWh)", "Netzbezug (kWh)"]) {
      const all = await read([`Datum;${name}`, ...signed]);
      expect(all.map(({ direction, intervals, dropped }) => [direction, intervals, dropped])).toEqual([
        ["import", 96, 0],
        ["export", 96, 0],
      ]);
      expect([...all[1]!.values]).toEqual(energies(true));
      expect(all[1]!.warnings).toContainEqual({ code: "signed" });
    }
    const mapping = {
      time: 1,
      values: [{ column: 2, direction: "import" }],
      unit: "kWh",
      label: "start",
    } as const;
    const named = await readMeterColumns(bytesOf(["a;b", ...signed]), "daten.csv", mapping);
    expect(named.map(({ direction }) => direction)).toEqual(["import", "export"]);
  });

  it("is a fault where only a few values are negative, or the file names its feed-in", async () => {
    const few = ORDINARY.map(
      ({ from, comma }, index) => `${from.date} ${from.time};${index < 2 ? "-" : ""}${comma};1`,
    );
    expect(await read(["Datum;Verbrauch (kWh);x", ...few])).toMatchObject([
      { direction: "import", intervals: 94, dropped: 2 },
    ]);
    const both = await read(["Datum;Bezug (kWh);Einspeisung (kWh)", ...signed.map((row) => `${row};0,1`)]);
    expect(both.map(({ direction, dropped }) => [direction, dropped])).toEqual([
      ["import", 19],
      ["export", 0],
    ]);
  });
});
