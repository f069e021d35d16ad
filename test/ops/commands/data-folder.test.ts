import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { hasData } from "../../../src/ops/commands/data-folder.js";

it("data that cannot be looked at is not taken for none", () => {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = { ...defaultSettings(), data_dir: folder };
  expect(hasData(settings)).toBe(false);
  symlinkSync("series", join(folder, "series"));
  expect(hasData(settings)).toBe(true);
});
