import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TimedValue } from "../../src/core/domain/counter.js";
import type { LiveState, Sample } from "../../src/core/domain/sample.js";
import { type GateState, judge } from "../../src/telemetry/judge-reading.js";
import { ReadingGate } from "../../src/telemetry/reading-gate.js";
import {
  batteryLimits,
  isPossibleChange,
  type ReadingLimits,
  readingLimits,
  tankLimits,
  vehicleLimits,
} from "../../src/telemetry/reading-limits.js";

import { slotSettings } from "../api/fake-services.js";
import { PLAIN_BATTERY } from "../support/plain-battery.js";

const start = new Date("2026-01-14T14:05:00Z");
const at = (second: number) => new Date(start.getTime() + second * 1000);
const reading = (second: number, value: number): TimedValue => ({ at: at(second), value });

const battery = { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5, efficiency_pct: 81 };
const limits = batteryLimits(battery);

/** The used values after a row of readings. */
function usedOf(readings: readonly TimedValue[], bounds: ReadingLimits = limits): number[] {
  let state: GateState = {};
  const used: number[] = [];
  for (const next of readings) {
    const judged = judge(state, next, bounds);
    state = judged.state;
    used.push(...judged.used.map(({ value }) => value));
  }
  return used;
}

// 50 °C in °F, and a sensor without contact.
it.each([122, -40])("of a tank is never used where water cannot have it (%d)", (value) => {
  const tank = {
    limits: new Map([["slot_1_temperature_c", tankLimits({ power_kw: 2 }, { litres: 200 })]] as const),
    live: {},
  };
  const gate = new ReadingGate();
  for (const second of [0, 60, 120])
    expect(
      gate.pass([{ at: at(second), values: { slot_1_temperature_c: value } }], { ...tank, now: at(second) }),
    ).toEqual([]);
  expect(gate.held()).toMatchObject([{ reading: "slot_1_temperature_c", value }]);
  expect(gate.dueAt()).toBeUndefined();
});

describe("a reading of the same time", () => {
  const counter = { kind: "counter", mostKw: 20 } as const;
  it.each<[string, readonly TimedValue[], ReadingLimits, readonly number[]]>([
    ["replaces the first one", [reading(0, 80), reading(0, 20)], limits, [80, 20]],
    ["replaces a later one", [reading(0, 80), reading(60, 80), reading(60, 84)], limits, [80, 80, 84]],
    ["is judged by the one before", [reading(0, 80), reading(60, 80), reading(60, 20)], limits, [80, 80]],
    [
      "may correct a counter down",
      [reading(0, 100), reading(3600, 109), reading(3600, 104)],
      counter,
      [100, 109, 104],
    ],
    [
      "may correct it up",
      [reading(0, 100), reading(3600, 104), reading(3600, 109)],
      counter,
      [100, 104, 109],
    ],
    [
      "counts once",
      [reading(0, 100), reading(0, 90), reading(0, 70), reading(3600, 75)],
      counter,
      [100, 90, 70, 75],
    ],
  ])("%s", (_, readings, bounds, expected) => {
    expect(usedOf(readings, bounds)).toEqual(expected);
  });
});

describe("the limits of a change", () => {
  it("are twice what capacity and power of a battery allow", () => {
    // 5 kW in 10 kWh are 50 % per hour; one-way efficiency 0.9.
    expect(limits).toEqual({ upPerHour: 100, downPerHour: expect.closeTo(111.1, 1), tolerance: 5 });
    expect(isPossibleChange(reading(0, 50), reading(1800, 99), limits)).toBe(true);
    expect(isPossibleChange(reading(0, 50), reading(600, 75), limits)).toBe(false);
  });

  // https://github.com/evcc-io/evcc/issues/26889
  it("let a vehicle drive", () => {
    const vehicle = vehicleOf({ capacity_kwh: 60 });
    const bounds = vehicleLimits({ power_kw: 11 }, vehicle);
    expect(isPossibleChange(reading(0, 80), reading(1800, 10), bounds)).toBe(true);
    expect(isPossibleChange(reading(0, 80), reading(60, 0), bounds)).toBe(false);
    expect(isPossibleChange(reading(0, 20), reading(3600, 65), bounds)).toBe(false);
  });

  // https://github.com/esphome/issues/issues/1409
  it("let a bath be filled from a tank, but not a thermometer that shows 85 °C after its start", () => {
    const bounds = tankLimits({ power_kw: 2 }, { litres: 200 });
    expect(isPossibleChange(reading(0, 60), reading(300, 15), bounds)).toBe(true);
    expect(isPossibleChange(reading(0, 52), reading(10, 85), bounds)).toBe(false);
    expect(isPossibleChange(reading(0, 52), reading(10, 0), bounds)).toBe(false);
  });

  it("exist for what the settings describe", () => {
    const plant = {
      battery: { ...PLAIN_BATTERY, capacity_kwh: 10 },
      batteries: [],
      slots: [slotSettings({ slot: 2, vehicle: vehicleOf({ capacity_kwh: 60 }) }), slotSettings({ slot: 3 })],
    };
    const changing = (of: Parameters<typeof readingLimits>[0]) =>
      [...readingLimits(of)].filter(([, { kind }]) => kind === undefined).map(([reading]) => reading);
    expect(changing(plant)).toEqual(["soc_pct", "slot_2_soc_pct"]);
    expect(changing({ battery: null, batteries: [], slots: [] })).toEqual([]);
  });
});

describe("an impossible reading", () => {
  // https://github.com/wills106/homeassistant-solax-modbus/issues/1800
  it("between two good ones is not used", () => {
    expect(usedOf([reading(0, 100), reading(5, 0), reading(8, 100), reading(11, 100)])).toEqual([
      100, 100, 100,
    ]);
  });

  it("is used with the second one that confirms it", () => {
    expect(usedOf([reading(0, 90), reading(5, 40), reading(10, 40), reading(15, 41)])).toEqual([
      90, 40, 40, 41,
    ]);
  });

  it("is not confirmed by one that differs as much, nor by itself sent twice", () => {
    expect(usedOf([reading(0, 90), reading(5, 0), reading(10, 50), reading(15, 90)])).toEqual([90, 90]);
    expect(usedOf([reading(0, 90), reading(5, 0), reading(5, 0), reading(6, 90)])).toEqual([90, 90]);
  });

  it("is possible again after the time that such a change takes", () => {
    expect(usedOf([reading(0, 100), reading(5, 0), reading(3600, 4)])).toEqual([100, 4]);
  });

  it("of the past completes the history", () => {
    expect(usedOf([reading(60, 100), reading(0, 3)])).toEqual([100, 3]);
  });

  it("property: a single one among possible ones is never used, and a real change is after two", () => {
    const soc = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(soc, soc, fc.integer({ min: 1, max: 30 }), (before, other, seconds) => {
        fc.pre(Math.abs(before - other) > 10);
        const single = usedOf([reading(0, before), reading(seconds, other), reading(2 * seconds, before)]);
        expect(single).toEqual([before, before]);
        const real = usedOf([reading(0, before), reading(seconds, other), reading(2 * seconds, other)]);
        expect(real).toEqual([before, other, other]);
      }),
    );
  });
});

describe("the gate of a site", () => {
  const bounds = new Map([["soc_pct" as const, limits]]);
  const sample = (second: number, soc: number, more: Sample["values"] = {}): Sample => ({
    at: at(second),
    values: { soc_pct: soc, ...more },
  });
  const pass = (gate: ReadingGate, samples: readonly Sample[], live: LiveState = {}, now = at(1e6)) =>
    gate.pass(samples, { limits: bounds, live, now });

  it("passes the other readings of the sample", () => {
    const gate = new ReadingGate();
    pass(gate, [sample(0, 80)]);
    expect(pass(gate, [sample(5, 0, { pv_power_kw: 2 })])).toEqual([
      { at: at(5), values: { pv_power_kw: 2 } },
    ]);
    expect(gate.held()).toMatchObject([
      { reading: "soc_pct", value: 0, at: at(5), used: { value: 80, at: at(0) } },
    ]);
    expect(pass(gate, [sample(10, 1)])).toEqual([sample(5, 0), sample(10, 1)]);
    expect(gate.held()).toEqual([]);
  });

  // https://github.com/evcc-io/evcc/issues/28736
  it("compares with the last reading before a restart, and with that of several batteries", () => {
    const gate = new ReadingGate();
    const live = { soc_pct: { value: 80, at: at(0) } };
    expect(pass(gate, [sample(5, 0)], live)).toEqual([]);
    expect(pass(gate, [sample(9, 30)], { soc_pct: { value: 29, at: at(8) } })).toEqual([sample(9, 30)]);
  });

  it("reads a batch in order of time", () => {
    const gate = new ReadingGate();
    expect(pass(gate, [sample(20, 80), sample(10, 0), sample(0, 80)])).toEqual([
      sample(0, 80),
      sample(20, 80),
    ]);
  });

  it("releases a reading that a device does not repeat: after two of its usual intervals, at most ten minutes", () => {
    const gate = new ReadingGate();
    pass(gate, [sample(0, 80), sample(60, 80), sample(120, 20)]);
    expect(gate.dueAt()).toEqual(at(240));
    expect(gate.release(at(239))).toEqual([]);
    expect(gate.release(at(240))).toEqual([sample(120, 20)]);
    expect([gate.held(), gate.dueAt()]).toEqual([[], undefined]);
    const rare = new ReadingGate();
    pass(rare, [sample(0, 80), sample(60, 20)]);
    expect(rare.dueAt()).toEqual(at(660));
    const quick = new ReadingGate();
    pass(quick, [sample(0, 80), sample(1, 80), sample(2, 20)]);
    expect(quick.dueAt()).toEqual(at(62));
  });

  it("begins anew after the clock was set back", () => {
    const gate = new ReadingGate();
    pass(gate, [sample(1000, 80)]);
    expect(pass(gate, [sample(5, 10)], {}, at(5))).toEqual([sample(5, 10)]);
  });
});

function vehicleOf(settings: { capacity_kwh: number }) {
  return {
    min_soc_pct: 20,
    target_soc_pct: 80,
    departure: "07:00",
    min_power_kw: null,
    max_power_kw: null,
    phases: 3,
    efficiency_pct: 90,
    surplus: "prefer",
    ...settings,
  } as const;
}
