import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readMeterFile } from "../../../src/money/meter/read.js";
import { MeterFileError } from "../../../src/money/meter/types.js";
import { zipOf } from "../../support/zip.js";
import { DAYS, ORDINARY, type Quarter, quarters } from "./support/quarters.js";

const POINT = `AT${"0".repeat(30)}1`;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string, file = "daten") => readMeterFile(bytesOf(text), file);
const archive = (files: Readonly<Record<string, string>>) =>
  zipOf(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, deflateRawSync(Buffer.from(text))]),
    ),
  );
const csv = (rows: readonly Quarter[], name = "Verbrauch (kWh)") =>
  [`Beginn;${name}`, ...rows.map(({ from, comma }) => `${from.date} ${from.time};${comma}`)].join("\n");
const starts = (rows: readonly Quarter[]) => rows.map(({ startMs }) => startMs);
const energies = (rows: readonly Quarter[]) => rows.map(({ kwh }) => kwh);
const iso = (ms: number) => new Date(ms).toISOString();

async function faultOf(bytes: Uint8Array) {
  const error = await readMeterFile(bytes, "x.zip").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MeterFileError);
  return (error as MeterFileError).fault;
}

describe("archives", () => {
  it("join the periods of a meter and keep its directions apart", async () => {
    const next = quarters([DAYS.ordinary[1], DAYS.ordinary[1] + 24 * 3_600_000]);
    const all = await readMeterFile(
      archive({
        "2026/bezug-01.csv": csv(ORDINARY),
        "2026/bezug-02.csv": csv([ORDINARY.at(-1)!, ...next]),
        "2026/einspeisung.csv": csv(next, "Energie (kWh)"),
        "__MACOSX/2026/._bezug-01.csv": "x",
        "liesmich.txt": "Vielen Dank",
        "bild.png": "x",
      }),
      "daten.zip",
    );
    expect(
      all.map(({ file, direction, intervals, doubled }) => [file, direction, intervals, doubled]),
    ).toEqual([
      ["daten.zip", "import", 192, 1],
      ["daten.zip", "export", 96, 0],
    ]);
    expect([...all[0]!.starts]).toEqual(starts([...ORDINARY, ...next]));
    expect(all[0]!.warnings).toContainEqual({ code: "left_out_file", file: "liesmich.txt" });
  });

  it("are refused with too many files, too many bytes, a password, meters that nothing names, or no table", async () => {
    const many = Object.fromEntries(Array.from({ length: 401 }, (_, index) => [`${index}.csv`, "x"]));
    expect(await faultOf(archive(many))).toEqual({ code: "too_many_files", limit: 400 });
    const zeros = deflateRawSync(Buffer.alloc(61 * 1024 * 1024), { level: 1 });
    expect((await faultOf(zipOf({ "a.csv": zeros }))).code).toBe("too_large");
    const locked = archive({ "a.csv": csv(ORDINARY) });
    locked[Buffer.from(locked).lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 8] = 1;
    expect((await faultOf(locked)).code).toBe("encrypted");
    const other = ORDINARY.map((quarter) => ({ ...quarter, comma: quarter.other }));
    expect((await faultOf(archive({ "a.csv": csv(ORDINARY), "b.csv": csv(other) }))).code).toBe(
      "several_values",
    );
    expect((await faultOf(archive({ "a.txt": "Vielen Dank" }))).code).toBe("unknown_format");
    expect((await faultOf(archive({ "a.png": "x" }))).code).toBe("unreadable_spreadsheet");
  });
});

describe("files under the name of a spreadsheet", () => {
  const cells = (tag: string, texts: readonly string[]) =>
    `<tr>${texts.map((text) => `<${tag} class="c">${text}</${tag}>`).join("")}</tr>`;

  it("may be web pages", async () => {
    const rows = ORDINARY.map(({ from, comma }) =>
      cells("td", [`${from.date}&nbsp;${from.time}`, `<b>${comma}</b>`]),
    );
    const table = `<table border="1">${cells("th", ["Datum", "Verbrauch (kWh)"])}${rows.join("\n")}</table>`;
    const page = `<!DOCTYPE html><html><head><title>Export</title></head><body>${table}</body></html>`;
    for (const text of [page, table, `\uFEFF${page}`]) {
      const [series] = await read(text, "verbrauch.xls");
      expect([...series!.starts]).toEqual(starts(ORDINARY));
      expect([...series!.values]).toEqual(energies(ORDINARY));
    }
  });

  it("may be XML of 2003 or text with tabs", async () => {
    const row = (texts: readonly string[]) =>
      `<Row>${texts.map((text) => `<Cell><Data ss:Type="String">${text}</Data></Cell>`).join("")}</Row>`;
    const rows = ORDINARY.map(({ from, comma }) => [`${from.date} ${from.time}`, comma]);
    const header = ["Datum", "Verbrauch (kWh)"];
    const xml = `<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="A"><Table>${[header, ...rows].map(row).join("")}</Table></Worksheet></Workbook>`;
    for (const text of [xml, [header, ...rows].map((cellTexts) => cellTexts.join("\t")).join("\n")]) {
      const [series] = await read(text, "verbrauch.xls");
      expect([...series!.values]).toEqual(energies(ORDINARY));
    }
  });
});

describe("JSON documents", () => {
  const DOCUMENTS: Record<string, (rows: readonly Quarter[]) => unknown> = {
    "records with start and end": (rows) =>
      rows.map(({ startMs, kwh }) => ({
        from: iso(startMs),
        to: iso(startMs + 900_000),
        value: kwh,
        unit: "kWh",
      })),
    "records below their meter": (rows) => ({
      meteringPointId: POINT,
      registers: [
        {
          obisCode: "1-1:1.9.0",
          einheit: "WH",
          messwerte: rows.map(({ startMs, kwh }) => ({
            messwert: Math.round(1000 * kwh),
            zeitVon: iso(startMs),
            zeitBis: iso(startMs + 900_000),
            qualitaet: "VAL",
          })),
        },
      ],
    }),
    "a unit in the key": (rows) => ({
      data: rows.map(({ startMs, kwh }) => ({ startTime: startMs, consumptionKwh: kwh })),
    }),
    pairs: (rows) => ({ unit: "kWh", series: rows.map(({ startMs, kwh }) => [startMs, kwh]) }),
    "records below their days": (rows) => [
      {
        date: "2026-01-31",
        total: 12.5,
        values: rows.map(({ startMs, kwh }) => ({ timestamp: iso(startMs), kwh, valid: true })),
      },
    ],
    "times as keys": (rows) => ({
      kwh: Object.fromEntries(rows.map(({ startMs, kwh }) => [iso(startMs), kwh])),
    }),
    "lists of equal length": (rows) => ({
      timestamps: rows.map(({ startMs }) => startMs / 1000),
      consumption_kwh: energies(rows),
    }),
  };

  it.each(Object.entries(DOCUMENTS))("are read with %s", async (_, document) => {
    for (const day of Object.values(DAYS)) {
      const rows = quarters(day);
      const [series, ...others] = await read(JSON.stringify(document(rows)), "daten.json");
      expect(others).toEqual([]);
      expect([...series!.starts]).toEqual(starts(rows));
      expect([...series!.values]).toEqual(energies(rows));
      expect(series).toMatchObject({ direction: "import", label: "start" });
    }
  });

  it("may have both directions, and no unit", async () => {
    const rows = ORDINARY.map(({ startMs, kwh }) => ({ time: iso(startMs), import: kwh, export: 1 }));
    const all = await read(JSON.stringify(rows));
    expect(all.map(({ direction, kwh }) => [direction, kwh])).toEqual([
      [
        "import",
        expect.closeTo(
          ORDINARY.reduce((sum, { kwh }) => sum + kwh, 0),
          6,
        ),
      ],
      ["export", 96],
    ]);
    for (const { warnings } of all) expect(warnings).toContainEqual({ code: "unit_assumed" });
  });

  it("are refused when they hold no series", async () => {
    for (const text of ["[]", '{"a":[1,2]}', "[[[[[[[[[[[[1]]]]]]]]]]]]", '[{"time":1}', "{"])
      await expect(read(text)).rejects.toThrow(/JSON/);
  });
});

// Structure: schema ConsumptionRecord 01.40 of ebutilities.at.
describe("messages of the market", () => {
  const message = (
    series: Readonly<Record<string, readonly number[]>>,
    rows: readonly Quarter[],
    prefix = "ns0:",
  ) => {
    const data = Object.entries(series).map(([code, values]) => {
      const positions = rows.map(
        ({ startMs }, index) =>
          `<${prefix}EP><${prefix}DTF>${iso(startMs)}</${prefix}DTF><${prefix}DTT>${iso(startMs + 900_000)}</${prefix}DTT><${prefix}MM>${index === 0 ? "L3" : "L1"}</${prefix}MM><${prefix}BQ>${values[index]!.toFixed(6)}</${prefix}BQ></${prefix}EP>`,
      );
      return `<${prefix}EnergyData MeterCode="${code}" UOM="KWH">${positions.join("\n")}</${prefix}EnergyData>`;
    });
    return `<?xml version="1.0" encoding="UTF-8"?>
<${prefix}ConsumptionRecord xmlns:ns0="http://www.ebutilities.at/schemata/customerprocesses/consumptionrecord/01p40" xmlns:ns1="x">
<${prefix}ProcessDirectory><ns1:ECID>CC100438</ns1:ECID><ns1:MeteringPoint>${POINT}</ns1:MeteringPoint>
<${prefix}Energy><${prefix}MeteringIntervall>QH</${prefix}MeteringIntervall>${data.join("\n")}</${prefix}Energy></${prefix}ProcessDirectory></${prefix}ConsumptionRecord>`;
  };

  it("give draw, share and what is left", async () => {
    for (const day of Object.values(DAYS)) {
      const rows = quarters(day);
      const draw = energies(rows);
      const share = draw.map((kwh) => Math.round(250 * kwh) / 1000);
      const codes = { "1-1:1.9.0 G.01": draw, "1-1:2.9.0 G.02": draw, "1-1:2.9.0 G.03": share };
      for (const prefix of ["ns0:", ""]) {
        const all = await read(message(codes, rows, prefix), "CR_MSG.xml");
        expect(all.map((one) => [one.direction, one.meterPoint, one.communities, one.estimated])).toEqual([
          ["import", POINT, [], 1],
          ["community", POINT, ["CC100438"], 1],
          ["residual", POINT, ["CC100438"], 1],
        ]);
        expect([...all[0]!.starts]).toEqual(starts(rows));
        expect([...all[1]!.values]).toEqual(share);
      }
    }
  });

  it("of several days in an archive are one series", async () => {
    const next = quarters([DAYS.ordinary[1], DAYS.ordinary[1] + 24 * 3_600_000]);
    const file = (rows: readonly Quarter[]) => message({ "1-1:1.9.0 G.01": energies(rows) }, rows);
    const all = await readMeterFile(archive({ "a.xml": file(ORDINARY), "b.xml": file(next) }), "x.zip");
    expect(all).toMatchObject([{ operator: "EDA", direction: "import", intervals: 192 }]);
  });

  it("of another process are refused", async () => {
    await expect(read('<?xml version="1.0"?><cp:CPNotification xmlns:cp="x"/>')).rejects.toThrow(/XML/);
  });
});
