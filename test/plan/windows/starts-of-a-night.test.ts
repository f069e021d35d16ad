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
  await flex.service.setPlugged("home", 1, 1);
  let [starts, wasOn] = [0, false];
  for (let quarter = 0; quarter < 52; quarter++) {
    const now = new Date(hour(18).getTime() + quarter * QUARTER_MS);
    await flex.clock.set(now);
    if (restarts.includes(quarter)) {
      await flex.service.stop();
      flex = await startedFlex({ ...setting, now });
    }
    storedKwh += used.get(quarter) ?? 0;
    flex.service.setCosts("home", new Map([[1, anyCosts(random, now, TARGET_KWH - storedKwh)]]));
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
