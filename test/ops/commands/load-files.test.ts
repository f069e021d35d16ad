import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { USUAL_QUARTER_KWH } from "../../../src/config/site-limits.js";
import { readLoadFile, readPvFile } from "../../../src/ops/commands/past-options.js";
import { temporaryFolder } from "../../store/support/folder.js";

async function written(name: string, lines: readonly string[]) {
  const errors: string[] = [];
  const path = join(await temporaryFolder(), name);
  await writeFile(path, lines.join("\n"));
  return {
    path,
    errors,
    terminal: { out: () => {}, error: (line: string) => errors.push(line), environment: {} },
  };
}

it("leaves out what the connection or the arrays cannot have, and says so", async () => {
  const load = await written("load.csv", [
    "start_utc,import_kwh",
    "2026-05-10T00:00Z,0.1",
    "2026-05-10T00:15Z,23944.275",
    "2026-05-10T00:30Z,0.2",
  ]);
  const steps = await readLoadFile(load.path, USUAL_QUARTER_KWH, load.terminal);
  expect(steps.map(({ kwh }) => kwh)).toEqual([0.1, 0.2]);
  expect(load.errors).toEqual([
    expect.stringContaining("Line 3: the energy is not a number from 0 to 10000 kWh"),
  ]);
  const pv = await written("pv.csv", ["start_utc,pv_kwh", "2026-05-10T10:00Z,1", "2026-05-10T10:15Z,16.4"]);
  expect(readPvFile(pv.path, 3, pv.terminal).map(({ kwh }) => kwh)).toEqual([1]);
  expect(pv.errors).toEqual([expect.stringContaining("2026-05-10T10:15:00.000Z with 16.4 kWh")]);
});

it("takes the draw of a member of a community, and none while the share is not published", async () => {
  const file = await written("verbrauch.csv", [
    "Messzeitpunkt;Restnetzbezug (kWh);Eigendeckung (kWh);",
    "11.05.2026 00:15;0,2;;",
    "11.05.2026 00:30;0,15;0,05;",
    "11.05.2026 00:45;0,1;0,1;",
    "11.05.2026 01:00;0,3;;",
  ]);
  const steps = await readLoadFile(file.path, USUAL_QUARTER_KWH, file.terminal);
  expect(steps.map(({ kwh }) => kwh)).toEqual([0.2, 0.2, 0.2]);
});
