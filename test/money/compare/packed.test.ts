import { expect, it } from "vitest";
import { packRun, packSteps, unpackRun, unpackSteps } from "../../../src/money/compare/packed.js";

const START_MS = Date.parse("2026-03-29T00:00:00Z");
const at = (hours: number) => new Date(START_MS + hours * 3_600_000);

it("keeps energies and forecasts as they are", () => {
  const steps = [
    { start: at(0), end: at(0.25), kwh: 0.1 + 0.2 },
    { start: at(3), end: at(27), kwh: 12 },
  ];
  expect(unpackSteps(packSteps(steps))).toEqual(steps);
  expect(unpackSteps(packSteps([]))).toEqual([]);
  const run = {
    firstMs: START_MS,
    hours: [
      { start: at(0), p10: -5.1, p50: -5.1, p90: -5.1, source: "day_ahead" as const },
      { start: at(1), p10: 1, p50: 1 / 3, p90: 99, source: "forecast" as const },
      { start: at(2), p10: 1, p50: 2, p90: 3, source: "climatology" as const },
    ],
  };
  expect(unpackRun(packRun(run))).toEqual(run);
});
