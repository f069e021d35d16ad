import { expect, it } from "vitest";
import { planSite } from "../../src/plan/plan-site.js";
import { canReusePreviousPlan } from "../../src/plan/reuse.js";
import { siteInput } from "./site-fixture.js";

it("a plan that stands says something about the house as it is, nothing about another one", () => {
  const now = new Date("2026-01-15T00:00:00Z");
  // Nothing to do: the planned SOC stays at 50 %.
  const standing = planSite(siteInput([20, 20, 20], { now, soc: { pct: 50, ageMinutes: 0, lost: false } }));
  const asks = (overrides: Parameters<typeof canReusePreviousPlan>[1]) =>
    canReusePreviousPlan(standing, overrides, now);
  expect(asks({})).toBe(true);
  expect(asks({ socPct: 51.9, loadPowerKw: 2, evPowerKw: 11, pvPowerKw: 0 })).toBe(true);
  expect(asks({ socPct: 52.1 })).toBe(false);
  expect(asks({ socPct: 50, capacityKwh: 10 })).toBe(false);
  expect(asks({ gridChargeAllowed: true })).toBe(false);
  expect(asks({ loadDailyKwh: 8 })).toBe(false);
  expect(asks({ pvHourlyKwh: [1] })).toBe(false);
  // Beyond what the plan covers nobody knows what SOC it would have expected.
  expect(canReusePreviousPlan(standing, { socPct: 50 }, new Date("2026-03-01T00:00:00Z"))).toBe(false);
});
