import promises, { readdir, readFile, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { SchemaCheck } from "../../src/config/kit/check.js";
import { DurableJson } from "../../src/store/durable-json.js";
import { temporaryFolder } from "./support/folder.js";

/** Copies fail as on a full disk, until it has room again. */
function fillDisk(): () => void {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const copies = vi.spyOn(promises, "copyFile").mockRejectedValue(full);
  syncBuiltinESMExports();
  return () => {
    copies.mockRestore();
    syncBuiltinESMExports();
  };
}

it("on a full disk the backup of a damaged file is used, which is kept before it is overwritten", async () => {
  const path = join(await temporaryFolder(), "state.json");
  const check = new SchemaCheck<{ count: number }>({ type: "object", required: ["count"] });
  const file = new DurableJson(path, check, { now: () => new Date("2026-01-15T12:34:56.789Z") });
  await file.write({ count: 1 });
  await writeFile(path, '{ "cou');
  const empty = fillDisk();
  onTestFinished(empty);
  expect(await file.read()).toEqual({ count: 1 });
  expect(file.warnings).toEqual([
    `${path} is damaged (it is not valid JSON); it is left as it is while the disk is full and the backup ${path}.backup is used.`,
  ]);
  await expect(file.write({ count: 2 })).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await readFile(path, "utf8")).toBe('{ "cou');
  empty();
  await file.write({ count: 2 });
  expect(await file.read()).toEqual({ count: 2 });
  const kept = (await readdir(join(path, ".."))).filter((name) => name.includes(".damaged-"));
  expect(kept).toEqual(["state.json.damaged-20260115T123456Z"]);
  expect(await readFile(join(path, "..", kept[0]!), "utf8")).toBe('{ "cou');
});
