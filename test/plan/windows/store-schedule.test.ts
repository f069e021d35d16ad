import { describe, expect, it } from "vitest";
import { HOUR_MS, hoursOf, type Interval, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import { seededRandom } from "../../../src/plan/physics/random.js";
import type { PricedSlot } from "../../../src/plan/windows/prices.js";
import type { FlexResult } from "../../../src/plan/windows/result.js";
import type { RunLimits } from "../../../src/plan/windows/run-limits.js";
import type { SlotTank } from "../../../src/plan/windows/slot-costs.js";
import { withStorePlan } from "../../../src/plan/windows/store-schedule.js";
import { limitsOf, nextSwitching, type Switching } from "../../../src/plan/windows/switching.js";

const MIN_KW = 1.38;
const MAX_KW = 3.68;
const MIDNIGHT_MS = Date.parse("2026-05-03T22:00:00Z");
const at = (hours: number) => new Date(MIDNIGHT_MS + hours * HOUR_MS);

/** The next departure is at the end of the last hour. */
function scheduleOf({
  first = 0,
  from = first,
  ct,
  kwh,
  limits = { leastRunHours: 0.5, startsOn: () => 3 },
  now = from,
  tank,
}: {
  /** Hour of the first price. */
  first?: number;
  /** Hour at which the plan was made. */
  from?: number;
  /** Hour at which the schedule is made. */
  now?: number;
  tank?: SlotTank;
  /** Price of each hour, which is also the cost. */
  ct: readonly number[];
  /** Energy that the plan of the devices has put into each hour. */
  kwh: readonly number[];
  limits?: RunLimits;
}) {
  const prices = ct.flatMap((importCtKwh, hour) =>
    Array.from({ length: 4 }, (_, quarter): PricedSlot => {
      const start = new Date(at(first + hour).getTime() + quarter * QUARTER_MS);
      const end = new Date(start.getTime() + QUARTER_MS);
      return {
        start,
        end,
        spotCtKwh: importCtKwh,
        importCtKwh,
        exportCtKwh: 0,
        source: "day_ahead",
        quartile: 1,
      };
    }),
  );
  const steps = ct.map(
    (_, hour): Interval => ({ start: at(Math.max(from, first + hour)), end: at(first + hour + 1) }),
  );
  const end = at(first + ct.length);
  const result: FlexResult = {
    mode: "cheapest",
    role: "consume",
    consecutive: "off",
    allocation: "cheapest",
    deadlineStrict: false,
    repeatDaily: false,
    plugged: 1,
    zone: "Europe/Vienna",
    gridMinutes: 15,
    window: { start: at(0), end, from: at(0), askedEnd: end, truncated: false, phase: "open" },
    powerKw: MAX_KW,
    batterySharePct: undefined,
    demandHours: 0,
    demandEnergyKwh: kwh.reduce((sum, each) => sum + each, 0),
    batteryEnergyKwh: undefined,
    unmetHours: 0,
    slots: [],
    windows: [],
    segments: [],
    averageCtKwh: undefined,
    windowAverageCtKwh: undefined,
  };
  const costs = {
    steps,
    ctKwh: ct,
    kwh,
    mostKwh: steps.map((step) => MAX_KW * hoursOf(step)),
    minPowerKw: MIN_KW,
    upToDemand: tank === undefined,
    ...(tank && { tank }),
  };
  const open = prices.filter(({ end }) => end > at(now));
  const { slots } = withStorePlan(result, open, costs, { limits, mayWait: tank === undefined });
  return {
    slots,
    /** Powers of the quarter-hours of an hour, kW. */
    powers: (hour: number) =>
      slots
        .filter(({ start }) => start >= at(hour) && start < at(hour + 1))
        .map(({ setPointKw }) => setPointKw),
    totalKwh: slots.reduce((sum, { energyKwh }) => sum + energyKwh!, 0),
  };
}

describe("a vehicle that is planned by cost", () => {
  it("takes its full power while importing earns money, less of what is dearer later", () => {
    const { powers, totalKwh } = scheduleOf({ ct: [20, -3, 15, 25], kwh: [0, 2, 2, 1] });
    for (const kw of powers(1)) expect(kw).toBeCloseTo(MAX_KW, 6);
    expect(powers(3)).toEqual([]);
    expect(totalKwh).toBeCloseTo(5, 6);
  });

  it("takes its full power at the cheapest price of all that follow", () => {
    const { powers, totalKwh } = scheduleOf({ ct: [12, 14, 15, 18], kwh: [2.5, 1.5, 1.5, 0] });
    for (const kw of powers(0)) expect(kw).toBeCloseTo(MAX_KW, 6);
    expect(totalKwh).toBeCloseTo(5.5, 6);
  });

  it("takes it once where a quarter-hour was emptied for an earlier one", () => {
    const { powers, slots, totalKwh } = scheduleOf({ ct: [-3, -1, 20], kwh: [1, 1, 0.5] });
    expect(powers(1)).toEqual([]);
    expect(slots.every(({ energyKwh }) => energyKwh! > 0)).toBe(true);
    expect(totalKwh).toBeCloseTo(2.5, 6);
  });

  it("is not throttled by what is left of the hour in which a plan is made", () => {
    const { powers } = scheduleOf({ from: 0.9, ct: [-2, 10, 20], kwh: [0.1 * MAX_KW, 1, 0] });
    expect(powers(0)[0]).toBeCloseTo(MAX_KW, 6);
  });

  it("leaves no crumb for a dear hour", () => {
    const { powers, slots, totalKwh } = scheduleOf({ ct: [10, 10, 11, 30, 12], kwh: [3.68, 3.4, 0, 0.3, 0] });
    expect(powers(3)).toEqual([]);
    expect(slots.length).toBeGreaterThan(7);
    expect(totalKwh).toBeCloseTo(7.38, 6);
  });

  it("makes no run of less than half a kWh", () => {
    for (const crumb of [0.1, 0.2, 0.35, 0.45]) {
      const { slots, totalKwh } = scheduleOf({ ct: [10, 10, 30, 9, 12], kwh: [3.68, 1.2, 0, crumb, 0] });
      let runKwh = 0;
      for (const [n, { start, energyKwh }] of slots.entries()) {
        const isNext = slots[n - 1]?.end.getTime() === start.getTime();
        if (!isNext && n > 0) expect(runKwh).toBeGreaterThanOrEqual(0.5);
        runKwh = (isNext ? runKwh : 0) + energyKwh!;
      }
      expect(runKwh).toBeGreaterThanOrEqual(0.5);
      expect(totalKwh).toBeCloseTo(4.88 + crumb, 6);
    }
  });
});

describe("a tank that is planned by cost", () => {
  // Little heat is left, and it is drawn at once; heat is dear for an hour and nearly free then.
  const ct = [50, 1, 1, 1];
  const tank: SlotTank = {
    storedKwh: 0,
    maxKwh: 4,
    stages: ct.map((_, hour) => ({ drawKwh: hour === 0 ? 0.4 : 0, leastKwh: 0, available: true })),
  };
  const dearQuarters = (limits: RunLimits, now = 0) =>
    scheduleOf({ ct, kwh: [1, 3, 0, 0], tank, limits, now }).slots.filter(({ start }) => start < at(1))
      .length;

  it("keeps to its least run while the costs are older than the run", () => {
    // Two quarter-hours after the start, with the costs of that time: two are still needed.
    expect(dearQuarters({ leastRunHours: 1, runningHours: 0 })).toBe(4);
    expect(dearQuarters({ leastRunHours: 1, runningHours: 0.5 }, 0.5)).toBe(2);
  });

  it("has runs of at least the least time where that is no whole number of quarter-hours", () => {
    expect(dearQuarters({ leastRunHours: 20 / 60, runningHours: 0 })).toBeGreaterThanOrEqual(2);
  });

  it("is started twice a day at most, in runs of their least length, and stays hot while its costs change", () => {
    const random = seededRandom(11);
    const zone = { zone: VIENNA, dayBegins: 0 };
    const drawKwh = (hour: number) => ([7, 12, 19, 20].includes(hour % 24) ? 1.2 : 0.06);
    const settings = { min_run_minutes: 30, max_starts_per_day: 2 };
    const quarterKwh = MIN_KW / 4;
    let switching: Switching | undefined;
    let costs = { first: 0, from: 0, ct: [] as number[], storedKwh: 2 };
    let heldKwh = 2;
    let coldest = heldKwh;
    const isOn: boolean[] = [];
    for (let quarter = 0; quarter < 3 * 96; quarter++) {
      const now = quarter / 4;
      const first = Math.floor(now);
      // Every third time they come a quarter-hour late.
      if (quarter % 3 !== 1)
        costs = {
          first,
          from: now,
          ct: Array.from({ length: 18 }, () => 10 + 20 * random.uniform()),
          storedKwh: heldKwh,
        };
      const { storedKwh, ...prices } = costs;
      const limits = limitsOf(settings, {
        budget: undefined,
        switching,
        isPlugged: true,
        now: at(now),
        ...zone,
      })!;
      const stages = prices.ct.map((_, t) => ({
        drawKwh: drawKwh(prices.first + t) * (t === 0 ? 1 - (prices.from % 1) : 1),
        leastKwh: 0,
        available: true,
      }));
      const tank: SlotTank = { storedKwh, maxKwh: 4, stages };
      const { slots } = scheduleOf({ ...prices, kwh: prices.ct.map(() => 0), limits, now, tank });
      const on = slots[0]?.start.getTime() === at(now).getTime();
      switching = nextSwitching(switching, on, at(now), zone);
      isOn.push(on);
      heldKwh = Math.min(4, heldKwh + (on ? quarterKwh : 0)) - drawKwh(first) / 4;
      coldest = Math.min(coldest, heldKwh);
      heldKwh = Math.max(0, heldKwh);
    }
    const begins = isOn.flatMap((on, n) => (on && isOn[n - 1] !== true ? [n] : []));
    const starts = [0, 1, 2].map((day) => begins.filter((n) => Math.floor(n / 96) === day).length);
    expect(Math.max(...starts)).toBeLessThanOrEqual(2);
    expect(begins.slice(0, -1).every((n) => isOn[n + 1])).toBe(true);
    expect(coldest).toBeGreaterThan(-0.2);
  });
});
