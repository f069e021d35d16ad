import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { SchemaCheck } from "../../src/config/kit/check.js";
import { DurableJson } from "../../src/store/durable-json.js";
import { runs } from "../support/runs.js";
import { temporaryFolder } from "./support/folder.js";

interface Shape {
  name: string;
  count: number;
}

const check = new SchemaCheck<Shape>({
  type: "object",
  required: ["name", "count"],
  properties: { name: { type: "string" }, count: { type: "number" } },
});

let folder: string;
let path: string;
const adapter = () =>
  new DurableJson<Shape>(path, check, { now: () => new Date("2026-01-15T12:34:56.789Z") });
const damagedFiles = async () => (await readdir(folder)).filter((name) => name.includes(".damaged-"));

beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder, "state.json");
});

describe("DurableJson", () => {
  it("reads null at a first start", async () => {
    expect(await adapter().read()).toBeNull();
  });

  it("reads what it wrote and leaves only the file and its backup, both readable only by the owner", async () => {
    await adapter().write({ name: "Österreich", count: 1 });
    await adapter().write({ name: "Österreich", count: 2 });
    expect(await adapter().read()).toEqual({ name: "Österreich", count: 2 });
    expect((await readdir(folder)).sort()).toEqual(["state.json", "state.json.backup"]);
    const { stat } = await import("node:fs/promises");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("keeps the newest state in the backup too, so that a damaged file loses no acknowledged change", async () => {
    await adapter().write({ name: "a", count: 1 });
    await adapter().write({ name: "a", count: 2 });
    await writeFile(path, "");
    expect(await adapter().read()).toEqual({ name: "a", count: 2 });
  });

  it("uses the backup, reports it and keeps the damaged bytes, wherever the file was truncated", async () => {
    await adapter().write({ name: "x", count: 3 });
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 2 }), async (length) => {
        for (const name of await damagedFiles()) await rm(join(folder, name));
        await writeFile(path, whole.subarray(0, length));
        const tried = adapter();
        expect(await tried.read()).toEqual({ name: "x", count: 3 });
        expect(tried.incomplete).toBe(true);
        expect(tried.warnings).toHaveLength(1);
        expect(tried.warnings[0]).toContain("state.json is damaged");
        const copies = await damagedFiles();
        expect(copies).toEqual(["state.json.damaged-20260115T123456Z"]);
        expect(await readFile(join(folder, copies[0]!))).toEqual(whole.subarray(0, length));
        expect(await readFile(`${path}.backup`)).toEqual(whole);
      }),
      { numRuns: whole.length, examples: [[0], [1], [whole.length - 2]] },
    );
  });

  it("detects any overwritten byte or reads a valid document, and never loses the damaged bytes", async () => {
    await adapter().write({ name: "x", count: 3 });
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (offset, byte) => {
        const broken = Buffer.from(whole);
        broken[offset] = byte;
        await writeFile(path, broken);
        const value = await adapter().read();
        expect(check.fits(value)).toBe(true);
        expect(await readFile(path)).toEqual(broken);
        for (const name of await damagedFiles()) await rm(join(folder, name));
      }),
      { numRuns: runs(150) },
    );
  });

  it.each(["{}", "[]", "null", "7", '"text"', '{"name":1,"count":1}', '{"name":"\\ud83d"}'])(
    "treats valid JSON of another shape (%s) as damage, not as a first start",
    async (text) => {
      await writeFile(path, text);
      await expect(adapter().read()).rejects.toMatchObject({
        code: "storage_damaged",
        message: expect.stringContaining("restore one of them"),
      });
      expect(await readFile(path, "utf8")).toBe(text);
      expect(await damagedFiles()).toHaveLength(1);
      await adapter()
        .read()
        .catch(() => {});
      expect(await damagedFiles()).toHaveLength(1);
    },
  );

  it("rejects two damaged files and keeps both", async () => {
    await writeFile(path, "{");
    await writeFile(`${path}.backup`, "");
    await expect(adapter().read()).rejects.toMatchObject({ code: "storage_damaged" });
    expect(await damagedFiles()).toHaveLength(2);
  });

  it("rejects a damaged backup without a main file", async () => {
    await writeFile(`${path}.backup`, "{");
    await expect(adapter().read()).rejects.toMatchObject({ code: "storage_damaged" });
  });

  it("never overwrites a copy of the same second", async () => {
    await adapter().write({ name: "x", count: 3 });
    await writeFile(path, "first damage");
    await adapter().read();
    await writeFile(path, "second damage");
    await adapter().read();
    const copies = (await damagedFiles()).sort();
    expect(copies).toEqual(["state.json.damaged-20260115T123456Z", "state.json.damaged-20260115T123456Z-2"]);
    expect(await readFile(join(folder, copies[0]!), "utf8")).toBe("first damage");
    expect(await readFile(join(folder, copies[1]!), "utf8")).toBe("second damage");
  });

  it("uses the backup if the file is missing, and reports it", async () => {
    await adapter().write({ name: "x", count: 3 });
    await rm(path);
    const tried = adapter();
    expect(await tried.read()).toEqual({ name: "x", count: 3 });
    expect(tried.warnings[0]).toContain("is missing; the backup");
  });

  it("works with a damaged backup, reports it and keeps it", async () => {
    await adapter().write({ name: "x", count: 3 });
    await writeFile(`${path}.backup`, "{");
    const tried = adapter();
    expect(await tried.read()).toEqual({ name: "x", count: 3 });
    expect(tried.warnings[0]).toContain("state.json.backup is damaged");
    expect(await damagedFiles()).toHaveLength(1);
  });

  it("ignores temporary files left by a kill", async () => {
    await adapter().write({ name: "x", count: 3 });
    await writeFile(`${path}.tmp`, "{ half");
    expect(await adapter().read()).toEqual({ name: "x", count: 3 });
    await adapter().write({ name: "x", count: 4 });
    expect(await adapter().read()).toEqual({ name: "x", count: 4 });
  });

  it("reports the cause and changes nothing if it cannot write", async () => {
    await adapter().write({ name: "x", count: 3 });
    await mkdir(`${path}.backup.tmp`);
    await expect(adapter().write({ name: "x", count: 4 })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(await adapter().read()).toEqual({ name: "x", count: 3 });
  });
});
