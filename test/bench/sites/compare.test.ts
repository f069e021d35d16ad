import { expect, it } from "vitest";
import { comparisonOf, lastRelease } from "./compare.js";

it("compares the levels that the last release was measured with", () => {
  const [level] = lastRelease().levels;
  const now = { ...level!, cpuMsPerSample: 5.123, plansP99S: null };
  const home = { startMs: 900, idleMemoryMb: null, outputsP50Ms: 9.87, outputsP99Ms: 15 };
  const lines = comparisonOf({ home, levels: [now, { ...now, sites: 3 }] }, lastRelease()).split("\n");
  expect(lines).toHaveLength(2 + 7 + 4);
  expect(lines[2]).toBe(
    `| ${level!.sites} | processor time for a sample, ms | ${level!.cpuMsPerSample} | 5.12 |  |`,
  );
  expect(lines.find((line) => line.includes("new plans"))).toMatch(/\| – \| ≤ 30 \|$/);
  expect(lines.at(-2)).toMatch(/ 9\.87 \| ≤ 10 \|$/);
});
