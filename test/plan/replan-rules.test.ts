import { expect, it } from "vitest";
import { planSite } from "../../src/plan/plan-site.js";
import { canReusePreviousPlan, isSaveDue } from "../../src/plan/replan-rules.js";
import { siteInput } from "./site-fixture.js";

it("canReusePreviousPlan accepts readings only, near the expected SOC", () => {
  const now = new Date("2026-01-15T00:00:00Z");
  // Nothing to do: the planned SOC stays at 50 %.
  const plan = planSite(siteInput([20, 20, 20], { now, soc: { pct: 50, ageMinutes: 0, lost: false } }));
  const canReuse = (overrides: Parameters<typeof canReusePreviousPlan>[1]) =>
    canReusePreviousPlan(plan, overrides, now);
  expect(canReuse({})).toBe(true);
  expect(canReuse({ socPct: 51.9, loadPowerKw: 2, evPowerKw: 11, pvPowerKw: 0 })).toBe(true);
  expect(canReuse({ socPct: 52.1 })).toBe(false);
  expect(canReuse({ socPct: 50, capacityKwh: 10 })).toBe(false);
  expect(canReuse({ gridChargeAllowed: true })).toBe(false);
  expect(canReuse({ loadDailyKwh: 8 })).toBe(false);
  expect(canReuse({ pvHourlyKwh: [1] })).toBe(false);
  // After the end of the plan no SOC is expected.
  expect(canReusePreviousPlan(plan, { socPct: 50 }, new Date("2026-03-01T00:00:00Z"))).toBe(false);
});

it("isSaveDue: once an hour", () => {
  const saved = (minutesAgo: number) => ({ savedAtMs: performance.now() - minutesAgo * 60_000 });
  expect(isSaveDue(saved(61))).toBe(true);
  expect(isSaveDue(saved(59))).toBe(false);
  expect(isSaveDue({ savedAtMs: Number.NEGATIVE_INFINITY })).toBe(true);
});
