import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { USUAL_QUARTER_KWH } from "../../../src/config/site-limits.js";
import type { EnergyStep, Interval } from "../../../src/core/domain/interval.js";
import type { MeterQuantity, MeterSeries } from "../../../src/core/domain/meter.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { billedQuarters } from "../../../src/money/bill/billed-quarters.js";
import { boundSeries } from "../../../src/money/meter/bound-series.js";
import { checkDistinct, chooseSeries } from "../../../src/money/meter/choose.js";
import { readMeterFile } from "../../../src/money/meter/read.js";
import type { MeteredSource } from "../../../src/telemetry/metered-energy.js";

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

/** The series of files as an archive holds them. */
function archiveOf(...files: readonly MeterSeries[][]): MeteredSource {
  const stored = files.flatMap((file) => chooseSeries(file, {}));
  const of = (quantity: MeterQuantity) =>
    stored.filter((one) => one.quantity === quantity).map(({ series }) => series);
  return {
    quantities: () => [...new Set(stored.map(({ quantity }) => quantity))],
    span: (_, quantity) => {
      const starts = of(quantity).flatMap((series) => [...series.starts]);
      return starts.length === 0 ? undefined : { firstMs: Math.min(...starts), lastMs: Math.max(...starts) };
    },
    energy: async (_, quantity, from, to) =>
      of(quantity).flatMap((series) =>
        [...series.starts].flatMap((ms, n): (EnergyStep & { isEstimated: boolean })[] =>
          ms < from.getTime() || ms >= to.getTime()
            ? []
            : [
                {
                  start: new Date(ms),
                  end: new Date(ms + QUARTER),
                  kwh: series.values[n]!,
                  isEstimated: false,
                },
              ],
        ),
      ),
  };
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
    expect(await totals(archiveOf(series), ...may)).toMatchObject({
      importKwh: 76.8,
      communityKwh: 9.6,
      missing: 648 * 4,
    });
  });

  it("has unpublished shares after the last one", async () => {
    const series = await read(file((ms) => ms < at("2026-05-12T22:00Z")));
    expect(await totals(archiveOf(series), ...may)).toMatchObject({ importKwh: 38.4, communityKwh: 9.6 });
  });

  it("has ended where the draw is known for longer than final shares take", async () => {
    const joined = await read(file((ms) => ms < at("2026-05-12T22:00Z")));
    const later = await read([
      "Messzeitpunkt;Verbrauch (kWh);",
      ...quarters("2026-05-14T22:00Z", "2026-06-17T22:00Z").map(
        (ms) => `${german(ms + QUARTER).join(" ")};0,200000;`,
      ),
    ]);
    const { importKwh, communityKwh, missing } = await totals(archiveOf(joined, later), ...may);
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
  expect(await totals(archiveOf(fed), "2025-06-30T22:00Z", "2025-07-31T22:00Z")).toMatchObject({
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
