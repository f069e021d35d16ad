import { describe, expect, it } from "vitest";
import { type CalibrationBins, correction, learnDay } from "../../../src/forecast/solar/calibration.js";

const EAST = { azimuthDeg: 110, altitudeDeg: 30 };
const SOUTH = { azimuthDeg: 180, altitudeDeg: 30 };

/** Learning over days with the sun for two hours in each of two parts of the sky. */
function learnt(days: number, { east, south }: { east: number; south: number }, bins: CalibrationBins = {}) {
  let learning = bins;
  for (let day = 0; day < days; day++)
    learning = learnDay(learning, [
      { sun: EAST, measuredKwh: 3 * east, modelledKwh: 3 },
      { sun: EAST, measuredKwh: 3 * east, modelledKwh: 3 },
      { sun: SOUTH, measuredKwh: 4 * south, modelledKwh: 4 },
    ]);
  return learning;
}

describe("calibration", () => {
  it("is 1 without measurements", () => {
    expect(correction({}, SOUTH, 5)).toBe(1);
  });

  it("learns shading in the east slowly, without affecting the south", () => {
    const oneDay = correction(learnt(1, { east: 0.5, south: 1 }), EAST, 5);
    expect(oneDay).toBeGreaterThan(0.75);
    expect(oneDay).toBeLessThan(1);
    const month = learnt(60, { east: 0.5, south: 1 });
    expect(correction(month, EAST, 5)).toBeCloseTo(0.5, 1);
    expect(correction(month, SOUTH, 5)).toBe(1);
  });

  it("is limited to 0.3 to 1.5", () => {
    const months = learnt(200, { east: 0, south: 9 });
    expect(correction(months, EAST, 5)).toBe(0.3);
    expect(correction(months, SOUTH, 5)).toBe(1.5);
  });

  it("forgets old shading", () => {
    const unshaded = learnt(200, { east: 1, south: 1 }, learnt(100, { east: 0.4, south: 1 }));
    expect(correction(unshaded, EAST, 5)).toBeGreaterThan(0.97);
  });
});
