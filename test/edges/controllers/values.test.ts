import { expect, it } from "vitest";
import {
  type ControllerSite,
  isOn,
  lineText,
  namedValue,
  siteValues,
} from "../../../src/edges/controllers/values.js";
import { NOW, samplePlan } from "../../api/fake-services.js";

const battery = {
  min_soc_pct: 12,
  max_soc_pct: 95,
  max_charge_power_kw: 3.7,
  max_discharge_power_kw: 4.6,
  grid_charge_allowed: true,
};

function facts(change: Partial<ControllerSite> = {}, hasBattery = true): ControllerSite {
  const plant = {
    timezone: "Europe/Vienna",
    grid: { export_limit_kw: null },
    battery: hasBattery ? battery : null,
  };
  return {
    now: NOW,
    site: { id: "home", accountId: "owner", plant: plant as unknown as ControllerSite["site"]["plant"] },
    plan: samplePlan(),
    present: { currentPriceCtKwh: 17.25, currentQuartile: 2 },
    slots: [],
    live: { soc_pct: { value: 48.5, at: new Date(NOW.getTime() - 130_000) } },
    ...change,
  };
}

const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

it("reports the age of the plan and OK=0 when it is outdated", () => {
  const at = (seconds: number) => siteValues(facts({ now: after(seconds) })).line;
  expect([at(12).get("AGE"), at(12).get("OK")]).toEqual(["12", "1"]);
  expect([at(3600).get("OK"), at(3601).get("OK")]).toEqual(["1", "0"]);
  // The last values are kept, with their age.
  expect([at(7200).get("AGE"), at(7200).get("O9")]).toEqual(["7200", "87.12"]);
  const lost = samplePlan();
  lost.scalars.dischargeReason = "telemetry_lost";
  expect(siteValues(facts({ plan: lost })).line.get("OK")).toBe("0");
});

it("returns the fail-safe values without a plan, with the known price", () => {
  const { line, others } = siteValues(facts({ plan: undefined, live: {} }));
  // Nothing is expected, not a saving of 0.
  expect(others.get("savings_eur")).toBe("-1");
  expect(Object.fromEntries(line)).toMatchObject({
    OK: "0",
    AGE: "-1",
    O1: "0",
    O2: "0",
    O6: "-1",
    O7: "2",
    O9: "95",
    O11: "12",
    O12: "4.6",
    O14: "3.7",
    O15: "-1",
    O16: "0",
    PRICE: "17.25",
    SOC: "-1",
    SOC_AGE: "-1",
  });
  expect(lineText(line)).toMatch(/^HG;OK=0;AGE=-1;O1=0;/);
});

it("reports OK=1 for a plant without a battery while the price is known", () => {
  const known = siteValues(facts({ plan: undefined, live: {} }, false)).line;
  expect([known.get("OK"), known.get("AGE"), known.get("PRICE")]).toEqual(["1", "0", "17.25"]);
  const unknown = siteValues(facts({ plan: undefined, present: undefined }, false)).line;
  expect([unknown.get("OK"), unknown.get("AGE")]).toEqual(["0", "-1"]);
});

it("finds values by line key and API name, case-insensitive", () => {
  const values = siteValues(facts());
  const read = (name: string) => namedValue(values, name);
  expect([read("o9"), read("O9"), read("charge_stop_soc_pct")]).toEqual(["87.12", "87.12", "87.12"]);
  expect([read("SOC"), read("soc_pct"), read("SOC_AGE")]).toEqual(["48.5", "48.5", "2"]);
  expect([read("grid_charge_allowed"), read("discharge_reason")]).toEqual(["1", "full"]);
  expect([read("slot_3"), read("S3"), read("N3")]).toEqual(["0", "0", "-1"]);
  expect([read("S9"), read("constructor"), read("hours_demand_url")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(["0", "-1", "0.5", "12", "full"].map(isOn)).toEqual([false, false, true, true, undefined]);
});
