import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outputsDocument } from "../../src/api/documents/hours-demand.js";
import { planSite } from "../../src/plan/plan-site.js";
import type { SiteInput } from "../../src/plan/site-input.js";
import { siteInput, steps } from "./site-fixture.js";

const cheapThenExpensive = [5, 5, 30, 30, 30, 30, 30, 30];

describe("planSite", () => {
  it("charges in the cheap hours for the expensive ones, consistently in every scalar", () => {
    // 6 expensive hours of 1 kWh need 6 / 0.9 stored kWh from 6 / 0.81 = 7.41 kWh of the grid; 5 in the first hour.
    const plan = planSite(siteInput(cheapThenExpensive));
    const energy = 6 / 0.81;
    expect(plan.chargeHours).toHaveLength(1);
    expect(plan.chargeHours[0]).toMatchObject({
      start: new Date("2026-01-15T00:00:00Z"),
      end: new Date("2026-01-15T02:00:00Z"),
      provisional: false,
    });
    // Within the grid of the value function.
    expect(Math.abs(plan.scalars.energyChargeKwh - energy)).toBeLessThan(0.1);
    expect(plan.scalars.hoursNeeded).toBe(1.5);
    expect(plan.scalars.chargeNow).toBe(1);
    // At most the energy that the next hours need: 10 % and 7.41 kWh at 0.9.
    expect(plan.scalars.chargeStopSocPct).toBeGreaterThan(10);
    expect(plan.scalars.chargeStopSocPct).toBeLessThan(10 + energy * 0.9 * 10 + 1);
    expect(plan.scalars.dischargeReason).toBe("full");
    expect(plan.scalars.minutesToChargeStart).toBe(0);
    // Nothing is uncertain: the policy reaches the exact optimum within its grid.
    expect(plan.solver.objectiveEur - plan.solver.boundEur).toBeGreaterThan(-1e-9);
    expect(plan.solver.objectiveEur - plan.solver.boundEur).toBeLessThan(0.01);
  });

  it("charges at full power in a short run", () => {
    expect(planSite(siteInput(cheapThenExpensive)).scalars.chargePowerKw).toBe(5);
    // 1.62 / 0.81 = 2 kWh in the only cheap hour: at full power for part of it.
    const short = siteInput([5, 30, 30], { loadKwh: [0, 0.81, 0.81] });
    const plan = planSite(short);
    expect(plan.scalars.energyChargeKwh).toBeCloseTo(2, 6);
    expect(plan.scalars.chargePowerKw).toBe(5);
  });

  it("never charges at a forecast price, and shows the hours as provisional", () => {
    const now = new Date("2026-01-15T00:00:00Z");
    const plan = planSite(
      siteInput(cheapThenExpensive, {
        prices: steps(now, [...cheapThenExpensive, ...cheapThenExpensive], "forecast"),
      }),
    );
    expect(plan.scalars.chargeNow).toBe(0);
    expect(plan.scalars.chargePowerKw).toBe(0);
    expect(plan.chargeHours.map((run) => run.provisional)).toEqual([true, true]);
  });

  it("keeps the start of a run in progress: from the previous plan, else the grid line", () => {
    const now = new Date("2026-01-15T00:40:00Z");
    const fresh = planSite(siteInput(cheapThenExpensive, { now }));
    expect(fresh.chargeHours[0]!.start).toEqual(new Date("2026-01-15T00:00:00Z"));
    const before = planSite(
      siteInput([4, 4.5, ...cheapThenExpensive.slice(1)], { now: new Date("2026-01-14T23:00:00Z") }),
    );
    const later = planSite(siteInput(cheapThenExpensive, { now, previous: before }));
    expect(before.chargeHours[0]!.start).toEqual(new Date("2026-01-14T23:00:00Z"));
    expect(later.chargeHours[0]!.start).toEqual(new Date("2026-01-14T23:00:00Z"));
    expect(later.scalars.planHash).toBe(
      createHash("sha256").update("2026-01-14T23:00:00Z").digest("hex").slice(0, 16),
    );
  });

  it("clips today's charge hours to the local day", () => {
    // 23:30 in Vienna; the cheap hours extend over midnight.
    const now = new Date("2026-01-15T22:30:00Z");
    const plan = planSite(siteInput([5, 5, 30, 30, 30, 30, 30, 30], { now }));
    expect(plan.chargeHours[0]!.end).toEqual(new Date("2026-01-16T00:00:00Z"));
    expect(plan.chargeHoursToday).toEqual([
      { start: new Date("2026-01-15T22:00:00Z"), end: new Date("2026-01-15T23:00:00Z") },
    ]);
    expect(plan.days.map((day) => day.date)).toEqual(["2026-01-15", "2026-01-16", "2026-01-17"]);
  });

  it("ends the prefix where PV begins to refill the battery", () => {
    const plan = planSite(siteInput([5, 30, 30, 4, 4, 30, 30, 30, 30, 30], { pvKwh: [0, 0, 0, 4, 4] }));
    expect(plan.scalars.prefixPeriodHoursToday).toBe(3);
    expect(Math.abs(plan.scalars.prefixEnergyChargeKwh - 2 / 0.81)).toBeLessThan(0.1);
    expect(plan.scalars.prefixHoursNeededToday).toBe(0.5);
  });

  it("has a baseline of self-consumption only", () => {
    // 5.5 kWh above the minimum deliver 4.95 kWh into the first hours, at 5, 5, 30, 30 and most of 30.
    const plan = planSite(siteInput(cheapThenExpensive, { soc: { pct: 65, ageMinutes: 0, lost: false } }));
    const baseline = plan.days.reduce((sum, day) => sum + day.baselineCostEur, 0);
    // With the same energy stored at the end.
    expect(baseline - plan.savingsStoredEur).toBeCloseTo((0.05 * 30 + 3 * 30) / 100, 9);
    const cost = plan.days.reduce((sum, day) => sum + day.costEur, 0);
    expect(plan.savingsEur).toBeCloseTo(baseline - cost, 12);
    expect(plan.expectation.costEur).toBeCloseTo(cost, 12);
    // No plan is worse than the baseline.
    expect(plan.savingsEur).toBeGreaterThanOrEqual(-1e-9);
  });
});

describe("the discharge cap", () => {
  const reason = (pricesCtKwh: readonly number[], changes: Partial<SiteInput> = {}) => {
    const { scalars } = planSite(siteInput(pricesCtKwh, changes));
    return [
      scalars.dischargeReason,
      Math.round(scalars.dischargePowerKw * 1000) / 1000,
      scalars.adaptiveDischarge,
    ];
  };
  const soc = (pct: number, lost = false) => ({ soc: { pct, ageMinutes: lost ? 121 : 0, lost } });
  const expensiveLater = [20, 40, 40, 40, 40];
  const noGrid = { battery: { ...siteInput([]).battery, gridChargeAllowed: false } };

  it("is 0 while the energy is kept for more expensive hours", () => {
    expect(reason(expensiveLater, { ...soc(40), ...noGrid })).toEqual(["cheap_hold", 0, true]);
  });
  it("is full, not cheap_hold, for a battery without discharge power", () => {
    const battery = { ...siteInput([]).battery, maxDischargePowerKw: 0, gridChargeAllowed: false };
    const plan = planSite(siteInput(expensiveLater, { ...soc(60), battery }));
    expect(plan.days[0]!.hours[0]!.action).toBe("idle");
    expect(plan.days[0]!.cover).toBe("satisfied");
    expect([plan.scalars.dischargeReason, plan.scalars.dischargePowerKw]).toEqual(["full", 0]);
  });
  it("is full when the energy covers all hours ahead", () => {
    expect(reason(expensiveLater, { ...soc(100), ...noGrid })).toEqual(["full", 5, true]);
  });
  it("is 0 near the minimum without a recharge before the next expensive block", () => {
    expect(reason([40, 40, 20, 40], { ...soc(14), ...noGrid })).toEqual(["near_min_soc", 0, true]);
  });
  it("is 0 near the minimum where the sun comes after days, although every hour until then is expensive", () => {
    const prices = new Array<number>(51).fill(40);
    const pvKwh = [...new Array<number>(50).fill(0), 5];
    expect(reason(prices, { ...soc(14), ...noGrid, pvKwh })).toEqual(["near_min_soc", 0, true]);
    expect(reason(prices.slice(30), { ...soc(14), ...noGrid, pvKwh: pvKwh.slice(30) })).toEqual([
      "full",
      5,
      true,
    ]);
  });
  it("is full near the minimum when a recharge comes first", () => {
    expect(reason([40, 40, 1, 1, 40], soc(14))).toEqual(["full", 5, true]);
  });
  it("is full in a charge hour, also while the wallbox charges", () => {
    expect(reason(cheapThenExpensive, { ...soc(11), ev: { powerKw: 7, batterySharePct: 0 } })).toEqual([
      "full",
      5,
      true,
    ]);
  });
  it("is 0 while the wallbox charges without a share of the battery", () => {
    expect(reason(expensiveLater, { ...soc(100), ev: { powerKw: 7, batterySharePct: 0 } })).toEqual([
      "ev_charge_block",
      0,
      true,
    ]);
  });
  it("is the load plus the wallbox's share while it charges with one", () => {
    const ev = { powerKw: 8, batterySharePct: 25 };
    expect(reason(expensiveLater, { ...soc(100), ev, sitePowerKw: 0.7 })).toEqual([
      "ev_charge_limit",
      2.7,
      true,
    ]);
    expect(reason(expensiveLater, { ...soc(100), ev })).toEqual(["ev_charge_limit", 3, true]);
  });
  it("ignores a wallbox of 0.5 kW", () => {
    expect(
      reason(expensiveLater, { ...soc(100), ev: { powerKw: 0.5, batterySharePct: 0 }, ...noGrid })[0],
    ).toBe("full");
  });
  it("is full when telemetry is lost, and nothing charges", () => {
    expect(reason(cheapThenExpensive, soc(10, true))).toEqual(["telemetry_lost", 5, false]);
    expect(planSite(siteInput(cheapThenExpensive, soc(10, true))).scalars).toMatchObject({
      chargeNow: 0,
      chargePowerKw: 0,
    });
  });
});

describe("planSite, random sites", () => {
  const price = fc.double({ min: -30, max: 60, noNaN: true });
  const sites = fc.record({
    minute: fc.integer({ min: 0, max: 59 }),
    hours: fc.array(
      fc.record({
        price,
        load: fc.double({ min: 0, max: 4, noNaN: true }),
        pv: fc.double({ min: 0, max: 6, noNaN: true }),
      }),
      { minLength: 1, maxLength: 40 },
    ),
    pct: fc.double({ min: 0, max: 100, noNaN: true }),
    gridChargeAllowed: fc.boolean(),
    exportAllowed: fc.boolean(),
  });

  it("balances energies, SOC, days and outputs", () => {
    fc.assert(
      fc.property(sites, ({ minute, hours, pct, gridChargeAllowed, exportAllowed }) => {
        const now = new Date(Date.parse("2026-01-15T09:00:00Z") + minute * 60_000);
        const input = siteInput(
          hours.map((hour) => hour.price),
          {
            now,
            loadKwh: hours.map((hour) => hour.load),
            pvKwh: hours.map((hour) => hour.pv),
            soc: { pct, ageMinutes: 0, lost: false },
            battery: { ...siteInput([]).battery, gridChargeAllowed, exportAllowed },
          },
        );
        const plan = planSite(input);
        let socPct = pct;
        for (const day of plan.days) {
          expect(day.socStartPct).toBeCloseTo(socPct, 9);
          for (const hour of day.hours) {
            const { loadKwh, pvKwh, chargeKwh, dischargeKwh, importKwh, exportKwh } = hour;
            expect(loadKwh + chargeKwh + exportKwh).toBeCloseTo(pvKwh + dischargeKwh + importKwh, 6);
            socPct += 10 * (0.9 * chargeKwh - dischargeKwh / 0.9);
            expect(hour.socEndPct).toBeCloseTo(socPct, 5);
            if (!gridChargeAllowed)
              expect(chargeKwh).toBeLessThanOrEqual(Math.max(0, pvKwh - loadKwh) + 1e-6);
          }
          socPct = day.hours.at(-1)!.socEndPct;
        }
        const charged = plan.chargeHours.reduce((sum, run) => sum + run.energyKwh, 0);
        expect(charged).toBeCloseTo(plan.scalars.energyChargeKwh, 9);
        expect(plan.solver.objectiveEur - plan.solver.boundEur).toBeGreaterThan(-1e-7);
        for (const value of Object.values(outputsDocument(plan)))
          expect(value === null || Number.isFinite(value)).toBe(true);
        expect(plan.scalars.dischargePowerKw).toBeGreaterThanOrEqual(0);
        expect(plan.scalars.dischargePowerKw).toBeLessThanOrEqual(5);
        expect(plan.scalars.hoursNeeded * 4).toBe(Math.round(plan.scalars.hoursNeeded * 4));
        if (!gridChargeAllowed) expect(plan.chargeHours).toEqual([]);
      }),
      { seed: 4, numRuns: 40 },
    );
  });
});
