import { describe, expect, it } from "vitest";
import { defaultSettings, parse } from "../../src/config/load.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { assemble } from "../../src/plan/assemble.js";
import type { AssemblyInput } from "../../src/plan/assembly-input.js";
import { PlanInputError, type PlanOverrides } from "../../src/plan/overrides.js";
import { assemblyInput } from "./assembly-input.js";

const facts = (plant: PlantSettings, soc?: AssemblyInput["soc"]) =>
  assemblyInput({ now: new Date("2026-01-15T00:00:00Z"), plant, soc });

function invalidFields(plant: PlantSettings, overrides: PlanOverrides, soc?: AssemblyInput["soc"]): string[] {
  try {
    assemble(facts(plant, soc), overrides);
  } catch (error) {
    if (error instanceof PlanInputError) return error.problems.map(({ field }) => field);
    throw error;
  }
  return [];
}

describe("assemble without required values", () => {
  const withBattery = defaultSettings().plants[0]!;
  const without = parse("plants: [{ id: home, battery: null }]").settings.plants[0]!;
  const soc = { pct: 50, ageMinutes: 0, lost: false };

  it("names the SOC together with all other missing fields", () => {
    expect(invalidFields(withBattery, {})).toEqual(["battery.soc_pct"]);
    expect(invalidFields(without, {})).toEqual(["battery.soc_pct", "battery.capacity_kwh"]);
    expect(invalidFields(without, { capacityKwh: 10 })).toEqual(["battery.soc_pct"]);
    expect(invalidFields(withBattery, { minSocPct: 100 })).toEqual([
      "battery.soc_pct",
      "battery.min_soc_pct",
    ]);
  });

  it("names the capacity if the settings have no battery", () => {
    expect(invalidFields(without, { socPct: 50 })).toEqual(["battery.capacity_kwh"]);
    expect(invalidFields(without, {}, soc)).toEqual(["battery.capacity_kwh"]);
    expect(invalidFields(without, { socPct: 50, capacityKwh: 10 })).toEqual([]);
  });
});

describe("steps of a plan", () => {
  it("begin at now, also if a new hour has begun since the clock was read", () => {
    const plant = defaultSettings().plants[0]!;
    const now = new Date("2026-01-15T00:59:59.999Z");
    const hours = [1, 2].map((hour) => {
      const price = 10 * hour;
      const start = new Date(Date.UTC(2026, 0, 15, hour));
      return { start, p10: price, p50: price, p90: price, source: "day_ahead" as const };
    });
    const soc = { pct: 50, ageMinutes: 0, lost: false };
    const { prices } = assemble({ ...facts(plant, soc), now, hours }, {});
    expect(prices.map(({ start, priceCtKwh }) => [start, priceCtKwh])).toEqual([
      [now, 1],
      [hours[0]!.start, 1],
      [hours[1]!.start, 2],
    ]);
  });
});
