import { describe, expect, it } from "vitest";
import { type GivingDevice, SiteCombination } from "../../../src/equipment/reading/combine.js";
import { assignRoles } from "../../../src/equipment/reading/roles.js";

const T = Date.UTC(2026, 5, 1, 12);

const device = (id: string, reads: string[], more: Partial<GivingDevice> = {}): GivingDevice => ({
  id,
  reads,
  isFallback: false,
  pollMs: 10_000,
  ...more,
});
const taken = (values: Record<string, number>, atMs = T) =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, at: new Date(atMs) }]));

const ALL = { hasPv: true, hasBattery: true };

describe("the readings of a site's devices", () => {
  const inverter = device("inverter", ["pv", "battery"]);
  const meter = device("meter", ["grid"]);

  it("give the load by the balance when they were taken within two seconds", () => {
    const site = new SiteCombination([inverter, meter], ALL);
    expect(site.take(inverter, taken({ pv_power_kw: 3, battery_power_kw: 2.4, soc_pct: 41 }))).toEqual([
      { at: new Date(T), values: { pv_power_kw: 3, battery_power_kw: 2.4, soc_pct: 41 } },
    ]);
    // 3 kW of PV, 2.4 kW into the battery, nothing from the grid: 0.6 kW of load.
    expect(site.take(meter, taken({ grid_power_kw: 0 }, T + 1_500))).toEqual([
      { at: new Date(T + 1_500), values: { grid_power_kw: 0, load_power_kw: 0.6 } },
    ]);
  });

  it("give no load when they were taken further apart, and none below 0", () => {
    const site = new SiteCombination([inverter, meter], ALL);
    site.take(inverter, taken({ pv_power_kw: 3, battery_power_kw: 2.4 }));
    expect(site.take(meter, taken({ grid_power_kw: 0 }, T + 2_500))[0]!.values).toEqual({ grid_power_kw: 0 });
    const [sample] = site.take(meter, taken({ grid_power_kw: -1 }, T + 1_000));
    expect(sample!.values.load_power_kw).toBe(0);
  });

  it("add up where several give PV, if all are known", () => {
    const roofs = [device("east", ["pv"]), device("west", ["pv"])];
    const site = new SiteCombination(roofs, ALL);
    expect(site.take(roofs[0]!, taken({ pv_power_kw: 1 }))).toEqual([]);
    expect(site.take(roofs[1]!, taken({ pv_power_kw: 2 }, T + 500))[0]!.values).toEqual({ pv_power_kw: 3 });
    expect(site.take(roofs[1]!, taken({ pv_power_kw: 2 }, T + 10_000))).toEqual([]);
  });

  it("have counters that add up, of one that sleeps the last one, and none while one is gone", () => {
    const roofs = [device("east", ["pv"]), device("west", ["pv"])];
    const site = new SiteCombination(roofs, ALL);
    const counter = (samples: { values: object }[]) => samples.at(-1)?.values;
    expect(counter(site.take(roofs[0]!, taken({ pv_power_kw: 1, pv_kwh: 100 })))).toBeUndefined();
    expect(counter(site.take(roofs[1]!, taken({ pv_power_kw: 2, pv_kwh: 20.5 }, T + 500)))).toEqual({
      pv_power_kw: 3,
      pv_kwh: 120.5,
    });
    // West sleeps: no counter, and no power. East gives the last of the day.
    site.take(roofs[1]!, taken({ pv_power_kw: 0 }, T + 60_000));
    const values = counter(site.take(roofs[0]!, taken({ pv_power_kw: 0.1, pv_kwh: 100.2 }, T + 60_500)));
    expect(values).toMatchObject({ pv_kwh: 120.7 });
    // West is gone: what it counts meanwhile would appear in no time.
    expect(counter(site.take(roofs[0]!, taken({ pv_kwh: 100.4 }, T + 120_000)))).toBeUndefined();
  });

  it("have the counters of a battery", () => {
    const site = new SiteCombination([inverter, meter], ALL);
    const counters = { charge_kwh: 1000.5, discharge_kwh: 900.25 };
    expect(site.take(inverter, taken(counters))[0]!.values).toEqual(counters);
  });

  it("have no counter of a fallback beside the other one's: it is another counter", () => {
    const spare = device("spare", ["grid"], { isFallback: true });
    const site = new SiteCombination([meter, spare], { hasPv: false, hasBattery: false });
    site.take(meter, taken({ import_kwh: 500 }));
    expect(site.take(spare, taken({ import_kwh: 12 }, T + 60_000))).toEqual([]);
  });

  it("say that a vehicle is connected if one is, at any wallbox", () => {
    const boxes = [device("left", ["slot 1"]), device("right", ["slot 2"])];
    const site = new SiteCombination(boxes, ALL);
    site.take(boxes[0]!, taken({ connected: 1 }));
    expect(site.take(boxes[1]!, taken({ connected: 0 }, T + 500))[0]!.values).toEqual({ ev_connected: 1 });
    site.take(boxes[0]!, taken({ connected: 0 }, T + 10_000));
    expect(site.take(boxes[1]!, taken({ connected: 0 }, T + 10_500))[0]!.values).toEqual({ ev_connected: 0 });
  });

  it("are those of a fallback only while the other one has none", () => {
    const spare = device("spare", ["grid"], { isFallback: true });
    const site = new SiteCombination([meter, spare], { hasPv: false, hasBattery: false });
    site.take(meter, taken({ grid_power_kw: 1 }));
    expect(site.take(spare, taken({ grid_power_kw: 1.1 }, T + 10_000))).toEqual([]);
    expect(site.take(spare, taken({ grid_power_kw: 1.2 }, T + 40_000))[0]!.values.grid_power_kw).toBe(1.2);
  });

  it("of a slot's device are those of its slot", () => {
    const car = device("car", ["slot 2"]);
    const site = new SiteCombination([car], ALL);
    const values = { power_kw: 11, energy_kwh: 1234, connected: 1, vehicle_soc_pct: 55 };
    expect(site.take(car, taken(values))[0]!.values).toEqual({
      slot_2_power_kw: 11,
      slot_2_energy_kwh: 1234,
      slot_2_soc_pct: 55,
      ev_connected: 1,
    });
  });
});

it("gives each role to the device that names it, and what is left to the first that offers it", () => {
  const settings = { controls: null, fallback: false, reads: null };
  const roles = assignRoles([
    { settings: { ...settings, id: "inverter" }, offers: ["grid", "pv", "battery"] },
    { settings: { ...settings, id: "meter", reads: ["grid"] }, offers: ["grid"] },
    { settings: { ...settings, id: "roof" }, offers: ["pv"] },
    { settings: { ...settings, id: "spare", fallback: true }, offers: ["grid", "pv"] },
    { settings: { ...settings, id: "car", controls: "slot 3" }, offers: ["slot"] },
    { settings: { ...settings, id: "wrong", reads: ["battery"] }, offers: ["slot"] },
  ]);
  expect(Object.fromEntries(roles)).toEqual({
    inverter: { reads: ["pv", "battery"], unknown: [] },
    meter: { reads: ["grid"], unknown: [] },
    roof: { reads: ["pv"], unknown: [] },
    spare: { reads: ["grid", "pv"], unknown: [] },
    car: { reads: ["slot 3"], unknown: [] },
    wrong: { reads: [], unknown: ["battery"] },
  });
});
