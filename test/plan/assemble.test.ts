import { describe, expect, it } from "vitest";
import { defaultSettings, parse } from "../../src/config/load.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { assemble, type SiteFacts } from "../../src/plan/assemble.js";
import { PlanInputError, type PlanOverrides } from "../../src/plan/overrides.js";

const facts = (plant: PlantSettings, soc?: SiteFacts["soc"]): SiteFacts => ({
  siteId: "home",
  now: new Date("2026-01-15T00:00:00Z"),
  plant,
  stepMinutes: 60,
  hours: [],
  quarter: ({ p50 }) => p50,
  tariff: undefined,
  soc,
  evPowerKw: 0,
  housePowerKw: undefined,
  currentQuartile: 1,
});

function refusal(plant: PlantSettings, overrides: PlanOverrides, soc?: SiteFacts["soc"]): string[] {
  try {
    assemble(facts(plant, soc), overrides);
  } catch (error) {
    if (error instanceof PlanInputError) return error.problems.map(({ field }) => field);
    throw error;
  }
  return [];
}

describe("what a plan cannot do without", () => {
  const withBattery = defaultSettings().plants[0]!;
  const without = parse("plants: [{ id: home, battery: null }]").settings.plants[0]!;
  const soc = { pct: 50, ageMinutes: 0, lost: false };

  it("is the SOC, named whatever else is missing", () => {
    expect(refusal(withBattery, {})).toEqual(["battery.soc_pct"]);
    expect(refusal(without, {})).toEqual(["battery.soc_pct", "battery.capacity_kwh"]);
    expect(refusal(without, { capacityKwh: 10 })).toEqual(["battery.soc_pct"]);
    expect(refusal(withBattery, { minSocPct: 100 })).toEqual(["battery.soc_pct", "battery.min_soc_pct"]);
  });

  it("and the capacity, where the settings name no battery", () => {
    expect(refusal(without, { socPct: 50 })).toEqual(["battery.capacity_kwh"]);
    expect(refusal(without, {}, soc)).toEqual(["battery.capacity_kwh"]);
    expect(refusal(without, { socPct: 50, capacityKwh: 10 })).toEqual([]);
  });
});
