import { existsSync, readFileSync } from "node:fs";
import { readdir, truncate, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MeterFileReader } from "../../src/money/meter/file-reader.js";
import { type DraftFile, ImportDrafts } from "../../src/portal/meter/drafts.js";
import { TemporaryFiles } from "../../src/store/temporary-files.js";
import { textsOf } from "../../src/texts/index.js";
import { temporaryFolder } from "../store/support/folder.js";
import { eventually } from "../support/eventually.js";
import type { Browser } from "./form-browser.js";
import { type OpenPortal, openPortal } from "./harness.js";

const sample = (name: string) =>
  new Uint8Array(readFileSync(resolve(import.meta.dirname, "../fixtures/meter", name)));

const UNKNOWN = `Mein Zaehler;;;
Tag;Uhrzeit;Bezug;Lieferung
01.07.2026;00:15;100,5;0
01.07.2026;00:30;120;0
01.07.2026;00:45;130;20
01.07.2026;01:00;90;10
`;

/** A file of the normalised form: 2026-07-01 from 00:00 UTC. */
const energy = (values: readonly number[], column = "import_kwh") =>
  [
    `start_utc,${column}`,
    ...values.map((kwh, index) => `${new Date(Date.UTC(2026, 6, 1) + index * 900_000).toISOString()},${kwh}`),
  ].join("\n");

let portal: OpenPortal;
let anna: Browser;
let siteId: string;

beforeAll(async () => {
  portal = await openPortal();
  await portal.addAccount("anna@example.org");
  await portal.addAccount("bert@example.org");
  anna = await portal.signedIn("anna@example.org");
  siteId = portal.sites.of("account-anna@example.org")[0]!.id;
  await anna.get("/meter");
});
afterAll(() => portal.close());

const draftIn = (text: string) => /name="draft" value="([^"]+)"/.exec(text)?.[1] ?? "";

describe("the page Meter data", () => {
  beforeEach(async () => {
    await anna.post("/meter/discard", { site: siteId });
    await anna.get("/meter");
  });

  it("adds up the shares of communities that are named", async () => {
    await anna.upload("/meter/upload", {
      "dorf.csv": energy([0.1, 0.2], "community_kwh"),
      "verein.csv": energy([0.3, 0.4], "community_kwh"),
    });
    const { text } = await anna.get("/meter");
    expect(text).toMatch(/name="community-1-0"/);
    await anna.post("/meter/import", {
      draft: draftIn(text),
      "use-0-0": "community",
      "community-0-0": "Dorf",
      "use-1-0": "community",
      "community-1-0": " Verein , ",
    });
    const quarters = await portal.meter.energy(
      siteId,
      "community",
      new Date("2026-07-01T00:00Z"),
      new Date("2026-07-01T01:00Z"),
    );
    expect(quarters.map(({ kwh, communities }) => [kwh, communities])).toEqual([
      [0.4, ["Dorf", "Verein"]],
      [expect.closeTo(0.6), ["Dorf", "Verein"]],
    ]);
    for (const { id } of portal.meter.list(siteId)) await anna.post("/meter/remove", { site: siteId, id });
    portal.meterChanges.length = 0;
  });

  it("shows what files hold, stores them after the confirmation and removes an import as a whole", async () => {
    const sent = await anna.upload("/meter/upload", {
      "bezug.csv": energy([0.1, 0.2, 0.3]),
      "../up/einspeisung.csv": energy([1, 2, 3], "export_kwh"),
    });
    expect(sent.location).toBe(`/meter?site=${siteId}#check`);
    const { text } = await anna.get("/meter");
    expect(text).toContain("0.600 kWh");
    expect(text).toContain("6.000 kWh");
    expect(text).toContain("<h3>einspeisung.csv</h3>");
    expect(portal.meter.list(siteId)).toEqual([]);

    const stored = await anna.post("/meter/import", {
      draft: draftIn(text),
      "use-0-0": "load",
      "use-1-0": "export",
    });
    expect(stored.status).toBe(303);
    const imports = portal.meter.list(siteId);
    expect(imports.map(({ file, series }) => [file, series[0]?.quantity, series[0]?.kwh])).toEqual([
      ["bezug.csv", "load", 0.6],
      ["einspeisung.csv", "export", 6],
    ]);
    expect(portal.meterChanges).toEqual([siteId]);
    // The draft is gone: the form sent twice stores nothing again.
    const again = await anna.post("/meter/import", { draft: draftIn(text), "use-0-0": "import" });
    expect(again.status).toBe(422);

    const listed = await anna.get(`/meter?remove=${imports[0]!.id}`);
    expect(listed.text).toContain("Remove the import of bezug.csv?");
    const bert = await portal.signedIn("bert@example.org");
    await bert.get("/meter");
    expect((await bert.post("/meter/remove", { id: imports[0]!.id })).status).toBe(404);
    expect((await bert.get("/meter")).text).not.toContain("bezug.csv");
    for (const { id } of imports) await anna.post("/meter/remove", { site: siteId, id });
    expect(portal.meter.list(siteId)).toEqual([]);
  });

  it("names what an import replaces before it is stored", async () => {
    await anna.upload("/meter/upload", { "a.csv": energy([1, 1, 1, 1]) });
    const first = await anna.get("/meter");
    await anna.post("/meter/import", { draft: draftIn(first.text), "use-0-0": "import" });
    await anna.get("/meter");
    await anna.upload("/meter/upload", { "b.csv": energy([2, 2, 2]), "a.csv": energy([1, 1, 1, 1]) });
    const { text } = await anna.get("/meter");
    const [{ id } = { id: "" }] = portal.meter.list(siteId);
    expect(text).toContain(`3 quarter-hours replace those of the import ${id}`);
    expect(text).toContain("This data was imported before; nothing changes.");
    await anna.post("/meter/remove", { site: siteId, id });
  });

  it.each([
    ["en", "x.pdf", "%PDF-1.7 something", "is a PDF document; expected: the quarter-hour export"],
    ["de", "x.pdf", "%PDF-1.7 something", "ist ein PDF-Dokument; erwartet wird der Export"],
    ["en", "x.png", "\x89PNG\r\n", "is an image; expected:"],
    ["en", "x.csv", " \n", "is empty; expected:"],
    [
      "de",
      "x.csv",
      "Datum;Verbrauch (kWh)\n01.01.2026;5,0\n02.01.2026;6,0\n",
      "enthält Tageswerte; erwartet werden Viertelstundenwerte",
    ],
    [
      "en",
      "x.csv",
      "Datum;Verbrauch (kWh)\n01.01.2026 00:10;5\n01.01.2026 00:20;6\n01.01.2026 00:30;6\n",
      "has a value every 10 minutes",
    ],
    [
      "de",
      "x.xlsx",
      `\xd0\xcf\x11\xe0${"\0".repeat(600)}${[..."EncryptedPackage"].join("\0")}\0`,
      "ist mit einem Passwort geschützt; öffnen Sie die Datei",
    ],
    ["en", "x.xlsx", `PK\x03\x04${"x".repeat(50)}`, "is a damaged spreadsheet, or another kind of archive"],
  ])("refuses in %s: %s", async (language, name, content, sentence) => {
    const bytes = Uint8Array.from(content, (character) => character.charCodeAt(0));
    expect((await anna.upload("/meter/upload", { [name]: bytes })).status).toBe(303);
    const { text } = await anna.get(`/meter?lang=${language}`);
    expect(text).toContain(`${name} ${sentence}`);
    expect(text).not.toContain('action="/meter/import"');
    expect(portal.meter.list(siteId)).toEqual([]);
    await anna.get("/meter?lang=en");
  });

  it("refuses imports that take more than 40 MB of a site, and says how much they take", async () => {
    const from = (year: number, column: string) => {
      const rows = [`${year}-01-01T00:00`, `${year}-01-01T00:15`, `${year}-01-01T00:30`, "2100-12-01T00:00"];
      return [`start_utc,${column}`, ...rows.map((start) => `${start}:00Z,1`)].join("\n");
    };
    // 111 and 71 years of months with 2,976 doubles and as many bytes.
    const long = { "a.csv": from(1990, "import_kwh"), "b.csv": from(2030, "export_kwh") };
    await anna.upload("/meter/upload", { ...long, "short.csv": energy([1]) });
    const draft = draftIn((await anna.get("/meter")).text);
    const refused = await anna.post("/meter/import", { draft, "use-0-0": "import", "use-1-0": "export" });
    expect(refused.text).toContain(textsOf("en").meterPage.check.tooManyBytes(40));
    expect(portal.meter.list(siteId)).toEqual([]);
    await anna.post("/meter/import", { draft, "use-2-0": "import" });
    expect((await anna.get("/meter")).text).toContain("The imports of this site take 0.0 of 40 MB.");
    expect(portal.meter.bytes(siteId)).toBe(2976 * 9);
    for (const { id } of portal.meter.list(siteId)) await anna.post("/meter/remove", { site: siteId, id });
  });

  it("points out a file of different years", async () => {
    const years =
      "start_utc,import_kwh\n2023-05-01T00:00:00Z,1\n2023-05-01T00:15:00Z,1\n2025-05-01T00:00:00Z,1\n";
    await anna.upload("/meter/upload", { "years.csv": years });
    const { text } = await anna.get("/meter");
    expect(text).toContain("There are no values between 2023-05-01 and 2025-05-01: check whether");
  });

  it("lets the user choose one of several meters and refuses two for one quantity", async () => {
    await anna.upload("/meter/upload", { "eda.xlsx": sample("synthetic-eda-portal.xlsx") });
    const { text } = await anna.get("/meter");
    const fields = [...text.matchAll(/name="(use-0-\d+)"/g)].map(([, name]) => [name!, "import"]);
    expect(fields.length).toBeGreaterThan(1);
    const form = { draft: draftIn(text), ...Object.fromEntries(fields) };
    const refused = await anna.post("/meter/import", form);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(textsOf("en").meterPage.check.twice("eda.xlsx", "grid import"));
    const none = await anna.post("/meter/import", { draft: draftIn(text) });
    expect(none.text).toContain("Choose at least one series to import.");
    expect(portal.meter.list(siteId)).toEqual([]);
  });

  it("reads an unknown format with the columns that the user names", async () => {
    await anna.upload("/meter/upload", { "own.csv": UNKNOWN });
    const { text } = await anna.get("/meter");
    expect(text).toContain("own.csv has an unknown format");
    expect(text).toMatch(/<option value="2" selected>Column 2: Uhrzeit<\/option>/);
    const columns = { draft: draftIn(text), file: "0", time: "1", clock: "2", unit: "Wh", label: "end" };
    const refused = await anna.post("/meter/columns", { ...columns, "column-import": "1" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Choose a different column for each quantity, and at least one.");
    const again = await anna.post("/meter/columns", {
      ...columns,
      "column-import": "3",
      "column-export": "4",
    });
    expect(again.status).toBe(303);
    const read = await anna.get("/meter");
    expect(read.text).toContain("0.441 kWh");
    expect(read.text).toContain("0.030 kWh");
    await anna.post("/meter/import", { draft: draftIn(read.text), "use-0-0": "import", "use-0-1": "export" });
    const [stored] = portal.meter.list(siteId);
    expect(stored?.series.map(({ firstStart, kwh }) => [firstStart, kwh])).toEqual([
      ["2026-06-30T22:00:00.000Z", 0.4405],
      ["2026-06-30T22:00:00.000Z", 0.03],
    ]);
    await anna.post("/meter/remove", { site: siteId, id: stored!.id });
  });

  it("limits the number of files, and discards all of a refused upload", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [`${index}.csv`, energy([index])]),
    );
    const refused = await anna.upload("/meter/upload", many);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("More than 10 files are waiting for confirmation");
    expect(refused.text).not.toContain('action="/meter/import"');
  });

  it("refuses a form from elsewhere and one without the token", async () => {
    const body = () => {
      const form = new FormData();
      form.append("files", new Blob([energy([1])]), "a.csv");
      return form;
    };
    expect((await anna.send("/meter/upload", { method: "POST", body: body() })).status).toBe(403);
    const headers = { "sec-fetch-site": "cross-site" };
    expect((await anna.send("/meter/upload", { method: "POST", body: body(), headers })).status).toBe(403);
    const nobody = portal.browser();
    await nobody.get("/login");
    expect((await nobody.upload("/meter/upload", { "a.csv": energy([1]) })).location).toBe(
      "/login?next=%2Fmeter",
    );
  });

  it("refuses a gigabyte before it is received", async () => {
    const cookie = [...anna.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const status = await new Promise<number | undefined>((done, fail) => {
      const sending = request(`${portal.url}/meter/upload`, {
        method: "POST",
        headers: {
          cookie,
          accept: "text/html",
          "content-type": "multipart/form-data; boundary=x",
          "content-length": 2 ** 30,
        },
      });
      sending.on("response", (response) => {
        done(response.statusCode);
        sending.destroy();
      });
      sending.on("error", fail);
      sending.write("--x\r\n");
    });
    expect(status).toBe(413);
  });
});

it("reads files in a process, without blocking the event loop, and ends with the gateway", async () => {
  const folder = await temporaryFolder();
  const reader = new MeterFileReader();
  const task = (name: string) => ({
    path: resolve(import.meta.dirname, "../fixtures/meter", name),
    file: name,
    valuesPath: join(folder, `${name}.values`),
    mostQuarterKwh: Number.POSITIVE_INFINITY,
  });
  const reading = await reader.read(task("netz-ooe-2023.xls"), "owner");
  expect("series" in reading && reading.series[0]).toMatchObject({
    operator: "Netz Oberösterreich",
    unit: "kWh",
  });
  const interrupted = reader.read(task("eww-wels-2024.xlsx"), "owner");
  await reader.stop();
  expect(await interrupted).toEqual({ fault: { code: "too_slow" } });
});

describe("files that wait for their confirmation", () => {
  /** A draft file whose values take the bytes. */
  const heldFile = async (
    files: TemporaryFiles,
    bytes: number,
  ): Promise<DraftFile & { valuesPath: string }> => {
    const valuesPath = await files.newPath();
    await writeFile(valuesPath, "");
    await truncate(valuesPath, bytes);
    return { name: "a.csv", reading: { series: [] }, valuesPath };
  };

  it("are on disk, and removed when they are not confirmed in time", async () => {
    const folder = await temporaryFolder();
    const files = new TemporaryFiles(folder);
    const drafts = new ImportDrafts(files, 20);
    const one = await heldFile(files, 10);
    await drafts.add("a", [one]);
    expect(drafts.get("a")?.files).toHaveLength(1);
    expect(await readdir(folder)).toEqual([basename(one.valuesPath)]);
    await eventually(() => expect(drafts.get("a")).toBeUndefined());
    await eventually(async () => expect(await readdir(folder)).toEqual([]));
  });

  it("take at most 60 MB of an account, and 240 MB of all", async () => {
    const files = new TemporaryFiles(await temporaryFolder());
    const drafts = new ImportDrafts(files);
    const half = 30 * 1024 * 1024;
    await drafts.add("a", [await heldFile(files, half), await heldFile(files, half)]);
    const more = await heldFile(files, 1);
    await expect(drafts.add("a", [more])).rejects.toMatchObject({ reason: "too_large" });
    expect(existsSync(more.valuesPath)).toBe(false);
    expect(drafts.get("a")?.files).toHaveLength(2);
    for (const account of ["b", "c", "d"]) await drafts.add(account, [await heldFile(files, 2 * half)]);
    await expect(drafts.add("e", [await heldFile(files, 1)])).rejects.toMatchObject({ reason: "busy" });
    await drafts.stop();
  });
});
