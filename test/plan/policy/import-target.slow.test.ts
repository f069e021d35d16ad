import { describe, expect, it } from "vitest";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import { planSite } from "../../../src/plan/plan-site.js";
import { chooseImportTarget } from "../../../src/plan/policy/import-target.js";
import { planPolicy } from "../../../src/plan/policy/plan-policy.js";
import type { PolicyInput } from "../../../src/plan/policy/policy-input.js";
import { seeded } from "../../support/random.js";
import { siteInput } from "../site-fixture.js";
import { BATTERY, HOUR_MS, hours, NOW } from "./problems.js";

/** Eight cheap hours at night, then dear ones; a load of 0.5 kW, at most 1 kW. */
const SITE: PolicyInput = {
  now: NOW,
  steps: hours(24, (h) => ({ importCtKwh: h < 8 ? 10 : 35 })),
  ratios: Array.from({ length: 24 }, () => [0.4, 0.6, 0.8, 1.2, 2]),
  battery: BATTERY,
  controls: ["charge", "hold", "block"],
};
const END = new Date(NOW.getTime() + 24 * HOUR_MS);
const price = (ctPerKw: number, floorKw = 0) => ({ floorKw, tiers: [{ overKw: 0, ctPerKw }], end: END });
const withTarget = (importTarget: ReturnType<typeof chooseImportTarget>): PolicyInput =>
  importTarget === undefined ? SITE : { ...SITE, grid: { importTarget } };
const imports = (site: PolicyInput) =>
  planPolicy(site)
    .simulate({ socKwh: 1, samples: 0 })
    .path.map(({ expected }) => expected.importKwh);

describe("a price on the month's peak", () => {
  it("spreads charging over the cheap hours", () => {
    const target = chooseImportTarget({ site: SITE, socKwh: 1, price: price(25) })!;
    const spread = imports(withTarget(target));
    const plain = imports(SITE);
    expect(Math.max(...plain)).toBeGreaterThan(5);
    expect(Math.max(...spread)).toBeLessThan(4);
    const charged = (kwh: number[]) => kwh.slice(0, 8).filter((of) => of > 1).length;
    expect(charged(spread)).toBeGreaterThan(charged(plain));
    // Most of the energy is still bought at night.
    const night = (kwh: number[]) => kwh.slice(0, 8).reduce((sum, of) => sum + of, 0);
    expect(night(spread)).toBeGreaterThan(0.7 * night(plain));
  });

  it("pays for more power where a kW costs less", () => {
    const at = (ct: number) => chooseImportTarget({ site: SITE, socKwh: 1, price: price(ct) })!.kw;
    expect(at(5)).toBeGreaterThan(at(500));
    expect(at(500)).toBeGreaterThanOrEqual(at(5000));
  });

  it("pays no more for power on the last day of a month because of the days after it", () => {
    const days = (count: number): PolicyInput => ({
      ...SITE,
      steps: hours(count, (h) => ({ importCtKwh: h % 24 < 3 ? 10 : 35 })),
      ratios: [],
    });
    const at = (count: number) =>
      [20, 80, 320].map(
        (ct) => chooseImportTarget({ site: days(count), socKwh: 1, price: price(ct, 1) })!.kw,
      );
    expect(at(168)).toEqual(at(24));
  });

  it("never chooses less than what is charged in any case, and uses it", () => {
    const target = chooseImportTarget({ site: SITE, socKwh: 1, price: price(5000, 4) })!;
    expect(target.kw).toBe(4);
    expect(Math.max(...imports(withTarget(target)))).toBeGreaterThan(3);
  });

  it("keeps the target while another saves next to nothing, and not below the floor", () => {
    const choose = (previousKw: number, floorKw = 0) =>
      chooseImportTarget({ site: SITE, socKwh: 1, price: price(500, floorKw), previousKw })!.kw;
    const best = chooseImportTarget({ site: SITE, socKwh: 1, price: price(500) })!.kw;
    expect(choose(best + 0.01)).toBe(best + 0.01);
    expect(choose(best + 2)).not.toBe(best + 2);
    expect(choose(1, 3)).toBeGreaterThanOrEqual(3);
  });

  it("lets the battery serve a measured load above the target, and charges below it", () => {
    // The dearest hours come last: without a target the battery would keep its energy for them.
    const steps = hours(24, (h) => ({ importCtKwh: h < 18 ? 25 : 60, loadKwh: h < 18 ? 0.5 : 3 }));
    const held = planPolicy({ ...SITE, steps });
    const shaving = planPolicy({ ...SITE, steps, grid: { importTarget: { kw: 2, ctPerKw: 500 } } });
    const now = { now: NOW, socKwh: 6, netLoadKw: 4 };
    expect(held.act(now).dischargeCapKw).toBe(0);
    expect(shaving.act(now)).toMatchObject({ mode: "free", dischargeCapKw: 5 });
    const cheapNow = hours(24, (h) => ({ importCtKwh: h < 1 ? 10 : 35 }));
    const policy = planPolicy({
      ...SITE,
      steps: cheapNow,
      grid: { importTarget: { kw: 3, ctPerKw: 500 } },
    });
    const { mode, chargePowerKw } = policy.act({ now: NOW, socKwh: 2, netLoadKw: 1.4 });
    expect(mode).toBe("charge");
    expect(chargePowerKw).toBeCloseTo(1.6, 6);
  });

  it("ignores steps that do not count", () => {
    const steps = SITE.steps.map((step, h) => ({ ...step, targetApplies: h >= 8 }));
    const site = { ...SITE, steps, grid: { importTarget: { kw: 1, ctPerKw: 500 } } };
    expect(imports(site).slice(0, 8)).toEqual(imports({ ...SITE, steps }).slice(0, 8));
  });

  it("changes nothing at a price of 0, and nothing where the peak is not reached", () => {
    expect(chooseImportTarget({ site: SITE, socKwh: 1, price: price(0) })).toBeUndefined();
    const prices = [20, 8, 8, 30, 40, 40];
    const plan = planSite(siteInput(prices));
    const peak = { ...price(0), counts: [] };
    expect(planSite(siteInput(prices, { peak }))).toEqual(plan);
    expect(plan.scalars.importTargetKw).toBeNull();
    expect(planSite(siteInput(prices, { peak: { ...price(300, 1), counts: [] } }))).toMatchObject({
      scalars: { importTargetKw: expect.any(Number) },
    });
  });

  it("avoids more than half of the avoidable cost of the peak while the load is uncertain", () => {
    const { ignored, planned, perfect } = closedLoop(300);
    const avoided = (ignored - planned) / (ignored - perfect);
    expect(avoided, JSON.stringify({ ignored, planned, perfect })).toBeGreaterThan(0.5);
  });
});

/** Three days of quarter-hours with a load that varies by hour and quarter-hour, decided each quarter-hour; ct. */
function closedLoop(ctPerKw: number) {
  const days = 3;
  const random = seeded(7);
  const expectedKw = (hour: number) => (hour % 24 >= 17 && hour % 24 < 22 ? 1.4 : 0.4);
  const ratios = [0.4, 0.6, 0.8, 1.2, 2];
  const factors = Array.from({ length: days * 24 }, () => random.pick(ratios));
  const loadKwh = Array.from(
    { length: days * 96 },
    (_, k) => (expectedKw(Math.floor(k / 4)) * factors[Math.floor(k / 4)]! * (0.8 + 0.4 * random.next())) / 4,
  );
  const importCt = (hour: number) => (hour % 24 < 5 ? 12 : hour % 24 >= 17 && hour % 24 < 21 ? 38 : 24);
  const end = new Date(NOW.getTime() + days * 24 * HOUR_MS);
  const terminal = [{ kwh: 10, ctKwh: 12 }];
  const stepsFrom = (hour: number) =>
    hours(days * 24, (h) => ({ importCtKwh: importCt(h), loadKwh: expectedKw(h) })).slice(hour);
  const run = (withPrice: boolean) => {
    let socKwh = 3;
    let ct = 0;
    let peakKw = 1;
    let policy!: ReturnType<typeof planPolicy>;
    let previousKw: number | undefined;
    for (const [k, kwh] of loadKwh.entries()) {
      const now = new Date(NOW.getTime() + (k * HOUR_MS) / 4);
      if (k % 4 === 0) {
        const steps = stepsFrom(k / 4);
        const site = { ...SITE, now, steps, ratios: steps.map(() => ratios), terminal };
        const target = withPrice
          ? chooseImportTarget({
              site,
              socKwh,
              price: { ...price(ctPerKw, peakKw), end },
              previousKw,
              samples: 4,
            })
          : undefined;
        previousKw = target?.kw;
        policy = planPolicy({ ...site, grid: target === undefined ? {} : { importTarget: target } });
      }
      const netLoadKw = (loadKwh[k - 1] ?? kwh) * 4;
      const command = policy.act({ now, socKwh, netLoadKw });
      const step = { minutes: 15, loadKwh: kwh, pvKwh: 0 };
      const flows = inverterStep({ storage: BATTERY, command, step, socKwh });
      ct += flows.importKwh * importCt(Math.floor(k / 4)) + flows.dischargeKwh;
      peakKw = Math.max(peakKw, flows.importKwh * 4);
      socKwh = flows.socEndKwh;
    }
    return ct - 12 * socKwh + peakKw * ctPerKw;
  };
  const known = loadKwh.map((kwh, k) => ({
    start: new Date(NOW.getTime() + (k * HOUR_MS) / 4),
    minutes: 15,
    importCtKwh: importCt(Math.floor(k / 4)),
    exportCtKwh: 7,
    loadKwh: kwh,
    pvKwh: 0,
    published: true,
  }));
  const perfect = [1, 1.25, 1.5, 1.75, 2, 2.5, 3].map((kw) => {
    const site = { ...SITE, steps: known, ratios: [], terminal, grid: { importTarget: { kw, ctPerKw } } };
    const { path } = planPolicy(site).simulate({ socKwh: 3, samples: 0 });
    let ct = -12 * path.at(-1)!.expected.socEndKwh;
    let peakKw = 1;
    for (const [k, { expected }] of path.entries()) {
      ct += expected.importKwh * known[k]!.importCtKwh + expected.dischargeKwh;
      peakKw = Math.max(peakKw, expected.importKwh * 4);
    }
    return ct + peakKw * ctPerKw;
  });
  return { ignored: run(false), planned: run(true), perfect: Math.min(...perfect) };
}
