import { describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { seededRandom } from "../../../src/plan/physics/random.js";
import type { Delivered } from "../../../src/plan/windows/delivered.js";
import type { SlotCosts } from "../../../src/plan/windows/slot-costs.js";
import { slotMoment } from "../../../src/plan/windows/slot-schedule.js";
import { memoryDocuments } from "../../api/fake-services.js";
import { hour, slotOf, startedFlex } from "./started-flex.js";

const CAPACITY_KWH = 50;
const TARGET_KWH = 40;
const MIN_KW = 1.38;
const MAX_KW = 3.68;
const commuter = slotOf({
  kind: "wallbox",
  optimise: "cost",
  power_kw: MAX_KW,
  vehicle: {
    capacity_kwh: CAPACITY_KWH,
    min_soc_pct: 10,
    target_soc_pct: (100 * TARGET_KWH) / CAPACITY_KWH,
    departure: "07:00",
    min_power_kw: null,
    max_power_kw: null,
    phases: 1,
    efficiency_pct: 100,
    surplus: "ignore",
  },
});

/** A plan of the devices from `now` to 07:00 that puts what is needed into any hours, at costs that are others each time. */
function anyCosts(random: ReturnType<typeof seededRandom>, now: Date, neededKwh: number): SlotCosts {
  const steps: { start: Date; end: Date }[] = [];
  for (let start = now; start < hour(31); ) {
    const end = new Date((Math.floor(start.getTime() / HOUR_MS) + 1) * HOUR_MS);
    steps.push({ start, end });
    start = end;
  }
  const kwh = steps.map(() => 0);
  const mostKwh = steps.map(({ start, end }) => (MAX_KW * (end.getTime() - start.getTime())) / HOUR_MS);
  let left = neededKwh;
  for (const t of [...steps.keys()].sort(() => random.uniform() - 0.5)) {
    if (left <= 0) break;
    kwh[t] = Math.min(left, mostKwh[t]! * (random.uniform() < 0.5 ? 1 : 0.6));
    left -= kwh[t]!;
  }
  const ctKwh = steps.map(() => 10 + 20 * random.uniform());
  return { steps, ctKwh, kwh, mostKwh, minPowerKw: MIN_KW, upToDemand: true };
}

interface Night {
  seed: number;
  /** Quarter-hours since 18:00 before which the gateway is restarted. */
  restarts?: readonly number[];
  /** kWh that the vehicle holds more (or less) from a quarter-hour on. */
  used?: ReadonlyMap<number, number>;
  /** Power that is taken by hand in a quarter-hour, kW. */
  byHand?: (quarter: number) => number;
}

/** A night that is planned anew each quarter-hour: starts of the vehicle, and what it lacks at its departure. */
async function nightOf({ seed, restarts = [], used = new Map(), byHand = () => 0 }: Night) {
  const random = seededRandom(seed);
  const documents = memoryDocuments();
  let storedKwh = 26;
  let lastKwh = 0;
  const setting = {
    slots: [commuter],
    documents,
    deviceState: () => ({ socPct: (100 * storedKwh) / CAPACITY_KWH }),
    delivered: (): Delivered => ({ kwh: lastKwh, isMeasured: true }),
  };
  let flex = await startedFlex({ ...setting, now: hour(18) });
  await flex.service.sites.of("home").setPlugged(1, 1);
  let [starts, wasOn] = [0, false];
  for (let quarter = 0; quarter < 52; quarter++) {
    const now = new Date(hour(18).getTime() + quarter * QUARTER_MS);
    await flex.clock.set(now);
    if (restarts.includes(quarter)) {
      await flex.service.stop();
      flex = await startedFlex({ ...setting, now });
    }
    storedKwh += used.get(quarter) ?? 0;
    flex.service.sites.of("home").setCosts(new Map([[1, anyCosts(random, now, TARGET_KWH - storedKwh)]]));
    const powerKw = Math.max(byHand(quarter), slotMoment(flex.plan(), now)?.powerKw ?? 0);
    lastKwh = Math.min(powerKw / 4, CAPACITY_KWH - storedKwh);
    storedKwh += lastKwh;
    const isOn = lastKwh > 0;
    if (isOn && !wasOn) starts++;
    wasOn = isOn;
  }
  await flex.service.stop();
  return { starts, missingKwh: Math.max(0, TARGET_KWH - storedKwh) };
}

describe("a vehicle whose plan changes each quarter-hour", () => {
  it("is started three times a night at most, also over restarts, and is full at its departure", async () => {
    for (const night of [{ seed: 1 }, { seed: 5, restarts: [3, 9, 10, 21, 34, 40] }]) {
      const { starts, missingKwh } = await nightOf(night);
      expect(starts).toBeLessThanOrEqual(3);
      expect(missingKwh).toBeLessThan(0.2);
    }
  });

  it("counts what its owner starts by hand, and starts once more where it would not be full", async () => {
    // It is used for something else in the last hours, long after its last start.
    const { starts, missingKwh } = await nightOf({
      seed: 6,
      byHand: (quarter) => (quarter === 1 || quarter === 4 ? 3 : 0),
      used: new Map([[44, -6]]),
    });
    expect(starts).toBeLessThanOrEqual(4);
    expect(missingKwh).toBeLessThan(0.2);
  });
});

/** Lengths of the runs in quarter-hours. */
function lengthsOf(isOn: readonly boolean[]): number[] {
  const lengths: number[] = [];
  for (const [n, on] of isOn.entries()) {
    if (!on) continue;
    if (isOn[n - 1] === true) lengths[lengths.length - 1]!++;
    else lengths.push(1);
  }
  return lengths;
}

describe("a device whose plan changes each quarter-hour", () => {
  it("at a wallbox without a vehicle in the settings is started once more rather than leave its energy out", async () => {
    const flex = await startedFlex({
      slots: [slotOf({ kind: "wallbox", energy_kwh: 20, window_start_hour: 20, window_end_hour: 7 })],
      now: hour(12),
      price: () => 20,
      // Three short runs by hand in the afternoon.
      delivered: (_site, _slot, from) => {
        const at = (from.getTime() - hour(0).getTime()) / HOUR_MS;
        return { kwh: at === 13 || at === 14 || at === 15 ? 0.75 : 0, isMeasured: true };
      },
    });
    await flex.clock.set(hour(17));
    expect(flex.plan().result).toMatchObject({ demandHours: 2, unmetHours: 0 });
    expect(flex.windows().length).toBe(1);
    await flex.service.stop();
  });

  it("with hours in a window, such as a heat pump, runs for its least time", async () => {
    const random = seededRandom(12);
    const flex = await startedFlex({
      slots: [
        slotOf({ kind: "heat_pump", power_kw: 2, hours: 5, window_start_hour: 0, window_end_hour: 12 }),
      ],
    });
    const isOn: boolean[] = [];
    for (let quarter = 0; quarter < 48; quarter++) {
      const prices = Array.from({ length: 48 }, () => 10 + 20 * random.uniform());
      flex.prices.of = (of) => prices[of % 48]!;
      await flex.clock.set(new Date(hour(0).getTime() + quarter * QUARTER_MS));
      isOn.push(flex.charging() === 1);
    }
    await flex.service.stop();
    const lengths = lengthsOf(isOn);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(20);
    expect(lengths.length).toBeLessThanOrEqual(5);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(4);
  });
});
