import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { tableOf, writeBetweenMarkers } from "./table.js";

test("replaces the table between its markers and keeps the rest of the page", () => {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-table-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "performance.md");
  writeFileSync(file, "# Performance\n\n## Soak\n\nA month.\n");
  for (const value of [1.5, 0.25]) {
    const lines = [{ name: "answers", value, unit: "×", goal: "at least 0.9" }];
    writeBetweenMarkers(pathToFileURL(file), tableOf(lines, "A machine."));
  }
  const page = readFileSync(file, "utf8");
  expect(page.startsWith("# Performance\n\n<!--")).toBe(true);
  expect(page).toContain("| answers | 0.25 × | at least 0.9 |");
  expect(page).not.toContain("1.50");
  expect(page).toContain("\n\n## Soak\n\nA month.\n");
});
