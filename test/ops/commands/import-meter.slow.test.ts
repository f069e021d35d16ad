import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { AdminServer } from "../../../src/ops/admin/server.js";
import { openStore } from "../../../src/store/store.js";
import { people } from "../../accounts/people.js";
import { buildProgram } from "../../support/built-programs.js";
import { runCommand } from "../../support/run-command.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-meter-"));
afterAll(() => rmSync(folder, { recursive: true }));
const data = join(folder, "data");
const config = join(folder, "hourgate.yaml");
writeFileSync(config, `data_dir: ${data}\nmarket: { sources: [] }\n`);
const fixture = (name: string) => resolve(import.meta.dirname, "../../fixtures/meter", name);
const pdf = join(folder, "invoice.pdf");
writeFileSync(pdf, "%PDF-1.7\n");

async function run(...typed: string[]) {
  return runCommand(["import", ...typed, "--config", config]);
}
const json = async (...typed: string[]) => JSON.parse((await run(...typed, "--json")).out);

it("shows what files hold without storing anything", async () => {
  const [kaernten] = await json("meter", fixture("kaernten-netz-2024.csv"), "--dry-run");
  expect(kaernten).toEqual({
    file: fixture("kaernten-netz-2024.csv"),
    operator: "Kärnten Netz",
    format: "kaernten-netz",
    meter_point: "AT0070000XXXX10000000000000XXXXXX",
    direction: "import",
    stored_as: "import",
    unit: "kWh",
    label: "start",
    step_minutes: 15,
    intervals: 172,
    first_start: "2024-03-26T23:00:00Z",
    last_start: "2024-05-01T21:45:00Z",
    kwh: 33.095,
    missing: 0,
    estimated: 0,
    doubled: 0,
    dropped: 0,
    warnings: ["Gaps: intervals without a value between the first and the last: 3280."],
    import_id: null,
  });
  const asked = await run("meter", fixture("kaernten-netz-2024.csv"));
  expect(asked).toMatchObject({ code: 2, error: expect.stringContaining("repeat the command with --yes") });
  expect(asked.out).toContain("172 values, 33.095 kWh");
  expect(await json("list")).toEqual({ imports: [] });
});

it("imports nothing when one of the files cannot be read", async () => {
  const failed = await run("meter", fixture("tiwag-2026.csv"), pdf, "--json");
  expect(failed).toMatchObject({ code: 1, out: "" });
  expect(failed.error).toMatch(/^\S+invoice\.pdf is a PDF document; expected: .+start_utc and import_kwh\.$/);
  const missing = await run("meter", join(folder, "none.csv"), "--json");
  expect(missing).toMatchObject({ code: 1, error: expect.stringContaining("none.csv cannot be read") });
  expect(await run("meter", fixture("ebner-strom-2023.xlsx"), "--as", "load", "--yes")).toMatchObject({
    code: 1,
    error: expect.stringContaining("choose one with --direction or --meter-point"),
  });
  expect(await json("list")).toEqual({ imports: [] });
});

it("reads a file of an unknown format with named columns", async () => {
  const own = join(folder, "own.csv");
  const rows = ["00:15;100,5;0", "00:30;120;0", "00:45;130;20", "01:00;90;10"];
  writeFileSync(own, `Tag;Uhrzeit;Bezug;Lieferung\n${rows.map((row) => `01.07.2026;${row}`).join("\n")}\n`);
  const unknown = await run("meter", own, "--dry-run");
  expect(unknown).toMatchObject({ code: 1, error: expect.stringContaining("--columns") });
  const columns = ["--columns", "time=1,clock=2,import=3,export=4", "--unit", "wh", "--label", "end"];
  expect(await json("meter", own, "--dry-run", ...columns)).toMatchObject([
    { direction: "import", unit: "Wh", label: "end", first_start: "2026-06-30T22:00:00Z", kwh: 0.4405 },
    { direction: "export", kwh: 0.03 },
  ]);
  for (const [wrong, sentence] of [
    [["--columns", "import=2"], "--columns must name the column of the time"],
    [["--columns", "time=1,import=1"], "Name at least one column with values"],
    [["--columns", "time=1,price=2"], 'not "price=2"'],
    [["--unit", "Wh"], "--unit and --label are for files"],
  ] as const)
    expect(await run("meter", own, "--dry-run", ...wrong)).toMatchObject({
      code: 2,
      error: expect.stringContaining(sentence),
    });
});

it("stores an import, says when it is known already or overlaps, and removes it", async () => {
  const file = fixture("tiwag-2026.csv");
  const [first] = await json("meter", file);
  expect(first.import_id).toMatch(/^[0-9a-f]{12}$/);
  const [again] = await json("meter", file);
  expect(again.import_id).toBe(first.import_id);
  expect(again.warnings).toContain("This data was imported before; nothing changes.");
  const normalised = join(folder, "later.csv");
  writeFileSync(normalised, "start_utc,import_kwh\n2026-03-31T22:00:00Z,5\n2026-03-31T22:15:00Z,6\n");
  const [later] = await json("meter", normalised);
  expect(later.warnings.join()).toContain(`2 quarter-hours replace those of the import ${first.import_id}`);
  expect((await json("list", "--site", "home")).imports).toHaveLength(2);
  expect(await run("remove", later.import_id)).toMatchObject({ code: 0 });
  expect(await run("remove", later.import_id)).toMatchObject({ code: 1 });
  expect((await json("list")).imports.map(({ import_id }: { import_id: string }) => import_id)).toEqual([
    first.import_id,
  ]);
  const wrong = await run("meter", file, "--site", "elsewhere", "--yes");
  expect(wrong).toMatchObject({ code: 2, error: 'There is no plant "elsewhere"; there are home.' });
});

it("imports through the running gateway, which notifies its services", async () => {
  const store = await openStore(data, silentLog);
  const changed: string[] = [];
  const unused = undefined as never;
  const server = new AdminServer({
    folder: data,
    services: {
      ...(await people()),
      webhooks: { set: () => Promise.reject(new Error()), test: () => new Promise(() => {}) },
      baseUrl: () => "http://gateway.example/",
      bills: unused,
      ledger: unused,
      samples: store.samples,
      meter: {
        archive: store.meter,
        now: () => new Date("2026-07-01T12:00:00Z"),
        onChange: (siteId) => void changed.push(siteId),
      },
    },
    log: silentLog,
  });
  await server.start();
  const [load] = await json("meter", fixture("vorarlberg-netz-2023.csv"), "--site", "home", "--as", "load");
  await server.stop();
  expect(changed).toEqual(["home"]);
  const day = await store.meter.energy(
    "home",
    "load",
    new Date("2023-08-14T22:00:00Z"),
    new Date("2023-08-16T22:00:00Z"),
  );
  await store.close();
  expect(day.reduce((sum, { kwh }) => sum + kwh, 0)).toBeCloseTo(load.kwh, 6);
});

it("keeps an acknowledged import when the process is killed", async () => {
  const killed = join(folder, "killed.yaml");
  writeFileSync(killed, `data_dir: ${join(folder, "killed")}\nmarket: { sources: [] }\n`);
  const source = resolve(import.meta.dirname, "../../../src");
  const { file: store } = await buildProgram(join(source, "store/store.ts"));
  const { file: reader } = await buildProgram(join(source, "money/meter/read.ts"));
  const script = `
    const { openStore } = await import(${JSON.stringify(store)});
    const { readMeterFile } = await import(${JSON.stringify(reader)});
    const store = await openStore(${JSON.stringify(join(folder, "killed"))}, { info() {}, warn() {} });
    const text = "start_utc,import_kwh\\n2026-01-01T00:00:00Z,1\\n";
    const [series] = await readMeterFile(new TextEncoder().encode(text), "m.csv");
    await store.meter.add("home", [[{ ...series, quantity: "import" }]], new Date());
    process.kill(process.pid, "SIGKILL");`;
  const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  expect([ended.signal, ended.stderr]).toEqual(["SIGKILL", ""]);
  const opened = await openStore(join(folder, "killed"), silentLog);
  const energy = await opened.meter.energy(
    "home",
    "import",
    new Date("2026-01-01T00:00:00Z"),
    new Date("2026-01-01T01:00:00Z"),
  );
  await opened.close();
  expect(energy.map(({ kwh }) => kwh)).toEqual([1]);
});
