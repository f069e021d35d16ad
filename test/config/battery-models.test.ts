import { expect, it } from "vitest";
import { BATTERY_MODELS } from "../../src/config/battery-models.js";
import { parsePlant } from "../../src/config/plant.js";
import { plausibilityWarnings } from "../../src/config/plausibility.js";

it("models of batteries are valid, plausible, distinct, and say what they are based on", () => {
  expect(new Set(BATTERY_MODELS.map(({ id }) => id)).size).toBe(BATTERY_MODELS.length);
  expect(new Set(BATTERY_MODELS.map(({ name }) => name)).size).toBe(BATTERY_MODELS.length);
  for (const model of BATTERY_MODELS) {
    const battery = {
      capacity_kwh: model.capacityKwh,
      max_charge_power_kw: model.chargeKw,
      max_discharge_power_kw: model.dischargeKw,
      efficiency_pct: model.efficiencyPct,
    };
    const parsed = parsePlant({ id: "home", battery }, []);
    expect("plant" in parsed && plausibilityWarnings(parsed.plant), model.id).toEqual([]);
    expect(model.basis, model.id).toMatch(/^\S.{10,}/);
  }
  const hvs = BATTERY_MODELS.find(({ id }) => id === "byd_hvs_10");
  expect(hvs).toMatchObject({ name: "BYD HVS 10.2", capacityKwh: 10.24, chargeKw: 10.2 });
});
