import { expect, it } from "vitest";
import { type PvPlantYieldInput, pvPlantYield, pvYield } from "../../../src/index.js";

const place = { latitude: 48.21, longitude: 16.37 };
const east = { peakKw: 6, tiltDeg: 30, azimuthDeg: 120, lossesPct: 0 };
const west = { ...east, azimuthDeg: 240 };
/** The quarter-hours of a day in June, W/m2 as a half sine. */
const steps = Array.from({ length: 96 }, (_, quarter) => ({
  start: new Date(Date.parse("2026-06-21T00:00:00Z") + quarter * 900_000),
  end: new Date(Date.parse("2026-06-21T00:15:00Z") + quarter * 900_000),
  ghi: quarter < 14 || quarter > 76 ? 0 : 900 * Math.sin((Math.PI * (quarter - 13)) / 64),
}));
const garage = [{ id: "garage", kw: 5 }];

it("limits the arrays of one inverter together, each quarter-hour", () => {
  const arrays = [
    { ...east, inverter: "garage" },
    { ...west, inverter: "garage" },
  ];
  const limited = pvPlantYield({ ...place, arrays, inverters: garage, steps });
  const [one, other] = [east, west].map((array) => pvYield({ ...place, ...array, steps }));
  for (const [quarter, { kwh }] of limited.entries())
    expect(kwh).toBeCloseTo(Math.min(1.25, one![quarter]!.kwh + other![quarter]!.kwh), 12);
  expect(Math.max(...limited.map(({ kwh }) => kwh))).toBe(1.25);
});

it("adds up arrays with their own inverters", () => {
  const arrays = [{ ...east, inverterKw: 3 }, west];
  const [one, other] = arrays.map((array) => pvYield({ ...place, ...array, steps }));
  expect(pvPlantYield({ ...place, arrays, steps })).toEqual(
    one!.map(({ kwh }, quarter) => ({ kwh: kwh + other![quarter]!.kwh })),
  );
});

// https://github.com/rany2/open-meteo-solar-forecast/pull/51, https://github.com/ReikanYsora/Helios-Forecast/issues/26
it("limits what is shared together, and what has an inverter of its own by itself", () => {
  const arrays = [
    { ...east, inverter: "garage" },
    { ...west, inverter: "garage" },
    { ...east, inverterKw: 2 },
    { ...west, inverterKw: 2 },
  ];
  const mostKw =
    4 * Math.max(...pvPlantYield({ ...place, arrays, inverters: garage, steps }).map(({ kwh }) => kwh));
  expect(mostKw).toBeGreaterThan(8.5);
  expect(mostKw).toBeLessThanOrEqual(9);
});

it.each([
  [
    "arrays[0].inverter must be the id",
    { arrays: [{ ...east, inverter: "roof" }], inverters: garage, steps },
  ],
  ["inverters[0].kw must be a number", { arrays: [east], inverters: [{ id: "a", kw: "5" as never }], steps }],
  ["arrays must be a list", { arrays: undefined as never, steps }],
  ["arrays must be a list", { arrays: [null] as never, steps }],
  ["inverters must be a list", { arrays: [east], inverters: "garage" as never, steps }],
  ["steps must be a list", { arrays: [], steps: undefined as never }],
  ["steps[0].end must be", { arrays: [], steps: [{ start: new Date(0), ghi: 1 }] as never }],
  ["peakKw must be", { arrays: [{ ...east, peakKw: -1 }], steps }],
] as [string, Omit<PvPlantYieldInput, "latitude" | "longitude">][])(
  "names what is wrong: %s",
  (message, input) => {
    expect(() => pvPlantYield({ ...place, ...input })).toThrow(message);
    expect(() => pvPlantYield({ ...place, ...input })).toThrow(RangeError);
  },
);
