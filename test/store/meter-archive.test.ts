import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { MeterQuantity } from "../../src/core/domain/meter.js";
import { readMeterFile } from "../../src/money/meter/read.js";
import { LevelSeries } from "../../src/store/level-series.js";
import { MeterArchive, type StoredSeries } from "../../src/store/meter-archive.js";
import { temporaryFolder } from "./support/folder.js";

const NOW = new Date("2026-07-01T12:00:00Z");
const at = (hour: number) => new Date(Date.UTC(2026, 4, 31, 20 + hour));

async function archiveIn(folder: string) {
  const database = await LevelSeries.open(join(folder, "series"));
  return { archive: await MeterArchive.open(database), close: () => database.close() };
}

async function opened() {
  const { archive, close } = await archiveIn(await temporaryFolder());
  onTestFinished(close);
  return archive;
}

/** Hours of quarter-hours with one value, across the end of a month. */
async function file(fromHour: number, hours: number, kwh: number, quantity: MeterQuantity = "import") {
  const rows = Array.from({ length: hours * 4 }, (_, quarter) => {
    const start = new Date(at(fromHour).getTime() + quarter * 900_000);
    return `${start.toISOString()},${kwh}`;
  });
  const text = ["start_utc,import_kwh", ...rows].join("\n");
  const series = await readMeterFile(new TextEncoder().encode(text), "meter.csv");
  return series.map((one): StoredSeries => ({ ...one, quantity }));
}

const hourly = async (archive: MeterArchive, hours = 8, quantity: MeterQuantity = "import") =>
  Promise.all(
    Array.from({ length: hours }, async (_, hour) => {
      const energy = await archive.energy("home", quantity, at(hour), at(hour + 1));
      return energy.length === 0 ? null : energy.reduce((sum, { kwh }) => sum + kwh, 0);
    }),
  );

it("reads the later of overlapping imports, and the earlier one again after its removal", async () => {
  const archive = await opened();
  const [first] = await archive.add("home", [await file(0, 6, 0.25)], NOW);
  const [second] = await archive.add("home", [await file(4, 3, 0.5)], NOW);
  expect(first!.warnings).toEqual([[]]);
  expect(second!.warnings).toEqual([[{ code: "overlaps", id: first!.import.id, count: 8 }]]);
  expect(await hourly(archive)).toEqual([1, 1, 1, 1, 2, 2, 2, null]);
  expect(await hourly(archive, 1, "export")).toEqual([null]);
  expect(await archive.remove(second!.import.id)).toMatchObject({ id: second!.import.id, siteId: "home" });
  expect(await hourly(archive)).toEqual([1, 1, 1, 1, 1, 1, null, null]);
  expect(await archive.remove(second!.import.id)).toBeUndefined();
});

it("says that a file replaces another one of the same request", async () => {
  const archive = await opened();
  const [first, second] = await archive.add("home", [await file(0, 2, 0.25), await file(1, 3, 0.5)], NOW);
  expect(second!.warnings).toEqual([[{ code: "overlaps", id: first!.import.id, count: 4 }]]);
  expect(await hourly(archive, 4)).toEqual([1, 2, 2, 2]);
});

it("changes nothing when a file is imported again, also below a later import", async () => {
  const archive = await opened();
  const [first] = await archive.add("home", [await file(0, 2, 0.25)], NOW);
  await archive.add("home", [await file(0, 2, 0.5)], NOW);
  const [again] = await archive.add("home", [await file(0, 2, 0.25)], NOW);
  expect(again).toEqual({ import: first!.import, warnings: [[{ code: "already_imported" }]] });
  expect(archive.list("home")).toHaveLength(2);
  expect(await hourly(archive, 2)).toEqual([2, 2]);
});

it("keeps sites and quantities apart, and its imports over a restart", async () => {
  const folder = await temporaryFolder();
  const before = await archiveIn(folder);
  await before.archive.add("home", [await file(0, 2, 0.25), await file(0, 1, 0.1, "export")], NOW);
  await before.archive.add("other", [await file(0, 2, 9)], NOW);
  await before.close();
  const after = await archiveIn(folder);
  onTestFinished(after.close);
  expect(after.archive.list().map(({ siteId }) => siteId)).toEqual(["home", "home", "other"]);
  expect(after.archive.quantities("home")).toEqual(["import", "export"]);
  expect(await hourly(after.archive, 2)).toEqual([1, 1]);
  await after.archive.removeSites(["home"]);
  expect(after.archive.list().map(({ siteId }) => siteId)).toEqual(["other"]);
  expect(await hourly(after.archive, 1)).toEqual([null]);
});

it("spreads hourly values over their quarter-hours", async () => {
  const archive = await opened();
  const text = "start_utc,import_kwh\n2026-05-31T20:00:00Z,1\n2026-05-31T21:00:00Z,2\n";
  const [hourlySeries] = await readMeterFile(new TextEncoder().encode(text), "h.csv");
  await archive.add("home", [[{ ...hourlySeries!, quantity: "import" }]], NOW);
  const energy = await archive.energy("home", "import", at(0), at(2));
  expect(energy.map(({ kwh }) => kwh)).toEqual([0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5]);
});

it("lets other work go on between the series of a large import", async () => {
  const archive = await opened();
  const count = 100_000;
  const yearMs = (year: number) => Date.UTC(year, 0);
  const large = (quantity: MeterQuantity, from: number): StoredSeries => ({
    ...({ file: "a.csv", operator: "", format: "", meterPoint: undefined, direction: "import" } as const),
    ...({ isDelivered: false, unit: "kWh", label: "start", stepMinutes: 15, intervals: count } as const),
    ...{
      communities: [],
      kwh: count,
      missing: 0,
      estimated: 0,
      doubled: 0,
      dropped: 0,
      warnings: [],
      quantity,
    },
    starts: Float64Array.from({ length: count }, (_, at) => yearMs(from) + at * 900_000),
    values: new Float64Array(count).fill(1),
    estimates: new Uint8Array(count),
  });
  const quantities = ["import", "export", "load"] as const;
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const [added] = await archive.add("home", [quantities.map((one) => large(one, 2020))], NOW);
  clearInterval(counting);
  expect(turns).toBeGreaterThanOrEqual(quantities.length);
  expect(added!.import.series.map(({ kwh }) => kwh)).toEqual([count, count, count]);
  const [again] = await archive.add("home", [[large("import", 2021)]], NOW);
  // Until the end of the first import, of which 2020 is a leap year.
  expect(again!.warnings).toEqual([[{ code: "overlaps", id: added!.import.id, count: count - 366 * 96 }]]);
});
