import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import { mostEnergyKwh, siteLimits } from "../../src/config/site-limits.js";

function limitsOf(plant: object) {
  const parsed = parsePlant({ id: "home", ...plant }, []);
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return siteLimits(parsed.plant);
}

describe("the limits of a home", () => {
  it("are 1.5 times the powers of its settings", () => {
    const limits = limitsOf({
      battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 4 },
      pv: [{ peak_kw: 6 }, { peak_kw: 4, inverter_kw: 3 }],
      grid: { connection_kw: 24 },
      slots: [
        { slot: 2, kind: "boiler", power_kw: 2 },
        { slot: 3, kind: "other" },
      ],
    });
    expect(limits).toMatchObject({
      connectionKw: 36,
      battery: { minKw: -6, maxKw: 7.5 },
      pv: { minKw: -1, maxKw: 13.5 },
      load: { minKw: -1, maxKw: 36 + 13.5 + 6 },
    });
    expect(limits.slots.get(2)).toEqual({ minKw: -3, maxKw: 3 });
    expect(limits.slots.get(3)).toEqual({ minKw: -36, maxKw: 36 });
  });

  it("take the power of a shared inverter once", () => {
    const roof = { peak_kw: 6, inverter: "roof" };
    const pv = [roof, { ...roof, azimuth_deg: 90 }, { peak_kw: 2 }];
    expect(limitsOf({ pv, inverters: [{ id: "roof", kw: 5 }] }).pv.maxKw).toBe(1.5 * 7);
    expect(limitsOf({ pv, inverters: [{ id: "roof", kw: 20 }] }).pv.maxKw).toBe(1.5 * 14);
  });

  it("of a slot with a vehicle are those of its charger", () => {
    const limits = limitsOf({
      slots: [{ slot: 1, kind: "wallbox", vehicle: { capacity_kwh: 60, phases: 3 } }],
    });
    expect(limits.slots.get(1)?.maxKw).toBeCloseTo(1.5 * 11.04);
  });

  it("are generous where the connection is not known: 3 × 63 A, or what the settings need", () => {
    expect(limitsOf({}).connectionKw).toBeCloseTo(1.5 * 43.5);
    expect(limitsOf({ grid: { import_limit_kw: 100 } }).connectionKw).toBeCloseTo(150);
    expect(limitsOf({ pv: [{ peak_kw: 60 }] }).connectionKw).toBeCloseTo(90);
    expect(limitsOf({ load: { daily_kwh: 240 } }).connectionKw).toBeCloseTo(300);
  });

  it("give the most energy of a quarter-hour", () => {
    expect(mostEnergyKwh(limitsOf({ grid: { connection_kw: 20 } }), 15)).toBe(7.5);
  });
});
