import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { SchemaCheck } from "../../src/config/kit/check.js";
import { DurableJson } from "../../src/store/durable-json.js";
import { temporaryFolder } from "./support/folder.js";

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock("node:fs/promises", async (original) => {
  const actual = await original<typeof import("node:fs/promises")>();
  return {
    ...actual,
    copyFile: async (...given: Parameters<typeof actual.copyFile>) => {
      if (disk.isFull) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      return actual.copyFile(...given);
    },
  };
});

it("on a full disk the backup of a damaged file is used, which is kept before it is overwritten", async () => {
  const path = join(await temporaryFolder(), "state.json");
  const check = new SchemaCheck<{ count: number }>({ type: "object", required: ["count"] });
  const file = new DurableJson(path, check, () => new Date("2026-01-15T12:34:56.789Z"));
  await file.write({ count: 1 });
  await writeFile(path, '{ "cou');
  disk.isFull = true;
  expect(await file.read()).toEqual({ count: 1 });
  expect(file.warnings).toEqual([
    `${path} is damaged (it is not valid JSON); it is left as it is while the disk is full and the backup ${path}.backup is used.`,
  ]);
  await expect(file.write({ count: 2 })).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await readFile(path, "utf8")).toBe('{ "cou');
  disk.isFull = false;
  await file.write({ count: 2 });
  expect(await file.read()).toEqual({ count: 2 });
  const kept = (await readdir(join(path, ".."))).filter((name) => name.includes(".damaged-"));
  expect(kept).toEqual(["state.json.damaged-20260115T123456Z"]);
  expect(await readFile(join(path, "..", kept[0]!), "utf8")).toBe('{ "cou');
});
