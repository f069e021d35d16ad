import { describe, expect, it } from "vitest";
import { previewColumns } from "../../../src/money/meter/columns.js";
import { readMeterFile, seriesOfTables } from "../../../src/money/meter/read.js";
import {
  DAYS,
  HOUR_MS,
  ORDINARY,
  QUARTER_MS,
  type Quarter,
  quarterAt,
  quarters,
} from "./support/quarters.js";

const FORMS: Record<string, { header: string; row: (quarter: Quarter) => string }> = {
  "a range in the column of the time of day": {
    header: "Datum;Uhrzeit;Verbrauch (kWh)",
    row: ({ from, to, comma }) => `${from.date};${from.time} - ${to.time};${comma}`,
  },
  "date and time joined by a hyphen": {
    header: "Zeitpunkt;Verbrauch (kWh)",
    row: ({ from, comma }) => `${from.date} - ${from.time};${comma}`,
  },
  "ranges with a dash": {
    header: "Zeitraum;Verbrauch (kWh)",
    row: ({ from, to, comma }) => `${from.date} ${from.time} – ${to.date} ${to.time};${comma}`,
  },
  "the day of the week": {
    header: "Datum;Verbrauch (kWh)",
    row: ({ from, comma }) => `Mo, ${from.date} ${from.time};${comma}`,
  },
  "MEZ and MESZ": {
    header: "Zeitstempel;Verbrauch (kWh)",
    row: ({ from, zone, comma }) => `${from.date} ${from.time} ${zone};${comma}`,
  },
  "A and B in the doubled hour": {
    header: "Zeitstempel;Verbrauch (kWh)",
    row: ({ from, mark, comma }) => `${from.date} ${from.time}${mark};${comma}`,
  },
  "times in UTC": {
    header: "Zeit (UTC),Verbrauch (kWh)",
    row: ({ startMs, kwh }) => `${new Date(startMs).toISOString().slice(0, 16)},${kwh}`,
  },
  "ends of intervals under a name of another operator": {
    header: "Datum;Zeit;kWh;Status",
    row: ({ to, comma }) => `${to.date};${to.time};${comma};OK`,
  },
  "midnight with the date of the day that ends": {
    header: "Datum;Zeit;Verbrauch (kWh)",
    row: ({ from, to, comma }) => `${from.date};${to.time};${comma}`,
  },
  "a column named after the end": {
    header: "Intervallende;Verbrauch kWh",
    row: ({ to, comma }) => `${to.date} ${to.time};${comma}`,
  },
  "start and end in other columns": {
    header: "Startdatum;Startzeit;Enddatum;Endzeit;Verbrauch (kWh)",
    row: ({ from, to, comma }) => `${from.date};${from.time};${to.date};${to.time};${comma}`,
  },
  "columns with hyphens in their names": {
    header: "Ab-Datum;Ab-Zeit;Bis-Datum;Bis-Zeit;1-1:1.29.0 [kWh]",
    row: ({ from, to, comma }) => `${from.date};${from.time};${to.date};${to.time};${comma}`,
  },
  "a time of day under an unknown name": {
    header: "Tag;Viertelstunde;Verbrauch (kWh)",
    row: ({ from, comma }) => `${from.date};${from.time};${comma}`,
  },
  "a range without spaces": {
    header: "Zeitraum;Verbrauch (kWh)",
    row: ({ from, to, comma }) => `${from.date} ${from.time}-${to.time};${comma}`,
  },
  "an offset in hours": {
    header: "Zeitstempel;Verbrauch (kWh)",
    row: ({ startMs, comma }) => `${new Date(startMs + HOUR_MS).toISOString().slice(0, 19)}+01;${comma}`,
  },
  "units in a row below the names": {
    header: "Zeitstempel;Wirkenergie Bezug;Blindenergie Bezug\n;[Wh];[varh]",
    row: ({ from, kwh }) => `${from.date} ${from.time};${Math.round(1000 * kwh)};1`,
  },
  "a unit without brackets": {
    header: "Date/time UTC,Energy Wh,Returned energy Wh",
    row: ({ startMs, kwh }) =>
      `${new Date(startMs).toISOString().slice(0, 16).replace("T", " ")},${Math.round(1000 * kwh)},0`,
  },
  "a time under an unknown name": {
    header: "Zähler;Ableseperiode von;Ableseperiode bis;Bezug [kWh]",
    row: ({ from, to, comma }) => `1;${from.date} ${from.time};${to.date} ${to.time};${comma}`,
  },
  Wh: {
    header: "Datum;Verbrauch [Wh]",
    row: ({ from, kwh }) => `${from.date} ${from.time};${Math.round(kwh * 1000)}`,
  },
  "mean power in kW": {
    header: "Datum;Leistung [kW]",
    row: ({ from, kwh }) => `${from.date} ${from.time};${(4 * kwh).toFixed(3).replace(".", ",")}`,
  },
  "both marks of decimals": {
    header: "Datum;Verbrauch (kWh)",
    row: ({ from, kwh, comma, startMs }) =>
      `${from.date} ${from.time};${startMs % (2 * QUARTER_MS) === 0 ? kwh.toFixed(3) : comma}`,
  },
  "a delimiter that is the decimal mark": {
    header: "Datum,Verbrauch (kWh)",
    row: ({ from, comma }) => `${from.date} ${from.time},${comma}`,
  },
  "a name with an initial before the unit": {
    header: `Datum;Zeit von;Zeit bis;W. Huber - AT${"0".repeat(30)}1 - Verbrauch [kWh]`,
    row: ({ from, to, comma }) => `${from.date};${from.time}:00;${to.time}:00;${comma}`,
  },
  "the month first": {
    header: "Date,Consumption (kWh)",
    row: ({ from, kwh }) => `${from.us} ${from.time},${kwh}`,
  },
  "seconds off the quarter-hour": {
    header: "Datum;Verbrauch kWh",
    row: ({ from, comma }) => `${from.date} ${from.time}:02;${comma}`,
  },
  "a unit behind each value": {
    header: "Datum;Verbrauch",
    row: ({ from, comma }) => `${from.date} ${from.time};${comma} kWh`,
  },
  "Wh behind each value": {
    header: "Zeitpunkt;Bezug in Wh",
    row: ({ from, kwh }) => `${from.date} ${from.time};${Math.round(1000 * kwh)} Wh`,
  },
  "seconds since 1970": {
    header: "timestamp,energy_kwh",
    row: ({ startMs, kwh }) => `${startMs / 1000},${kwh}`,
  },
  "milliseconds since 1970 under an unknown name": {
    header: "x;Verbrauch (kWh)",
    row: ({ startMs, comma }) => `${startMs};${comma}`,
  },
  "German names of months": {
    header: "Datum;Uhrzeit;Verbrauch (kWh)",
    row: ({ from, comma }) => {
      const [day, month, year] = from.date.split(".").map(Number);
      const name = ["Jänner", "Feber", "März", "April", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Oktober"][
        month! - 1
      ];
      return `${day}. ${name} ${year};${from.time};${comma}`;
    },
  },
  "English names of months": {
    header: "Time,Consumption (kWh)",
    row: ({ from, kwh }) => {
      const [day, month, year] = from.date.split(".");
      const name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"][Number(month) - 1];
      return `${day}-${name}-${year} ${from.time},${kwh}`;
    },
  },
  "halves of a day": {
    header: "Date/Time,Consumption (kWh)",
    row: ({ from, kwh }) => {
      const [hour, minute] = from.time.split(":");
      const half = Number(hour) < 12 ? "AM" : "PM";
      return `${from.us} ${Number(hour) % 12 || 12}:${minute} ${half},${kwh}`;
    },
  },
  "both directions in rows": {
    header: "Zeitstempel;Richtung;Energie (kWh)",
    row: ({ from, comma, other }) =>
      `${from.date} ${from.time};Bezug;${comma}\n${from.date} ${from.time};Einspeisung;${other}`,
  },
  "both directions in columns": {
    header: "Zeitstempel;+A [kWh];-A [kWh];Eigenverbrauch [kWh]",
    row: ({ from, comma, other }) => `${from.date} ${from.time};${comma};${other};0,1`,
  },
};

const read = (lines: readonly string[]) =>
  readMeterFile(new TextEncoder().encode(lines.join("\r\n")), "export.csv");

describe("files of other operators", () => {
  it.each(Object.entries(FORMS))("reads %s", async (_, { header, row }) => {
    for (const day of Object.values(DAYS)) {
      const written = quarters(day);
      const all = await read([header, ...written.map(row)]);
      const draw = all.find(({ direction }) => direction === "import");
      expect([...draw!.starts]).toEqual(written.map(({ startMs }) => startMs));
      expect([...draw!.values]).toEqual(written.map(({ kwh }) => kwh));
      expect(all.filter(({ direction }) => direction !== "export")).toHaveLength(1);
    }
  });

  it("reads numbers with Swiss marks at the thousands", async () => {
    const rows = ORDINARY.map(({ from, kwh }) => {
      const watts = String(Math.round(10_000 * kwh)).replace(/(\d)(\d{3})$/, "$1’$2");
      return `${from.date} ${from.time};${watts}`;
    });
    const [series] = await read(["Datum;Bezug (W)", ...rows]);
    expect(series!.kwh).toBeCloseTo(
      ORDINARY.reduce((sum, { kwh }) => sum + 2.5 * kwh, 0),
      6,
    );
  });

  it("goes on with the rows of a file that was appended to another", async () => {
    const header = "Messzeitpunkt;Verbrauch (kWh);Qualität;";
    const rows = ORDINARY.map(({ to, comma }) => `${to.date} ${to.time};${comma};L1;`);
    const all = await read([header, ...rows.slice(0, 50), header, ...rows.slice(48)]);
    expect(all).toMatchObject([{ direction: "import", intervals: 96, doubled: 2 }]);
  });

  it("does not count a measured value as a substitute because its column says so", async () => {
    const rows = ORDINARY.map(
      ({ to, comma }, index) => `${to.date} ${to.time};${comma};${index < 2 ? "Ja" : "Nein"};`,
    );
    const [series] = await read(["Messzeitpunkt;Gemessener Verbrauch (kWh);Ersatzwert;", ...rows]);
    expect(series!.estimated).toBe(2);
  });

  it("reads dates with the month first in a file of a few days, and a header below a title of the same words", async () => {
    const days = quarters([Date.UTC(2026, 0, 3, 23), Date.UTC(2026, 0, 5, 23)]);
    const rows = days.map(({ from, kwh }) => `${from.us} ${from.time},${kwh}`);
    const title = "Zeitraum: 01/04/2026 bis 01/05/2026,Verbrauch (kWh)";
    const [series] = await read([title, "Date,Consumption (kWh)", ...rows]);
    expect([...series!.starts]).toEqual(days.map(({ startMs }) => startMs));
  });

  it("reads the sheet behind one with day values, and the other direction on a further one", () => {
    const sheet = (name: string, value: (quarter: Quarter) => number) => [
      ["Datum", name],
      ...ORDINARY.map((quarter) => [`${quarter.from.date} ${quarter.from.time}`, value(quarter)]),
    ];
    const days = [["Datum", "Bezug (kWh)"], ...["01.01.2026", "02.01.2026"].map((date) => [date, 12])];
    const draw = sheet("Bezug (kWh)", ({ kwh }) => kwh);
    const all = seriesOfTables(
      [days, draw, sheet("Einspeisung (kWh)", ({ kwh }) => 1 - kwh), draw],
      "x.xlsx",
    );
    expect(all.map(({ direction, intervals }) => [direction, intervals])).toEqual([
      ["import", 96],
      ["export", 96],
    ]);
  });

  it("refuses Wh under the name of kWh, but not single values of a faulty meter", async () => {
    const rows = (kwhOf: (quarter: Quarter, index: number) => number) =>
      ORDINARY.map((quarter, index) => `${quarter.from.date} ${quarter.from.time};${kwhOf(quarter, index)}`);
    await expect(
      read(["Datum;Verbrauch (kWh)", ...rows(({ kwh }) => Math.round(400 * kwh))]),
    ).rejects.toThrow(/probably in Wh, or readings of a counter/);
    const [series] = await read([
      "Datum;Verbrauch (kWh)",
      ...rows(({ kwh }, index) => (index < 3 ? 655.35 : kwh)),
    ]);
    expect(series!.intervals).toBe(96);
  });

  it("proposes unit, direction and end of the columns of an unknown format by names and times", () => {
    const rows = ORDINARY.map(({ to, kwh }) => [to.date, to.time, 4000 * kwh]);
    const preview = previewColumns([[["Uhr", "um", "Rücklieferung W"], ...rows]]);
    expect(preview?.guess).toEqual({
      time: 1,
      clock: 2,
      values: [{ column: 3, direction: "export" }],
      unit: "W",
      label: "end",
    });
  });

  it("refuses values of several meters that no column names", async () => {
    const rows = ORDINARY.flatMap(({ from, comma, other }) => [
      `${from.date} ${from.time};A;${comma}`,
      `${from.date} ${from.time};B;${other}`,
    ]);
    await expect(read(["Datum;Anlage;Verbrauch (kWh)", ...rows])).rejects.toThrow(
      /several different values for the same times/,
    );
  });

  it("adds the energy of high and low tariff", async () => {
    const rows = ORDINARY.map(({ from, comma }, index) =>
      index < 28 ? `${from.date} ${from.time};;${comma}` : `${from.date} ${from.time};${comma};0,000`,
    );
    const all = await read(["Datum;Bezug Hochtarif (kWh);Bezug Niedertarif (kWh)", ...rows]);
    expect(all).toHaveLength(1);
    expect([...all[0]!.values]).toEqual(ORDINARY.map(({ kwh }) => kwh));
    const withTotal = rows.map((row, index) => `${row};${ORDINARY[index]!.comma}`);
    const [total, ...others] = await read(["Datum;Bezug HT (kWh);Bezug NT (kWh);Bezug (kWh)", ...withTotal]);
    expect([total!.kwh, others]).toEqual([all[0]!.kwh, []]);
  });

  it.each([
    ["Zählerstand (kWh)", 12_345],
    ["Bezug 1.8.0 (kWh)", 12_345],
    ["Bezug (kWh)", 0],
  ])("takes the differences of counter readings: %s from %d", async (name, from) => {
    for (const day of Object.values(DAYS)) {
      const written = quarters(day);
      let reading = from;
      const rows = [...written, quarterAt(day[1])].map((quarter) => {
        const row = `${quarter.from.date} ${quarter.from.time};${reading.toFixed(3).replace(".", ",")}`;
        reading += quarter.kwh;
        return row;
      });
      const [series] = await read([`Datum;${name}`, ...rows]);
      expect([...series!.starts]).toEqual(written.map(({ startMs }) => startMs));
      for (const [index, { kwh }] of written.entries()) expect(series!.values[index]).toBeCloseTo(kwh, 6);
      expect(series!.warnings.map(({ code }) => code)).toContain("counter");
    }
  });

  it("takes no difference over a missing reading or a change of the meter", async () => {
    const readings = ORDINARY.map((_, index) => (index < 50 ? 1000 + index / 10 : index / 10));
    const rows = ORDINARY.map(
      ({ from }, index) => `${from.date} ${from.time};${index === 20 ? "" : readings[index]}`,
    );
    const [series] = await read(["Datum;Zählerstand (kWh)", ...rows]);
    expect(series).toMatchObject({ intervals: 92, missing: 3 });
    expect(Math.max(...series!.values)).toBeCloseTo(0.1, 6);
  });
});
