import { beforeEach, describe, expect, it } from "vitest";
import type { LiveState } from "../../src/core/domain/sample.js";
import { NetLoadMeter } from "../../src/plan/net-load.js";
import type { BalancedPlant } from "../../src/telemetry/energy-balance.js";
import { slotSettings } from "../api/fake-services.js";

const MINUTE_MS = 60_000;
const START = new Date("2026-05-04T08:00:00Z");
const at = (minute: number) => new Date(START.getTime() + minute * MINUTE_MS);
const limits = { staleMinutes: 15, lostMinutes: 120 };

const PLANT: BalancedPlant = { slots: [], telemetry: { load_without: [] }, pv: [{}], battery: null };

let meter: NetLoadMeter;
beforeEach(() => {
  meter = new NetLoadMeter();
});

function add(minute: number, readings: Readonly<Record<string, number>>, plant: Partial<BalancedPlant> = {}) {
  const live: LiveState = Object.fromEntries(
    Object.entries(readings).map(([name, value]) => [name, { value, at: at(minute) }]),
  );
  meter.add(live, at(minute), { limits, plant: { ...PLANT, ...plant } });
}

describe("NetLoadMeter", () => {
  it("is the mean of load less PV over the last quarter-hour, each value until the next", () => {
    add(0, { load_power_kw: 1, pv_power_kw: 3 });
    add(10, { load_power_kw: 1, pv_power_kw: 0 });
    expect(meter.mean(at(15))?.netLoadKw).toBeCloseTo((10 * -2 + 5 * 1) / 15, 9);
    // The first value holds from minute 5 to 10.
    expect(meter.mean(at(20))?.netLoadKw).toBeCloseTo((5 * -2 + 10 * 1) / 15, 9);
  });

  it("needs the PV power only where there is PV", () => {
    add(0, { load_power_kw: 1 });
    expect(meter.mean(at(5))).toBeUndefined();
    add(6, { load_power_kw: 1 }, { pv: [] });
    expect(meter.mean(at(6))?.netLoadKw).toBe(1);
  });

  it("has the mean PV of the same time, where it is measured", () => {
    add(0, { load_power_kw: 1, pv_power_kw: 3 });
    add(10, { load_power_kw: 1, pv_power_kw: 0 });
    expect(meter.mean(at(15))?.pvKw).toBeCloseTo((10 * 3) / 15, 9);
    meter = new NetLoadMeter();
    add(0, { load_power_kw: 1 }, { pv: [] });
    expect(meter.mean(at(1))).toEqual({ netLoadKw: 1 });
  });

  it("forgets what is older than the quarter-hour", () => {
    add(0, { load_power_kw: 8, pv_power_kw: 0 });
    add(20, { load_power_kw: 1, pv_power_kw: 0 });
    add(40, { load_power_kw: 1, pv_power_kw: 0 });
    expect(meter.mean(at(41))?.netLoadKw).toBe(1);
    expect(meter.mean(at(80))).toBeUndefined();
  });

  it("follows from the counters, without what battery and vehicle took", () => {
    // 0.5 kWh imported in a quarter-hour, of which the battery takes 1 kW and the vehicle 0.4 kW.
    const others = { export_kwh: 7, battery_power_kw: 1, ev_power_kw: 0.4 };
    add(0, { import_kwh: 100, ...others });
    add(15, { import_kwh: 100.5, ...others });
    expect(meter.mean(at(15))?.netLoadKw).toBeCloseTo(2 - 1.4, 9);
  });

  it("has no part of the devices that are planned apart", () => {
    const slots = [
      slotSettings({ slot: 1, kind: "wallbox" }),
      slotSettings({ slot: 2, kind: "boiler", power_kw: 2, energy_kwh: 4 }),
      slotSettings({ slot: 3, kind: "heat_pump" }),
    ];
    const devices = { slot_1_power_kw: 7, slot_2_power_kw: 2, slot_3_power_kw: 1 };
    // The heat pump has no plan of its own.
    add(0, { load_power_kw: 10.5, pv_power_kw: 0, ...devices }, { slots });
    expect(meter.mean(at(1))?.netLoadKw).toBeCloseTo(1.5, 9);
    meter = new NetLoadMeter();
    // Without the wallbox, as evcc's homePower.
    add(0, { load_power_kw: 3.5, pv_power_kw: 0, ...devices }, { slots, telemetry: { load_without: [1] } });
    expect(meter.mean(at(1))?.netLoadKw).toBeCloseTo(1.5, 9);
    const counted = new NetLoadMeter();
    meter = counted;
    add(0, { import_kwh: 100, battery_power_kw: 0, ...devices }, { slots });
    add(15, { import_kwh: 102.625, battery_power_kw: 0, ...devices }, { slots });
    expect(counted.mean(at(15))?.netLoadKw).toBeCloseTo(10.5 - 9, 9);
  });

  it("knows nothing from counters that are less than five minutes apart, or without the battery's power", () => {
    add(0, { import_kwh: 100, battery_power_kw: 0 });
    add(4, { import_kwh: 100.2, battery_power_kw: 0 });
    expect(meter.mean(at(4))).toBeUndefined();
    add(5, { import_kwh: 100.2, battery_power_kw: 0 });
    expect(meter.mean(at(5))?.netLoadKw).toBeCloseTo(2.4, 9);
    const other = new NetLoadMeter();
    for (const minute of [0, 10])
      other.add({ import_kwh: { value: 100 + minute, at: at(minute) } }, at(minute), {
        limits,
        plant: PLANT,
      });
    expect(other.mean(at(10))).toBeUndefined();
  });

  it("ignores readings that are too old", () => {
    const live: LiveState = { load_power_kw: { value: 1, at: at(0) } };
    meter.add(live, at(16), { limits, plant: { ...PLANT, pv: [] } });
    expect(meter.mean(at(16))).toBeUndefined();
  });
});
