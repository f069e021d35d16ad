import { describe, expect, it } from "vitest";
import { planSite } from "../../src/plan/plan-site.js";
import type { SiteInput } from "../../src/plan/site-input.js";
import { siteInput, steps } from "./site-fixture.js";

const START = new Date("2026-01-15T00:00:00Z");
const minutesOn = (minutes: number) => new Date(START.getTime() + minutes * 60_000);
const soc = (pct: number) => ({ pct, ageMinutes: 0, lost: false });

/** The same house a while later: prices as they are then, from the hour in progress on. */
function replanned(
  before: SiteInput,
  minutes: number,
  pricesCtKwh: readonly number[],
  pct: number,
): SiteInput {
  const now = minutesOn(minutes);
  const previous = planSite(before);
  return { ...siteInput(pricesCtKwh, { now, soc: soc(pct) }), previous };
}

describe("a plan that stands", () => {
  const twoCheap = [5, 5, 30];
  const load = { loadKwh: [0, 0, 3] };
  const first = siteInput(twoCheap, load);

  it("is kept when another hour becomes cheaper by next to nothing", () => {
    // 3 / 0.81 = 3.7 kWh: 0.1 ct less in the second hour would save 0.37 ct.
    const slightly = replanned(first, 1, [5, 4.9, 30], 10);
    const fresh = planSite({ ...siteInput([5, 4.9, 30], { now: minutesOn(1), ...load }) });
    expect(fresh.scalars.chargeNow).toBe(0);
    const kept = planSite({ ...slightly, ...load });
    expect(kept.scalars.chargeNow).toBe(1);
    // The plan says what its calm costs.
    const regretCt = 100 * (kept.solver.objectiveEur - kept.solver.boundEur);
    expect(regretCt).toBeGreaterThan(0);
    expect(regretCt).toBeLessThan(2);
  });

  it("gives way when that saves more", () => {
    expect(planSite({ ...replanned(first, 1, [9, 1, 30], 10), ...load }).scalars.chargeNow).toBe(0);
  });

  it("goes on to its stop SOC and no further", () => {
    const stop = planSite(first).scalars.chargeStopSocPct;
    const halfWay = planSite({ ...replanned(first, 20, twoCheap, 25), ...load });
    expect(halfWay.scalars).toMatchObject({ chargeNow: 1 });
    expect(halfWay.scalars.chargeStopSocPct).toBeCloseTo(stop, 6);
    expect(planSite({ ...replanned(first, 40, twoCheap, stop), ...load }).scalars.chargeNow).toBe(0);
  });

  it("charges on in the middle of a run when the battery is a little ahead, at the power that it has", () => {
    // 6.48 kWh at 30 ct take 8 kWh of the grid: 3 kW in the two cheap hours, 2 kW in the one between them.
    const prices = [5, 6, 5, 30, 30];
    const house = {
      loadKwh: [0, 0, 0, 3, 3.48],
      battery: { ...siteInput([]).battery, maxChargePowerKw: 3 },
    };
    const begun = planSite(siteInput(prices, house));
    const between = { ...house, loadKwh: house.loadKwh.slice(1) };
    const inIt = planSite({
      ...siteInput(prices.slice(1), { ...between, now: minutesOn(60), soc: soc(37) }),
      previous: begun,
    });
    expect(inIt.scalars.chargePowerKw).toBeCloseTo(2, 6);
    expect(inIt.steps[0]!.socEndPct).toBeCloseTo(55, 6);
    const ahead = planSite({
      ...siteInput(prices.slice(1), { ...between, now: minutesOn(110), soc: soc(55.3) }),
      previous: inIt,
    });
    expect(ahead.scalars.chargeNow).toBe(1);
    expect(ahead.scalars.chargePowerKw).toBeCloseTo(2, 6);
    expect(ahead.scalars.planHash).toBe(begun.scalars.planHash);
    expect(ahead.scalars.chargeStopSocPct).toBeCloseTo(begun.scalars.chargeStopSocPct, 6);
  });

  it("is not kept in the fail-safe, nor after it", () => {
    const lost = { ...soc(10), lost: true };
    const safe = planSite({ ...replanned(first, 1, twoCheap, 10), ...load, soc: lost });
    expect(safe.scalars.chargeNow).toBe(0);
    const back = siteInput([5, 4.9, 30], { now: minutesOn(2), ...load });
    expect(planSite({ ...back, previous: safe }).scalars.chargeNow).toBe(0);
  });

  it("holds over the hour when the plan before meant to hold", () => {
    const prices = [20, 20.5, 40, 40];
    const house = { loadKwh: [1, 1, 1, 1], battery: { ...siteInput([]).battery, gridChargeAllowed: false } };
    const holding = siteInput(prices, { ...house, soc: soc(32) });
    expect(planSite(holding).scalars.dischargeReason).toBe("cheap_hold");
    const later = {
      ...siteInput(prices.slice(1), { ...house, now: minutesOn(60), soc: soc(32.3) }),
      previous: planSite(holding),
    };
    expect(planSite(later).scalars.dischargeReason).toBe("cheap_hold");
  });

  it("says nothing about another price step", () => {
    const now = minutesOn(0);
    const plan = planSite({ ...siteInput(twoCheap, load), prices: steps(now, [...twoCheap, ...twoCheap]) });
    expect(plan.steps[0]!.start).toEqual(now);
    expect(plan.steps.at(-1)!.end).toEqual(minutesOn(360));
  });
});
