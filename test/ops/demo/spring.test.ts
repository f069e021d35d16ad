import { describe, expect, it } from "vitest";
import { localTime } from "../../../src/core/time/zone.js";
import { springQuarters } from "../../../src/ops/demo/spring.js";

const options = {
  start: new Date("2026-05-03T22:00:00Z"),
  days: 14,
  seed: 1,
  timeZone: "Europe/Vienna",
  latitude: 48.21,
  longitude: 16.37,
};

describe("springQuarters", () => {
  const quarters = springQuarters(options);
  const hourOf = (start: Date) => localTime(start, options.timeZone).hour;
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it("covers the days without a gap and is the same for the same seed", () => {
    expect(quarters).toHaveLength(14 * 96);
    expect(springQuarters(options)).toEqual(quarters);
    expect(springQuarters({ ...options, seed: 2 })).not.toEqual(quarters);
  });

  it("has negative prices at noon, high prices and high load in the evening", () => {
    const at = (hour: number) => quarters.filter(({ start }) => hourOf(start) === hour);
    expect(Math.min(...at(12).map(({ eurPerMwh }) => eurPerMwh))).toBeLessThan(0);
    expect(mean(at(19).map(({ eurPerMwh }) => eurPerMwh))).toBeGreaterThan(
      mean(at(12).map(({ eurPerMwh }) => eurPerMwh)) + 60,
    );
    expect(mean(at(18).map(({ householdKw }) => householdKw))).toBeGreaterThan(
      3 * mean(at(3).map(({ householdKw }) => householdKw)),
    );
  });

  it("has irradiance by day only, close to the forecast on average", () => {
    const night = quarters.filter(({ start }) => hourOf(start) < 4);
    expect(night.every(({ ghiWm2 }) => ghiWm2 === 0)).toBe(true);
    const ratio =
      mean(quarters.map(({ ghiWm2 }) => ghiWm2)) / mean(quarters.map((each) => each.forecast.ghiWm2));
    expect(ratio).toBeGreaterThan(0.85);
    expect(ratio).toBeLessThan(1.1);
  });
});
