import { describe, expect, it } from "vitest";
import { VIENNA } from "../../src/core/time/zone.js";
import { isMaterial } from "../../src/plan/materiality.js";
import { planSite } from "../../src/plan/plan-site.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { siteInput } from "./site-fixture.js";

const base = planSite(siteInput([5, 5, 30, 30, 30, 30, 5, 30, 30, 30]));
const at = (time: string, changes: Partial<SitePlan>): SitePlan => ({
  ...base,
  issuedAt: new Date(time),
  ...changes,
});
const run = (start: string, end: string) => ({
  ...base.chargeHours[0]!,
  start: new Date(start),
  end: new Date(end),
});
const first = run("2026-01-15T00:00:00Z", "2026-01-15T02:00:00Z");
const second = run("2026-01-15T06:00:00Z", "2026-01-15T07:00:00Z");
const plan = (time: string, runs = [first, second], scalars: Partial<SitePlan["scalars"]> = {}) =>
  at(time, {
    chargeHours: runs,
    chargeHoursToday: runs.filter(({ start }) => start < new Date("2026-01-15T23:00:00Z")),
    scalars: { ...base.scalars, dischargePowerKw: 5, dischargeReason: "full", ...scalars },
  });
const pushed = plan("2026-01-15T00:00:00Z");
const tomorrow = run("2026-01-16T02:00:00Z", "2026-01-16T03:00:00Z");

describe("isMaterial", () => {
  it.each<[string, SitePlan | undefined, SitePlan, boolean]>([
    ["the first plan", undefined, pushed, true],
    ["the same plan", pushed, plan("2026-01-15T00:10:00Z"), false],
    ["a run that begins on schedule", pushed, plan("2026-01-15T06:00:00Z", [second]), false],
    ["a run that is over", pushed, plan("2026-01-15T03:00:00Z", [second]), false],
    [
      "a run that ends later",
      pushed,
      plan("2026-01-15T00:10:00Z", [run("2026-01-15T00:00:00Z", "2026-01-15T03:00:00Z"), second]),
      true,
    ],
    ["a run that is removed", pushed, plan("2026-01-15T03:00:00Z", []), true],
    ["a run tomorrow", pushed, plan("2026-01-15T00:10:00Z", [first, second, tomorrow]), true],
    ["a different cap", pushed, plan("2026-01-15T00:10:00Z", undefined, { dischargePowerKw: 0 }), true],
    [
      "a cap with a rounding difference",
      pushed,
      plan("2026-01-15T00:10:00Z", undefined, { dischargePowerKw: 5.001 }),
      false,
    ],
    [
      "near_min_soc that begins while the cap is already 0",
      plan("2026-01-15T00:00:00Z", undefined, { dischargePowerKw: 0, dischargeReason: "cheap_hold" }),
      plan("2026-01-15T00:10:00Z", undefined, { dischargePowerKw: 0, dischargeReason: "near_min_soc" }),
      true,
    ],
    ["a change of charge_now only", pushed, plan("2026-01-15T00:10:00Z", undefined, { chargeNow: 0 }), false],
    [
      "a change of the energy only",
      pushed,
      plan("2026-01-15T00:10:00Z", undefined, { energyChargeKwh: 1 }),
      false,
    ],
  ])("%s", (_, before, after, expected) => {
    expect(isMaterial(before, after, VIENNA)).toBe(expected);
  });

  it.each([
    ["the same runs", "2026-01-16T03:00:00Z", false],
    ["a run that ends later", "2026-01-16T04:00:00Z", true],
  ])("compares with the last plan sent before midnight: %s", (_, end, expected) => {
    const before = plan("2026-01-15T22:00:00Z", [
      run("2026-01-15T22:30:00Z", "2026-01-16T00:30:00Z"),
      tomorrow,
    ]);
    const after = {
      ...plan("2026-01-15T23:30:00Z", [
        run("2026-01-15T22:30:00Z", "2026-01-16T00:30:00Z"),
        run("2026-01-16T02:00:00Z", end),
      ]),
      chargeHoursToday: [
        run("2026-01-15T23:00:00Z", "2026-01-16T00:30:00Z"),
        run("2026-01-16T02:00:00Z", end),
      ],
      days: [{ ...base.days[0]!, date: "2026-01-16" }],
    };
    expect(isMaterial(before, after, VIENNA)).toBe(expected);
  });
});
