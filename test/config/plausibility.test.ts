import { describe, expect, it } from "vitest";
import { isInAustria } from "../../src/config/austria.js";
import { parsePlant } from "../../src/config/plant.js";
import { plausibilityText, plausibilityWarnings } from "../../src/config/plausibility.js";
import type { PlantSettings } from "../../src/config/settings.js";

function plant(settings: object): PlantSettings {
  const parsed = parsePlant({ id: "home", ...settings }, []);
  if ("findings" in parsed) throw new Error(parsed.findings.map(({ message }) => message).join(" "));
  return parsed.plant;
}

const found = (settings: object) =>
  plausibilityWarnings(plant(settings)).map(({ path, code, params }) =>
    [path.join("."), code, params.meant ?? params.limit].filter((part) => part !== undefined).join(" "),
  );

describe("plausibilityWarnings", () => {
  it.each([
    [{ tariff: { vat_pct: 0.2 } }, "tariff.vat_pct fraction 20"],
    [{ tariff: { vat_pct: 2 } }, "tariff.vat_pct vat_unusual"],
    [{ tariff: { grid_fee_ct_kwh: 0.075 } }, "tariff.grid_fee_ct_kwh euro_per_kwh 7.5"],
    [{ tariff: { grid_fee_ct_kwh: [{ ct_kwh: 0.07 }] } }, "tariff.grid_fee_ct_kwh.0.ct_kwh euro_per_kwh 7"],
    [{ tariff: { markup_ct_kwh: 15 } }, "tariff.markup_ct_kwh euro_per_mwh 1.5"],
    [{ tariff: { feed_in: { type: "fixed", ct_kwh: 0.08 } } }, "tariff.feed_in.ct_kwh euro_per_kwh 8"],
    [{ tariff: [{ energy: { type: "fixed", ct_kwh: 0.24 } }] }, "tariff.0.energy.ct_kwh euro_per_kwh 24"],
    [{ battery: { efficiency_pct: 1 } }, "battery.efficiency_pct fraction 100"],
    [{ battery: { efficiency_pct: 40 } }, "battery.efficiency_pct efficiency_low"],
    [{ battery: { capacity_kwh: 10_240 } }, "battery.capacity_kwh watt_hours 10.24"],
    [{ battery: { max_charge_power_kw: 5000 } }, "battery.max_charge_power_kw watt 5"],
    [{ battery: { min_soc_pct: 0.1 } }, "battery.min_soc_pct fraction 10"],
    [{ battery: {}, grid: { import_limit_kw: 4 } }, "battery.max_charge_power_kw above_grid 4"],
    [{ batteries: [{ id: "a", capacity_kwh: 2000 }] }, "batteries.0.capacity_kwh watt_hours 2"],
    [{ pv: [{ peak_kw: 100 }] }, "pv.0.peak_kw peak_large 40"],
    [{ pv: [{ peak_kw: 8500 }] }, "pv.0.peak_kw watt 8.5"],
    [{ pv: [{ peak_kw: 8, azimuth_deg: 0 }] }, "pv.0.azimuth_deg faces_north 180"],
    [{ load: { daily_kwh: 3650 } }, "load.daily_kwh year_as_day 10"],
    [{ slots: [{ slot: 1, power_kw: 2000 }] }, "slots.0.power_kw watt 2"],
    [
      {
        slots: [{ slot: 1, power_kw: 2, energy_kwh: 30, window_start_hour: 20, window_end_hour: 6 }],
      },
      "slots.0.energy_kwh energy_unreachable 20",
    ],
    [{ latitude: 16.37, longitude: 48.21 }, "latitude place_swapped 48.21"],
    [{ latitude: 52.5, longitude: 13.4 }, "latitude place_abroad 13.4"],
  ])("questions %j", (settings, expected) => {
    expect(found(settings)).toContain(expected);
  });

  it("also questions values that the configuration would refuse", () => {
    const { battery, pv } = plant({ battery: {}, pv: [{ peak_kw: 8 }] });
    const typed = {
      battery: { ...battery!, efficiency_pct: 0.9 },
      pv: [{ ...pv[0]!, tilt_deg: 180, azimuth_deg: -90 }],
    };
    expect(plausibilityWarnings(typed).map(({ code, params }) => [code, params.meant])).toEqual([
      ["fraction", 90],
      ["tilt", undefined],
      ["faces_north", 90],
    ]);
  });

  it("has no question about usual homes", () => {
    const usual = {
      latitude: 48.21,
      longitude: 16.37,
      tariff: { markup_ct_kwh: 1.5, levies_ct_kwh: 1, grid_fee_ct_kwh: 7, vat_pct: 20 },
      battery: { capacity_kwh: 10, efficiency_pct: 90 },
      pv: [
        { peak_kw: 8.5, azimuth_deg: 90 },
        { peak_kw: 3, tilt_deg: 0, azimuth_deg: 0 },
      ],
      grid: { import_limit_kw: 17 },
      slots: [{ slot: 1, power_kw: 11, window_start_hour: 20, window_end_hour: 7, energy_kwh: 15 }],
    };
    expect(found(usual)).toEqual([]);
    expect(found({})).toEqual([]);
  });

  it("says in both languages what is probably meant", () => {
    const [vat] = plausibilityWarnings(plant({ tariff: { vat_pct: 0.2 } }));
    expect(plausibilityText(vat!, "de")).toBe("0,2 % ist sehr wenig. Sind 20 % gemeint?");
    expect(plausibilityText(vat!, "en")).toBe("0.2 % is very low. Did you mean 20 %?");
  });
});

describe("isInAustria", () => {
  it.each([
    ["Bregenz", 47.503, 9.747],
    ["Sillian", 46.752, 12.421],
    ["Eisenkappel", 46.487, 14.598],
    ["Kittsee", 48.091, 17.065],
    ["Gmünd", 48.768, 14.984],
    ["Kufstein", 47.583, 12.169],
    ["Mittelberg", 47.323, 10.154],
  ])("includes %s", (_, latitude, longitude) => expect(isInAustria(latitude, longitude)).toBe(true));

  it.each([
    ["München", 48.137, 11.575],
    ["Zürich", 47.377, 8.541],
    ["Bozen", 46.498, 11.355],
    ["Ljubljana", 46.056, 14.506],
    ["Győr", 47.687, 17.634],
    ["Brno", 49.195, 16.608],
  ])("excludes %s", (_, latitude, longitude) => expect(isInAustria(latitude, longitude)).toBe(false));
});
