import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MeterFault } from "../../../src/core/domain/meter.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { readMeterFile } from "../../../src/money/meter/read.js";
import { MeterFileError } from "../../../src/money/meter/types.js";
import { runs } from "../../support/runs.js";
import { zipOf } from "../../support/zip.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readMeterFile(bytesOf(text), "export.csv");

async function faultOf(bytes: Uint8Array | string): Promise<MeterFault["code"]> {
  const error = await readMeterFile(typeof bytes === "string" ? bytesOf(bytes) : bytes, "x.csv").catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MeterFileError);
  expect((error as MeterFileError).message).toMatch(/^x\.csv .+\.$/);
  return (error as MeterFileError).fault.code;
}

const pad = (value: number) => String(value).padStart(2, "0");
const german = (ms: number) => {
  const { year, month, day, hour, minute } = localTime(new Date(ms), VIENNA);
  return `${pad(day)}.${pad(month)}.${year} ${pad(hour)}:${pad(minute)}`;
};
const STEP = 900_000;
const POINT = `AT${"0".repeat(30)}1`;

/** A file of START labels (Vorarlberg) or END labels (Netz NÖ) of consecutive quarter-hours. */
function written(label: "start" | "end", startMs: number, values: readonly number[], end: string): string {
  const number = (kwh: number) => kwh.toFixed(3).replace(".", ",");
  const rows = values.map((kwh, index) => {
    const from = startMs + index * STEP;
    return label === "start"
      ? `${german(from)};${german(from + STEP)};${number(kwh)}`
      : `${german(from + STEP)};${number(kwh)};`;
  });
  const header =
    label === "start"
      ? "Beginn der Messreihe;Ende der Messreihe;Messwert in kWh"
      : "Messzeitpunkt;Verbrauch (kWh);";
  return [header, ...rows].join(end);
}

describe("readMeterFile", () => {
  it.each([
    ["start", "2025-03-29T20:00:00Z"],
    ["start", "2025-10-25T20:00:00Z"],
    ["end", "2025-03-29T20:00:00Z"],
    ["end", "2025-10-25T20:00:00Z"],
    ["end", "2025-12-31T20:00:00Z"],
  ] as const)("reads back %s labels from %s", async (label, from) => {
    const values = Array.from({ length: 48 }, (_, index) => index / 1000);
    for (const [bom, end] of [
      ["", "\n"],
      ["\uFEFF", "\r\n"],
    ] as const) {
      const [series] = await read(bom + written(label, Date.parse(from), values, end));
      expect([...series!.starts]).toEqual(values.map((_, index) => Date.parse(from) + index * STEP));
      expect([...series!.values]).toEqual(values);
      expect(series).toMatchObject({ label, missing: 0, doubled: 0, dropped: 0 });
    }
  });

  it("reads any written series back, whatever hour a gap cuts out", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("start" as const, "end" as const),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 3 }),
        async (label, first, length) => {
          const fromMs = Date.parse("2024-10-26T20:00:00Z");
          const values = Array.from({ length: 48 }, (_, index) => index + 1);
          const lines = written(label, fromMs, values, "\n").split("\n");
          lines.splice(1 + first, length);
          const [series] = await read(lines.join("\n"));
          const wrong = [...series!.starts].filter(
            (ms, index) => series!.values[index] !== 1 + (ms - fromMs) / STEP,
          );
          expect(wrong).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("accepts other spellings: column order, quotes, tabs, missing trailing cells, Windows-1252", async () => {
    const [salzburg] = await read(
      '"Status";"Datum und Uhrzeit";"Verbrauch (0,6 kWh)"\r\n"ok";"2026-01-01 00:00:00";0,250\r\n"ok";"2026-01-01 00:15:00";0,350\r\n',
    );
    expect(salzburg).toMatchObject({ format: "salzburg-netz", kwh: 0.6, intervals: 2 });
    const [wien] = await read(
      "Datum\tZeit von\tZeit bis\tAT0010000000000000001000000000001 - Verbrauch [kWh]\t\n01.06.2026\t00:00\t00:15\t0,1\n01.06.2026\t00:15\t00:30\n",
    );
    expect(wien).toMatchObject({ format: "wiener-netze", intervals: 1, missing: 1 });
    const latin = Buffer.from(
      "Typ;Anlage;Zähler;Zählpunkt;OBIS-Code;DatumUhrzeit;Verbrauch;Einheit\nStrom;1;;AT0071000000000000000000000000001;x;01.01.2024 00:00;0,5;kWh\n",
      "latin1",
    );
    expect((await readMeterFile(latin, "k.csv"))[0]).toMatchObject({
      meterPoint: "AT0071000000000000000000000000001",
    });
  });

  it.each([
    ["Messzeitpunkt;Gemessene Menge (kWh);\n01.01.2025 00:15;0,1;\n", "netz-noe", "export", 0.1],
    ["Datum;von;bis;Verbrauch\n01.03.2023;00:00;00:15;0,037\n", "wiener-netze", "import", 0.037],
    [
      `Ende Ablesezeitraum;Messintervall;Abrechnungsmaßeinheit;W - ${POINT} - Verbrauch [kWh]\n2024-01-01T00:15+01:00;QH;KWH;0,1\n`,
      "wiener-netze-e-control",
      "import",
      0.1,
    ],
    [
      "Datum von;Datum bis;Einspeisung in kWh;Ersatzwert\n01.03.2023 00:00;01.03.2023 00:15;0,5; \n",
      "linz-netz",
      "export",
      0.5,
    ],
    [
      `ZP-Nummer;${POINT}\nEnergierichtung;Netzeinspeisung\n\nDatum;Zeit;kWh;Status\n01.01.2024;00:00:00;0,1;x\n`,
      "kaernten-netz",
      "export",
      0.1,
    ],
    [
      "Lieferrichtung: Lieferung;;;\nAblesezeitpunkt;Zaehlerstand Gesamt - 2.8.0;Verbrauch Gesamt - 2.8.0;Status Gesamt - 2.8.0\n2024-04-01T00:15:00.000+02:00;7902.695;0.155;VAL\n",
      "stromnetz-graz",
      "export",
      0.155,
    ],
    [
      `Anlagennummer;Zählpunkt;Leistungszeitraum Beginn;Leistungszeitraum Ende;Leistung;Einheit\n1;${POINT};28.04.2022 00:00;28.04.2022 00:15;0,4;KW\n`,
      "energienetze-steiermark",
      "import",
      0.1,
    ],
  ])("recognises %j", async (text, format, direction, kwh) => {
    expect((await read(text)).map((one) => [one.format, one.direction, one.kwh])).toEqual([
      [format, direction, kwh],
    ]);
  });

  it("reads two meter points of one file as two series", async () => {
    const row = (point: number, time: string, kwh: string) =>
      `${time};${time};AT007000000000000000000000000000${point};;;1-1:1.9.0 G.01;Netzbezug;${kwh};kWh;L1;Echtwert gemessen`;
    const series = await read(
      [
        "Startdatum;Enddatum;Zählpunktbezeichnung;Name der Energiegemeinschaft;ID der Energiegemeinschaft;OBIS;OBIS Kurzbeschreibung;Wert;Einheit;Qualität;Qualität Beschreibung",
        row(1, "01.11.2025 00:00", "0,1"),
        row(2, "01.11.2025 00:00", "0,5"),
        row(1, "01.11.2025 00:15", "0,2"),
        row(2, "01.11.2025 00:15", "0,6"),
      ].join("\r\n"),
    );
    expect(series.map(({ meterPoint, kwh }) => [meterPoint?.at(-1), kwh])).toEqual([
      ["1", 0.3],
      ["2", 1.1],
    ]);
  });

  it("reads the normalised form with both directions", async () => {
    const series = await read(
      "start_utc,import_kwh,export_kwh\n2026-01-01T00:00:00Z,0.5,\n2026-01-01T00:15:00Z,0.25,0.1\n",
    );
    expect(series.map((one) => [one.direction, one.kwh, one.missing])).toEqual([
      ["import", 0.75, 0],
      ["export", 0.1, 1],
    ]);
  });

  it("finds start or end labels of an unknown table from a whole day, and refuses without proof", async () => {
    const day = (offset: number) =>
      Array.from(
        { length: 96 },
        (_, i) => `${german(Date.parse("2026-06-01T22:00:00Z") + (i + offset) * STEP)};0,1`,
      );
    const table = (rows: string[]) => ["Zeitpunkt;Energie kWh", ...rows].join("\n");
    const [start] = await read(table(day(0)));
    const [end] = await read(table(day(1)));
    expect(start).toMatchObject({ format: "other", label: "start" });
    expect(end).toMatchObject({ label: "end" });
    expect([...end!.starts]).toEqual([...start!.starts]);
    expect(await faultOf(table(day(0).slice(3, 20)))).toBe("label_unknown");
  });

  it.each([
    ["empty", ""],
    ["wrong_kind", "%PDF-1.7\n"],
    ["wrong_kind", "<html><body>"],
    ["wrong_kind", '{"a":1}'],
    ["unknown_format", "name;age\nAnna;3\n"],
    ["unknown_format", "Zeit;Preis ct/kWh\n01.01.2024 00:00;12,3\n"],
    ["no_values", "Messzeitpunkt;Verbrauch (kWh);\n01.01.2024 00:15;;\n"],
    ["day_values", "Messzeitpunkt;Verbrauch (kWh);\n01.01.2024;4,1\n02.01.2024;4,2\n03.01.2024;4\n"],
    [
      "wrong_unit",
      "Datum von;Datum bis;Verbrauch in EUR;Ersatzwert\n01.01.2024 00:00;01.01.2024 00:15;0,1;\n",
    ],
    [
      "wrong_step",
      "Messzeitpunkt;Verbrauch (kWh);\n01.01.2024 00:07;1\n01.01.2024 00:14;1\n01.01.2024 00:21;1\n",
    ],
  ] as const)("refuses with %s", async (code, text) => {
    expect(await faultOf(text)).toBe(code);
  });

  it("refuses images, archives and spreadsheets that unpack to gigabytes", async () => {
    expect(await faultOf(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]))).toBe("wrong_kind");
    expect(await faultOf(Uint8Array.from([0x50, 0x4b, 3, 4, 1, 2, 3]))).toBe("unreadable_spreadsheet");
    expect(
      await faultOf(zipOf({ "a.xml": deflateRawSync(Buffer.alloc(61 * 1024 * 1024), { level: 1 }) })),
    ).toBe("too_large");
  });

  it("throws nothing but its own error for any bytes", async () => {
    const lines = fc.array(
      fc.constantFrom(
        "Messzeitpunkt;Verbrauch (kWh);",
        "Datum;Zeit von;Zeit bis;x - Verbrauch [kWh]",
        "DATE_FROM;DATE_TO;VALUE;DATE_FROM;DATE_TO;VALUE",
        "MeteringPointId;AT0070000000000000000000000000001",
        "MeterCode;1-1:1.9.0 G.01",
        "01.01.2024 00:15;1,5;;",
        "30.02.2024 24:15;-;9e999",
        '"01.01.2024 00:00";"',
        ";;;;",
        "2024-03-31T02:15:00+99:99;1",
      ),
      { maxLength: 8 },
    );
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      lines.map((rows) => bytesOf(rows.join("\n"))),
      fc.uint8Array({ maxLength: 200 }).map((tail) => Uint8Array.from([0x50, 0x4b, 3, 4, ...tail])),
      fc.uint8Array({ maxLength: 700 }).map((tail) => Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, ...tail])),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        const result = await readMeterFile(bytes, "x").catch((error: unknown) => error);
        expect(Array.isArray(result) || result instanceof MeterFileError).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it("reads 35,000 rows", async () => {
    const text = written("start", Date.parse("2025-01-01T00:00:00Z"), new Array(35_040).fill(0.25), "\n");
    const [series] = await read(text);
    expect(series).toMatchObject({ intervals: 35_040, kwh: 8760 });
  });
});
