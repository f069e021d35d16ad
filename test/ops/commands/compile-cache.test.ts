import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { isOwnFolder } from "../../../src/ops/commands/compile-cache.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-compiled-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("keeps compiled code in a folder that only its user may write to", () => {
  const own = join(folder, "cache/hourgate");
  expect(isOwnFolder(own)).toBe(true);
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(isOwnFolder(own)).toBe(true);
});

it("does not where others may write, and where there is no folder", () => {
  const open = join(folder, "open");
  isOwnFolder(open);
  chmodSync(open, 0o770);
  expect(isOwnFolder(open)).toBe(false);
  const link = join(folder, "link");
  symlinkSync(join(folder, "cache/hourgate"), link);
  expect(isOwnFolder(link)).toBe(false);
  writeFileSync(join(folder, "file"), "");
  expect(isOwnFolder(join(folder, "file/hourgate"))).toBe(false);
  expect(isOwnFolder(join(folder, "file"))).toBe(false);
});
