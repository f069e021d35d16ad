import { beforeEach, describe, expect, it } from "vitest";
import type { LiveState } from "../../src/domain/sample.js";
import { NetLoadMeter } from "../../src/plan/net-load.js";

const MINUTE_MS = 60_000;
const START = new Date("2026-05-04T08:00:00Z");
const at = (minute: number) => new Date(START.getTime() + minute * MINUTE_MS);
const limits = { staleMinutes: 15, lostMinutes: 120 };

let meter: NetLoadMeter;
beforeEach(() => {
  meter = new NetLoadMeter();
});

function add(minute: number, readings: Partial<Record<keyof LiveState, number>>, hasPv = true) {
  const live: LiveState = Object.fromEntries(
    Object.entries(readings).map(([name, value]) => [name, { value, at: at(minute) }]),
  );
  meter.add(live, at(minute), { limits, hasPv });
}

describe("NetLoadMeter", () => {
  it("is the mean of load less PV over the last quarter-hour, each value until the next", () => {
    add(0, { load_power_kw: 1, pv_power_kw: 3 });
    add(10, { load_power_kw: 1, pv_power_kw: 0 });
    expect(meter.meanKw(at(15))).toBeCloseTo((10 * -2 + 5 * 1) / 15, 9);
    // The first value holds from minute 5 to 10.
    expect(meter.meanKw(at(20))).toBeCloseTo((5 * -2 + 10 * 1) / 15, 9);
  });

  it("needs the PV power only where there is PV", () => {
    add(0, { load_power_kw: 1 });
    expect(meter.meanKw(at(5))).toBeUndefined();
    add(6, { load_power_kw: 1 }, false);
    expect(meter.meanKw(at(6))).toBe(1);
  });

  it("forgets what is older than the quarter-hour", () => {
    add(0, { load_power_kw: 8, pv_power_kw: 0 });
    add(20, { load_power_kw: 1, pv_power_kw: 0 });
    add(40, { load_power_kw: 1, pv_power_kw: 0 });
    expect(meter.meanKw(at(41))).toBe(1);
    expect(meter.meanKw(at(80))).toBeUndefined();
  });

  it("follows from the counters, without what battery and vehicle took", () => {
    // 0.5 kWh imported in a quarter-hour, of which the battery takes 1 kW and the vehicle 0.4 kW.
    const others = { export_kwh: 7, battery_power_kw: 1, ev_power_kw: 0.4 };
    add(0, { import_kwh: 100, ...others });
    add(15, { import_kwh: 100.5, ...others });
    expect(meter.meanKw(at(15))).toBeCloseTo(2 - 1.4, 9);
  });

  it("knows nothing from counters that are less than five minutes apart, or without the battery's power", () => {
    add(0, { import_kwh: 100, battery_power_kw: 0 });
    add(4, { import_kwh: 100.2, battery_power_kw: 0 });
    expect(meter.meanKw(at(4))).toBeUndefined();
    add(5, { import_kwh: 100.2, battery_power_kw: 0 });
    expect(meter.meanKw(at(5))).toBeCloseTo(2.4, 9);
    const other = new NetLoadMeter();
    for (const minute of [0, 10])
      other.add({ import_kwh: { value: 100 + minute, at: at(minute) } }, at(minute), {
        limits,
        hasPv: false,
      });
    expect(other.meanKw(at(10))).toBeUndefined();
  });

  it("ignores readings that are too old", () => {
    const live: LiveState = { load_power_kw: { value: 1, at: at(0) } };
    meter.add(live, at(16), { limits, hasPv: false });
    expect(meter.meanKw(at(16))).toBeUndefined();
  });
});
