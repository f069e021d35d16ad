import { expect, it } from "vitest";
import { learnSiteLoad, rollingLoad } from "../../src/telemetry/learned-load.js";
import { seeded } from "../support/random.js";

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const START_MS = Date.parse("2026-03-10T00:00:00Z");
const ZONE = "Europe/Vienna";
const settings = { dailyKwh: 10, profile: undefined };

it("learns the load of past days from what was measured then", () => {
  const random = seeded(9);
  const step = (quarter: number, count: number, kwh: number) => ({
    start: new Date(START_MS + quarter * QUARTER_MS),
    end: new Date(START_MS + (quarter + count) * QUARTER_MS),
    kwh,
  });
  const measured = [
    // A day as one value, then hours, a gap, quarter-hours, and among them a counter that jumped.
    step(0, 96, 12),
    ...Array.from({ length: 48 }, (_, hour) => step(96 + 4 * hour, 4, random.between(0, 2))),
    ...Array.from({ length: 20 * 96 }, (_, k) =>
      step(4 * 96 + k, 1, k === 500 ? 900 : random.between(0, 0.6)),
    ),
  ];
  const modelAt = rollingLoad(measured.toReversed(), ZONE, settings);
  for (const day of [0, 1, 2, 12, 24, 71, 80, 100]) {
    const now = new Date(START_MS + day * DAY_MS);
    const known = measured.filter(
      ({ start, end }) => end <= now && start.getTime() >= now.getTime() - 70 * DAY_MS,
    );
    expect(modelAt(new Date(now.getTime() + 3 * QUARTER_MS))).toEqual(
      learnSiteLoad(known, { now, zone: ZONE, settings }),
    );
  }
});
