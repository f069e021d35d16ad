import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { USUAL_QUARTER_KWH } from "../../../src/config/site-limits.js";
import type { Interval } from "../../../src/core/domain/interval.js";
import type { MeterSeries } from "../../../src/core/domain/meter.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { billedQuarters } from "../../../src/money/bill/billed-quarters.js";
import { boundSeries } from "../../../src/money/meter/bound-series.js";
import { checkDistinct, chooseSeries, type MeterChoice } from "../../../src/money/meter/choose.js";
import { readMeterFile, seriesOfTables } from "../../../src/money/meter/read.js";
import { readUploadedFile } from "../../../src/money/meter/read-uploaded.js";
import { LevelSeries } from "../../../src/store/level-series.js";
import { MeterArchive } from "../../../src/store/meter-archive.js";
import type { MeteredSource } from "../../../src/telemetry/metered-energy.js";
import { temporaryFolder } from "../../store/support/folder.js";

const QUARTER = 900_000;
const pad = (value: number) => String(value).padStart(2, "0");
const at = (time: string) => Date.parse(time);
const german = (ms: number) => {
  const { year, month, day, hour, minute } = localTime(new Date(ms), VIENNA);
  return [`${pad(day)}.${pad(month)}.${year}`, `${pad(hour)}:${pad(minute)}`] as const;
};
const quarters = (from: string, to: string) => {
  const starts: number[] = [];
  for (let ms = at(from); ms < at(to); ms += QUARTER) starts.push(ms);
  return starts;
};
const read = (lines: readonly string[], encoding: "utf8" | "latin1" = "utf8") =>
  readMeterFile(Buffer.from(lines.join("\r\n"), encoding), "export.csv");
const summary = (series: readonly MeterSeries[]) =>
  series.map(({ direction, isDelivered, intervals, kwh, missing }) => [
    isDelivered ? "delivered" : direction,
    intervals,
    kwh,
    missing,
  ]);

/** An archive with files in the order of their imports. */
async function archiveOf(...files: readonly MeterSeries[][]): Promise<MeterArchive> {
  const database = await LevelSeries.open(join(await temporaryFolder(), "series"));
  onTestFinished(() => database.close());
  const archive = await MeterArchive.open(database);
  for (const file of files) await imported(archive, file);
  return archive;
}

async function imported(archive: MeterArchive, file: readonly MeterSeries[], choice: MeterChoice = {}) {
  const chosen = chooseSeries(file, choice);
  checkDistinct(chosen);
  const series = chosen.map((one) => ({ ...one.series, quantity: one.quantity }));
  const [added] = await archive.add("home", [series], new Date("2026-07-20T00:00:00Z"));
  return added!.warnings.flat().map(({ code }) => code);
}

async function totals(meter: MeteredSource, from: string, to: string) {
  const stretch: Interval = { start: new Date(from), end: new Date(to) };
  const site = { id: "home", plant: defaultSettings().plants[0]! };
  const all = await billedQuarters({ meter, samples: { range: async () => [] } }, site, stretch);
  const sum = (of: (quarter: (typeof all)[number]) => number | undefined) =>
    Math.round(all.reduce((kwh, quarter) => kwh + (of(quarter) ?? 0), 0) * 1e6) / 1e6;
  return {
    importKwh: sum(({ importKwh }) => importKwh),
    communityKwh: sum(({ communityKwh }) => communityKwh),
    exportKwh: sum(({ exportKwh }) => exportKwh),
    communityExportKwh: sum(({ communityExportKwh }) => communityExportKwh),
    missing: all.filter(({ importKwh }) => importKwh === undefined).length,
  };
}

// https://github.com/DarwinsBuddy/WienerNetzeSmartmeter/issues/339
describe("an impossible quarter-hour", () => {
  const file = [
    "\uFEFFDatum;Zeit von;Zeit bis;Verbrauch [kWh];",
    ...quarters("2026-03-21T23:00Z", "2026-03-24T23:00Z").map((ms) => {
      const [date, time] = german(ms);
      const kwh = ms === at("2026-03-22T23:00Z") ? "23.944,275" : "0,125";
      return `${date};${time}:00;${german(ms + QUARTER)[1]}:00;${kwh};`;
    }),
  ];

  it("counts as missing and is named with its value", async () => {
    const [series] = await read(file);
    expect(boundSeries(series!, USUAL_QUARTER_KWH)).toMatchObject({
      kwh: 35.875,
      intervals: 287,
      missing: 1,
      warnings: [{ code: "impossible", count: 1, start: "2026-03-22T23:00:00.000Z", kwh: 23_944.275 }],
    });
    expect(boundSeries(series!, 30_000)).toBe(series);
  });

  it("is left out of an upload too, and a file of nothing else is named and never used", async () => {
    const folder = await temporaryFolder();
    const upload = async (text: string) => {
      const path = join(folder, `upload-${text.length}`);
      await writeFile(path, text);
      const valuesPath = `${path}.values`;
      return readUploadedFile({ path, file: "verbrauch.csv", valuesPath, mostQuarterKwh: USUAL_QUARTER_KWH });
    };
    expect(await upload(file.join("\n"))).toMatchObject({
      series: [{ intervals: 287, kwh: 35.875, missing: 1, warnings: [{ code: "impossible", count: 1 }] }],
    });
    const wattHours = file.map((row) => row.replace(/;[\d.,]+;$/, ";125;"));
    expect(await upload(wattHours.join("\n"))).toMatchObject({
      series: [{ warnings: [{ code: "impossible", count: 288, kwh: 125 }] }],
    });
    const archive = await archiveOf(await read(wattHours));
    archive.mostQuarterKwh = () => USUAL_QUARTER_KWH;
    expect(await totals(archive, "2026-03-21T23:00Z", "2026-03-24T23:00Z")).toMatchObject({
      importKwh: 0,
      missing: 288,
    });
  });
});

// https://github.com/awattar-backtesting/awattar-backtesting.github.io/issues/65
describe("a membership that begins within a month", () => {
  const file = (shares: (ms: number) => boolean) => [
    "Messzeitpunkt;Verbrauch (kWh);Qualität;Restnetzbezug (kWh);Qualität EG;Eigendeckung (kWh);Ideeller Anteil (kWh);Eigendeckung erneuerb. Energie (kWh);Eigendeckung (kWh) 00000000999;",
    ...quarters("2026-05-10T22:00Z", "2026-05-14T22:00Z").map((ms) => {
      const own = shares(ms) ? "0,150000;L1;0,050000;0,050000;0,050000;0,050000" : ";;;;;";
      return `${german(ms + QUARTER).join(" ")};0,200000;L1;${own};`;
    }),
  ];
  const may = ["2026-04-30T22:00Z", "2026-05-31T22:00Z"] as const;

  it("has no share before it, and nothing is missing", async () => {
    const series = await read(file((ms) => ms >= at("2026-05-12T22:00Z")));
    expect(await totals(await archiveOf(series), ...may)).toMatchObject({
      importKwh: 76.8,
      communityKwh: 9.6,
      missing: 648 * 4,
    });
  });

  it("has unpublished shares after the last one", async () => {
    const series = await read(file((ms) => ms < at("2026-05-12T22:00Z")));
    expect(await totals(await archiveOf(series), ...may)).toMatchObject({
      importKwh: 38.4,
      communityKwh: 9.6,
    });
  });

  it("has ended where the draw is known for longer than final shares take", async () => {
    const joined = await read(file((ms) => ms < at("2026-05-12T22:00Z")));
    const later = await read([
      "Messzeitpunkt;Verbrauch (kWh);",
      ...quarters("2026-05-14T22:00Z", "2026-06-17T22:00Z").map(
        (ms) => `${german(ms + QUARTER).join(" ")};0,200000;`,
      ),
    ]);
    const { importKwh, communityKwh, missing } = await totals(await archiveOf(joined, later), ...may);
    expect([importKwh, communityKwh, missing]).toEqual([403.2, 9.6, 10 * 96]);
  });
});

// The sample of a producer's file in https://github.com/Bleialf/EGOptimizer: Einspeisung = Gemeinschaftsüberschuss + Eigendeckung Teilnehmer.
it("counts what a producer feeds in once", async () => {
  const fed = await read([
    "Messzeitpunkt;Einspeisung (kWh);Qualität;Gemeinschaftsüberschuss (kWh);Qualität EG;Eigendeckung Teilnehmer (kWh);Eigendeckung Teilnehmer (kWh) 00000000999;",
    ...quarters("2025-06-30T22:00Z", "2025-07-03T22:00Z").map((ms) => {
      const { hour } = localTime(new Date(ms), VIENNA);
      const cells = hour >= 10 && hour < 14 ? "0,4;L1;0,1;L1;0,3;0,3" : "0,0;L1;0,0;L1;0,0;0,0";
      return `${german(ms + QUARTER).join(" ")};${cells};`;
    }),
  ]);
  expect(await totals(await archiveOf(fed), "2025-06-30T22:00Z", "2025-07-31T22:00Z")).toMatchObject({
    exportKwh: 19.2,
    communityExportKwh: 14.4,
  });
});

// E-Control, "Nutzung des Tarifkalkulators mit Smart Meter": the format of load profiles.
it("reads a unit in a column of its own, in any order of rows", async () => {
  const starts = quarters("2025-10-24T22:00Z", "2025-10-27T23:00Z");
  const label = (ms: number) => {
    const offset = ms > at("2025-10-26T00:59Z") ? 1 : 2;
    return `${new Date(ms + offset * 3_600_000).toISOString().slice(0, 16)}+0${offset}:00`;
  };
  const rows = starts.map((ms, n) => `${label(ms + QUARTER)};QH;KWH;0,${pad(5 + (n % 7))}000`);
  const header = "Ende Ablesezeitraum;Messintervall;Abrechnungsmaßeinheit;Verbrauch";
  const [series] = await read([header, ...rows], "latin1");
  expect(series).toMatchObject({ direction: "import", intervals: 292, kwh: 23.31, missing: 0, doubled: 0 });
  expect([...series!.starts]).toEqual(starts);
  const [reversed] = await read([header, ...rows.reverse()], "latin1");
  expect(reversed!.values).toEqual(series!.values);
  const [other] = await read([
    "Zeitpunkt;Menge;Einheit",
    ...quarters("2026-05-10T22:00Z", "2026-05-11T22:00Z").map((ms) => `${german(ms).join(" ")};250;Wh`),
  ]);
  expect(other).toMatchObject({ format: "other", unit: "Wh", kwh: 24 });
});

it("reads times without offset in UTC where the column says so", async () => {
  const [series] = await read(["start_utc,import_kwh", "2026-05-10T00:00:00,0.1", "2026-05-10T00:15:00,0.1"]);
  expect([...series!.starts]).toEqual([at("2026-05-10T00:00Z"), at("2026-05-10T00:15Z")]);
});

it("reads local times of an autumn day from the last to the first row", async () => {
  const starts = quarters("2025-10-25T20:00Z", "2025-10-26T03:00Z");
  const rows = starts.map(
    (ms, n) => `${german(ms).join(" ")};${german(ms + QUARTER).join(" ")};0,${100 + n}`,
  );
  const header = "Beginn der Messreihe;Ende der Messreihe;Messwert in kWh";
  const [forwards] = await read([header, ...rows]);
  const [backwards] = await read([header, ...rows.reverse()]);
  expect([...forwards!.starts]).toEqual(starts);
  expect([backwards!.starts, backwards!.values]).toEqual([forwards!.starts, forwards!.values]);
});

// https://github.com/OpenEnergyDashboard/OED/issues/370
it("reads end times from the newest to the oldest row", async () => {
  const starts = quarters("2026-05-10T22:00Z", "2026-05-11T22:00Z");
  const rows = starts.map((ms, n) => `${german(ms + QUARTER).join(" ")};0,${100 + n};`);
  const [series] = await read(["Messzeitpunkt;Verbrauch (kWh);", ...rows.reverse()]);
  expect([...series!.starts]).toEqual(starts);
  expect([series!.values[0], series!.values[95]]).toEqual([0.1, 0.195]);
});

// https://github.com/hoizi89/pv_management/issues/4
it("takes Wh for kWh in no row whose unit says otherwise, and refuses a unit that it does not know", async () => {
  const rowsOf = (unit: string) =>
    quarters("2026-05-10T22:00Z", "2026-05-11T22:00Z").map((ms) => `${german(ms).join(" ")};250;${unit}`);
  const header = "Zeitpunkt;Energie;Einheit";
  expect((await read([header, ...rowsOf("Wh")]))[0]).toMatchObject({ unit: "Wh", kwh: 24 });
  await expect(read([header, ...rowsOf("EUR")])).rejects.toThrow("energy in kWh is expected");
});

// https://github.com/DarwinsBuddy/WienerNetzeSmartmeter/issues/253
it("does not add up files of one meter point from two contracts", async () => {
  const file = (kwh: string) => [
    "Messzeitpunkt;Verbrauch (kWh);",
    ...quarters("2026-05-10T22:00Z", "2026-05-11T22:00Z").map(
      (ms) => `${german(ms + QUARTER).join(" ")};${kwh};`,
    ),
  ];
  const archive = await archiveOf(await read(file("0,2")));
  expect(await imported(archive, await read(file("0,3")))).toEqual(["overlaps"]);
  expect(await totals(archive, "2026-05-10T22:00Z", "2026-05-11T22:00Z")).toMatchObject({ importKwh: 28.8 });
});

// https://energiegemeinschaften.gv.at/mehrfachteilnahme/, layout: https://github.com/awattar-backtesting/awattar-backtesting.github.io/issues/69
describe("two communities at one meter point", () => {
  const row = (ms: number, community: string, code: string, kwh: string) =>
    `${german(ms).join(" ")};${german(ms + QUARTER).join(" ")};AT0070000000000000000000000012345;Gemeinschaft ${community};${community};${code};x;${kwh};kWh;L1;Echtwert gemessen`;
  const header =
    "Startdatum;Enddatum;Zählpunktbezeichnung;Name der Energiegemeinschaft;ID der Energiegemeinschaft;OBIS;OBIS Kurzbeschreibung;Wert;Einheit;Qualität;Qualität Beschreibung";
  const file = (isRepeated: boolean) => [
    header,
    ...quarters("2026-05-10T22:00Z", "2026-05-12T22:00Z").flatMap((ms) => [
      ...(isRepeated ? ["A", "B"] : [""]).map((one) => row(ms, one, "1-1:1.9.0 G.01", "0,2")),
      row(ms, "A", "1-1:2.9.0 G.03", "0,05"),
      row(ms, "B", "1-1:2.9.0 G.03", "0,03"),
    ]),
  ];

  it.each([false, true])("add up their shares; the draw is one value (repeated: %s)", async (isRepeated) => {
    const series = await read(file(isRepeated));
    expect(summary(series)).toEqual([
      ["import", 192, 38.4, 0],
      ["community", 192, 15.36, 0],
    ]);
    checkDistinct(chooseSeries(series, {}));
  });
});

/** A report of the EDA user portal for 11 and 12 May 2026: the columns of one meter point by their descriptions. */
async function report(
  file: string,
  direction: "CONSUMPTION" | "GENERATION",
  columns: Readonly<Record<string, number | ((ms: number) => number | undefined)>>,
) {
  const codes = Object.keys(columns).flatMap((code) => [`${code} [KWH]`, "MM"]);
  const all = (text: string) => codes.map((_, index) => (index % 2 === 0 ? text : "MM"));
  const rows = quarters("2026-05-10T22:00Z", "2026-05-12T22:00Z").map((ms) => [
    german(ms).join(" "),
    ...Object.values(columns).flatMap((kwh) => [typeof kwh === "number" ? kwh : kwh(ms), "L1"]),
  ]);
  const table = [
    ["MeteringPointId", ...all("AT0070000000000000000000000000001")],
    ["Energydirection", ...all(direction)],
    ["MeterCode", ...codes],
    ...rows,
  ];
  return seriesOfTables([table], file);
}

const TWO_DAYS = ["2026-05-10T22:00Z", "2026-05-12T22:00Z"] as const;
const DRAW = "Gesamtverbrauch lt. Messung (bei Teilnahme gem. Erzeugung)";
const SHARE = "Eigendeckung gemeinschaftliche Erzeugung";

// https://energiegemeinschaften.gv.at/mehrfachteilnahme/
describe("reports of two communities for one time", () => {
  const member = (file: string, share: number | ((ms: number) => number | undefined)) =>
    report(file, "CONSUMPTION", { [DRAW]: 0.2, [SHARE]: share });

  it("add up, and a report of the same community replaces the one before", async () => {
    const archive = await archiveOf(await member("RC100001_20260511T00_20260512T23_45.xlsx", 0.05));
    const second = await imported(archive, await member("RC100002_20260511T00_20260512T23_45.xlsx", 0.03));
    expect(second).toEqual(["overlaps", "adds", "overlaps"]);
    expect(await totals(archive, ...TWO_DAYS)).toMatchObject({ importKwh: 38.4, communityKwh: 15.36 });
    const corrected = await imported(archive, await member("RC100001_20260511T00_20260512T23_45.xlsx", 0.04));
    expect(new Set(corrected)).toEqual(new Set(["overlaps", "adds"]));
    expect(await totals(archive, ...TWO_DAYS)).toMatchObject({ importKwh: 38.4, communityKwh: 13.44 });
  });

  it("leave the draw unknown while one of them is not published", async () => {
    const firstDay = (ms: number) => (ms < at("2026-05-11T22:00Z") ? 0.03 : undefined);
    const archive = await archiveOf(
      await member("RC100001_a.xlsx", 0.05),
      await member("RC100002_a.xlsx", firstDay),
    );
    expect(await totals(archive, ...TWO_DAYS)).toEqual({
      importKwh: 19.2,
      communityKwh: 7.68,
      exportKwh: 0,
      communityExportKwh: 0,
      missing: 96,
    });
  });

  it("replace each other where the files do not name them, which is said, unless they are named", async () => {
    const archive = await archiveOf(await member("first.xlsx", 0.05));
    const other = await member("second.xlsx", 0.03);
    expect(await imported(archive, other)).toContain("replaces_share");
    expect(await totals(archive, ...TWO_DAYS)).toMatchObject({ communityKwh: 5.76 });
    const named = await archiveOf();
    await imported(named, await member("first.xlsx", 0.05), { community: "village" });
    expect(await imported(named, other, { community: "solar club" })).toContain("adds");
    expect(await totals(named, ...TWO_DAYS)).toMatchObject({ importKwh: 38.4, communityKwh: 15.36 });
    // The name of a folder says nothing.
    expect((await member("/home/RC100009/first.xlsx", 0.05)).map(({ communities }) => communities)).toEqual([
      [],
      [],
      [],
    ]);
  });

  it("count what a producer feeds in once", async () => {
    const producer = (file: string, left: number) =>
      report(file, "GENERATION", {
        "Gesamte gemeinschaftliche Erzeugung": 0.4,
        "Erzeugung lt. Messung entsprechend dem Teilnahmefaktor und EC-ID": 0.2,
        "Restüberschuss bei EG und je ZP": left,
      });
    const archive = await archiveOf(
      await producer("RC100001_p.xlsx", 0.05),
      await producer("CC200002_p.xlsx", 0.1),
    );
    // 0.4 kWh, of which 0.15 and 0.1 were delivered.
    expect(await totals(archive, ...TWO_DAYS)).toMatchObject({ exportKwh: 76.8, communityExportKwh: 48 });
  });
});

// Restnetzbezug + Eigendeckung = Verbrauch: https://github.com/DarwinsBuddy/WienerNetzeSmartmeter/issues/363
describe("totals and parts of a file", () => {
  const columns =
    "Messzeitpunkt;Verbrauch (kWh);Restnetzbezug (kWh);Eigendeckung (kWh);Eigendeckung (kWh) 00000000001;Eigendeckung (kWh) 00000000002;";
  const rowsOf = (row: (ms: number) => string) =>
    quarters(...TWO_DAYS).map((ms) => `${german(ms + QUARTER).join(" ")};${row(ms)};`);

  it("are compared for a member of two communities", async () => {
    const series = await read([columns, ...rowsOf(() => "0,2;0,12;0,08;0,05;0,03")]);
    expect(summary(series)).toEqual([
      ["import", 192, 38.4, 0],
      ["residual", 192, 23.04, 0],
      ["community", 192, 15.36, 0],
    ]);
    expect(series.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(series[2]!.communities).toEqual(["00000000001", "00000000002"]);
    const wrong = await read([
      columns,
      ...rowsOf((ms) =>
        ms === at("2026-05-11T10:00Z") ? "0,2;0,1;0,08;0,05;0,05" : "0,2;0,12;0,08;0,05;0,03",
      ),
    ]);
    expect(wrong[0]!.warnings).toEqual([{ code: "parts_differ", count: 2 }]);
  });

  it("are compared for a producer", async () => {
    const header =
      "Messzeitpunkt;Einspeisung (kWh);Gemeinschaftsüberschuss (kWh);Eigendeckung Teilnehmer (kWh);";
    const fed = await read([header, ...rowsOf(() => "0,4;0,1;0,3")]);
    expect(summary(fed)).toEqual([
      ["export", 192, 19.2, 0],
      ["delivered", 192, 57.6, 0],
    ]);
    expect(fed[0]!.warnings).toEqual([]);
    const wrong = await read([header, ...rowsOf(() => "0,4;0,4;0,3")]);
    expect(wrong[0]!.warnings).toEqual([{ code: "parts_differ", count: 192 }]);
  });

  it("of a membership that ends while another one begins leave nothing missing", async () => {
    const row = (ms: number, community: string, code: string, kwh: string) =>
      `${german(ms).join(" ")};${german(ms + QUARTER).join(" ")};AT0070000000000000000000000012345;x;${community};${code};x;${kwh};kWh;L1;x`;
    const series = await read([
      "Startdatum;Enddatum;Zählpunktbezeichnung;Name der Energiegemeinschaft;ID der Energiegemeinschaft;OBIS;OBIS Kurzbeschreibung;Wert;Einheit;Qualität;Qualität Beschreibung",
      ...quarters(...TWO_DAYS).flatMap((ms) => [
        row(ms, "", "1-1:1.9.0 G.01", "0,2"),
        ms < at("2026-05-11T22:00Z")
          ? row(ms, "A", "1-1:2.9.0 G.03", "0,05")
          : row(ms, "B", "1-1:2.9.0 G.03", "0,03"),
      ]),
    ]);
    expect(series[1]!.communities).toEqual(["A", "B"]);
    expect(await totals(await archiveOf(series), ...TWO_DAYS)).toMatchObject({
      importKwh: 38.4,
      communityKwh: 7.68,
      missing: 0,
    });
  });
});
