import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { toApiError } from "../../src/api/error-document.js";
import { StoreError } from "../../src/store/errors.js";
import { openStore } from "../../src/store/store.js";
import { call } from "../e2e/gateway-process.js";
import { recordingLog } from "../store/support/folder.js";
import { refusalOf, started, temporaryFolder, testSite } from "./support/gateway.js";

/** Names and contents of the files of a folder, except LevelDB's LOG and LOCK. */
const contentsOf = (folder: string) =>
  new Map(
    readdirSync(folder)
      .filter((name) => !/^LO(CK|G)/.test(name))
      .map((name) => [name, readFileSync(join(folder, name)).toString("base64")]),
  );

describe("a damaged state.json", () => {
  it("with a valid backup: it serves, keys work, the damaged file is kept and the log names it", async () => {
    const { config, data } = testSite();
    await (await started(config)).end("SIGKILL");
    const path = join(data, "state.json");
    const backup = readFileSync(`${path}.backup`);
    writeFileSync(path, backup.subarray(0, backup.length / 2));
    const gateway = await started(config);
    expect((await call(gateway, "/v1/status")).json.access.token_valid).toBe(true);
    expect(gateway.output()).toMatch(/state\.json is damaged .*\bbackup\b.* is used/);
    const kept = readdirSync(data).filter((name) => name.startsWith("state.json.damaged-"));
    expect(kept.map((name) => readFileSync(join(data, name)))).toEqual([
      backup.subarray(0, backup.length / 2),
    ]);
    expect(readFileSync(`${path}.backup`)).toEqual(backup);
    expect(readFileSync(path)).toEqual(backup);
  });

  it("without a valid backup: does not start, says what to do, and changes neither file", async () => {
    const { config, data } = testSite();
    const path = join(data, "state.json");
    mkdirSync(data);
    // JSON of another program counts as damage, not as a first start.
    writeFileSync(path, "{}");
    writeFileSync(`${path}.backup`, "\0\0\0");
    expect(await refusalOf(config)).toMatch(/cannot start: .*state\.json is damaged .*restore one of them/);
    expect([readFileSync(path, "utf8"), readFileSync(`${path}.backup`, "utf8")]).toEqual(["{}", "\0\0\0"]);
  });
});

describe("a damaged series database", () => {
  const last = 700;
  let intact: string;
  beforeAll(async () => {
    intact = join(process.env.TMPDIR ?? "/tmp", `hourgate-intact-${process.pid}`);
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 15, 0, minute));
    // Opened twice: the first part is stored in a table, the rest in the log.
    for (const [from, to] of [
      [0, 600],
      [600, last],
    ] as const) {
      const store = await openStore(intact, recordingLog());
      for (let minute = from; minute < to; minute++)
        await store.samples.append("home", [{ at: at(minute), values: { import_kwh: minute } }]);
      await store.close();
    }
    return () => rmSync(intact, { recursive: true, force: true });
  });

  /** A copy of the intact folder with one damaged file. */
  const damagedCopy = (pattern: RegExp, damage: (path: string) => void) => {
    const data = join(temporaryFolder(), "data");
    cpSync(intact, data, { recursive: true });
    const series = join(data, "series");
    const name = readdirSync(series).find((one) => pattern.test(one));
    damage(join(series, name!));
    return { data, series, name };
  };
  const cut = (path: string) => truncateSync(path, Math.floor(readFileSync(path).length / 2));
  const scribble = (path: string) => {
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    writeFileSync(path, bytes.fill(0x5a, middle, middle + 4));
  };
  const empty = (path: string) => truncateSync(path, 0);
  const remove = (path: string) => rmSync(path);

  it.each([
    ["CURRENT", /^CURRENT$/, { cut, scribble, empty, remove }],
    ["MANIFEST", /^MANIFEST/, { cut, scribble, empty, remove }],
    ["a table", /\.ldb$/, { cut, empty, remove }],
    ["the log", /\.log$/, { remove }],
  ] as const)("%s: is rejected with what to do and left unchanged", async (_, pattern, ways) => {
    for (const [way, damage] of Object.entries(ways)) {
      const { data, series } = damagedCopy(pattern, damage);
      const before = contentsOf(series);
      const refused = await openStore(data, recordingLog()).catch((error: unknown) => error);
      expect([way, refused]).toEqual([way, expect.any(StoreError)]);
      expect([way, (refused as StoreError).code]).toEqual([way, "storage_damaged"]);
      expect((refused as StoreError).message).toMatch(
        /is damaged.*Restore the folder from a backup, or move it away/i,
      );
      expect([way, contentsOf(series)]).toEqual([way, before]);
    }
  });

  it("an overwritten table: unreadable data is answered with 503 and never with 500", async () => {
    const { data, series, name } = damagedCopy(/\.ldb$/, () => {});
    const path = join(series, name!);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x5a, 100, bytes.length / 2));
    const store = await openStore(data, recordingLog());
    const refused = await store.samples
      .range("home", "import_kwh", new Date(0), new Date(1e13))
      .catch((error: unknown) => error);
    await store.close();
    expect(refused).toMatchObject({ code: "storage_damaged" });
    expect(toApiError(refused)).toMatchObject({ status: 503, code: "storage_unavailable" });
  });

  it("an overwritten log: the rest is served, the gateway logs it and the file is kept", async () => {
    const { data, series, name } = damagedCopy(/\.log$/, () => {});
    scribble(join(series, name!));
    const broken = readFileSync(join(series, name!));
    const log = recordingLog();
    const store = await openStore(data, log);
    const held = await store.samples.range("home", "import_kwh", new Date(0), new Date(1e13));
    await store.close();
    expect(held.length).toBeGreaterThanOrEqual(600);
    expect(held.length).toBeLessThan(last);
    expect(log.warnings).toEqual([expect.stringContaining(`${name} in ${series} is damaged`)]);
    const kept = readdirSync(data).find((one) => one.startsWith("series.damaged-"))!;
    expect(readFileSync(join(data, kept, name!))).toEqual(broken);
  });

  it("a log truncated by a kill at any position is not damage: all earlier records are present, without a warning", async () => {
    const whole = damagedCopy(/\.log$/, () => {});
    const bytes = readFileSync(join(whole.series, whole.name!));
    let heldBefore = Number.POSITIVE_INFINITY;
    for (let length = bytes.length - 1; length > 0; length -= Math.ceil(bytes.length / 12)) {
      const { data } = damagedCopy(/\.log$/, (path) => truncateSync(path, length));
      const log = recordingLog();
      const store = await openStore(data, log);
      const held = await store.samples.range("home", "import_kwh", new Date(0), new Date(1e13));
      await store.close();
      expect(held.map(({ value }) => value)).toEqual(held.map((_, minute) => minute));
      expect(held.length).toBeGreaterThanOrEqual(600);
      expect(held.length).toBeLessThan(heldBefore);
      heldBefore = held.length;
      expect(log.warnings).toEqual([]);
    }
  });

  it("files left by a killed first start are not damage", async () => {
    const data = temporaryFolder();
    await (await openStore(data, recordingLog())).close();
    const series = join(data, "series");
    for (const name of readdirSync(series)) if (!/^MANIFEST/.test(name)) rmSync(join(series, name));
    writeFileSync(join(series, "000003.log"), "");
    copyFileSync(join(series, "000003.log"), join(series, "000001.dbtmp"));
    await (await openStore(data, recordingLog())).close();
  });

  it("is reported by the command line, which does not start", async () => {
    const { data } = damagedCopy(/^CURRENT$/, remove);
    const { config } = testSite({ data_dir: data });
    expect(await refusalOf(config)).toMatch(
      /cannot start: The database in .*series is damaged .*CURRENT is missing/,
    );
  });
});
