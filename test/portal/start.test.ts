import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import type { PlausibilityWarning } from "../../src/config/plausibility.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { VIENNA } from "../../src/core/time/zone.js";
import { confirmationOf } from "../../src/portal/ems/unlikely-values.js";
import { batteryStep } from "../../src/portal/start/battery.js";
import { devicesStep } from "../../src/portal/start/devices.js";
import { placeStep } from "../../src/portal/start/place.js";
import { stepAfter, WizardProgress } from "../../src/portal/start/progress.js";
import { pvStep } from "../../src/portal/start/pv.js";
import { review } from "../../src/portal/start/review.js";
import type { SettingsStep } from "../../src/portal/start/step.js";
import { tariffStep } from "../../src/portal/start/tariff.js";
import type { FieldErrors } from "../../src/portal/ui/form.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";

const NOON = new Date("2026-01-15T11:00:00Z");

function plantOf(settings: object = {}): PlantSettings {
  const parsed = parsePlant({ id: "home", ...settings }, []);
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return parsed.plant;
}

interface Filled {
  plant?: PlantSettings;
  codes?: string[];
  warnings?: readonly PlausibilityWarning[];
  errors?: FieldErrors;
}

/** What a step makes of typed texts: the plant with them, the errors by field, or the codes of what is unlikely. */
function fill(step: SettingsStep, texts: Record<string, string>, plant = plantOf()): Filled {
  const typed = {
    text: (name: string) => texts[name] ?? "",
    isTicked: (name: string) => texts[name] === "true",
    language: "en" as const,
  };
  const change = step.read(typed, { id: "home", accountId: "owner", plant });
  if ("errors" in change) return { errors: change.errors };
  const reviewed = review(plant, change, "en");
  if ("errors" in reviewed) return reviewed;
  const codes = reviewed.warnings.map(({ path, code }) => `${path.join(".")} ${code}`);
  return { plant: plantOf({ ...plant, ...change.plant }), codes, warnings: reviewed.warnings };
}

describe("steps of the wizard", () => {
  it("place: a postcode, coordinates, and the load of a year", () => {
    const { plant } = fill(placeStep, { postcode: "A-4600", year_kwh: "3650" });
    expect(plant).toMatchObject({ latitude: 48.14, longitude: 13.98, load: { daily_kwh: 10 } });
    // Typed coordinates are more exact.
    expect(fill(placeStep, { postcode: "4600", latitude: "48,2", longitude: "16,4" }).plant).toMatchObject({
      latitude: 48.2,
      longitude: 16.4,
    });
    expect(fill(placeStep, { latitude: "16.37", longitude: "48.21" }).codes).toEqual([
      "latitude place_swapped",
    ]);
    expect(fill(placeStep, { postcode: "80331" }).errors).toHaveProperty("postcode");
    expect(fill(placeStep, { latitude: "48.2" }).errors).toHaveProperty("longitude");
    expect(fill(placeStep, { postcode: "1010", year_kwh: "many" }).errors).toHaveProperty("year_kwh");
  });

  it("tariff: presets with their fees, an own markup, and fixed prices with VAT", () => {
    const priceOf = (texts: Record<string, string>) =>
      compileTariff(fill(tariffStep, texts).plant!.tariff!, VIENNA).importCtKwh(10, NOON);
    const levies = 0.1 + 0.62;
    const preset = { supplier: "aae_spot_stunde_2", area: "wien", summer_low: "true" };
    expect(priceOf(preset)).toBeCloseTo(
      // The levy of Vienna was 6 % until the end of February.
      ((10 + 1.3 + 6.98 + 0.7) * 1.06 + levies) * 1.2,
      6,
    );
    expect(priceOf({ supplier: "spot", markup_ct_kwh: "1,5", area: "" })).toBeCloseTo(11.5 * 1.2, 9);
    expect(priceOf({ supplier: "fixed", fixed_ct_kwh: "24", area: "" })).toBeCloseTo(24, 9);
    expect(priceOf({ supplier: "fixed", fixed_ct_kwh: "12", area: "steiermark" })).toBeCloseTo(
      12 + (8.82 + 0.336 + levies) * 1.2,
      6,
    );
    expect(fill(tariffStep, { supplier: "fixed", fixed_ct_kwh: "0.24", area: "" }).codes).toEqual([
      "tariff.0.energy.ct_kwh euro_per_kwh",
    ]);
    expect(fill(tariffStep, { supplier: "fixed", fixed_ct_kwh: "cheap", area: "" }).errors).toHaveProperty(
      "fixed_ct_kwh",
    );
    expect(fill(tariffStep, { supplier: "nobody" }).errors).toHaveProperty("supplier");
  });

  it("tariff: what is in force stays but for what is chosen, from its date on", () => {
    const own = {
      energy: { type: "fixed", ct_kwh: 20 },
      energy_base_fee: { eur_month: 3 },
      grid_usage: { ct_kwh: 8, metering_eur_month: 2.2 },
      vat_pct: 20,
      feed_in: { type: "fixed", ct_kwh: 7 },
    };
    const plant = plantOf({ tariff: [own] });
    const held = tariffStep.held(plant, "en");
    expect(held).toMatchObject({ supplier: "current", area: "current", feed_in: "current" });
    expect(
      tariffStep.read(
        { text: (name) => held[name] ?? "", isTicked: () => true, language: "en" },
        {
          id: "home",
          accountId: "owner",
          plant,
        },
      ),
    ).toMatchObject({ plant: {} });
    const chosen = (texts: Record<string, string>) =>
      fill(tariffStep, { ...held, valid_from: "2026-06-11", ...texts }, plant);
    // 27 ct with 20 % VAT are 22.5 ct.
    expect(chosen({ supplier: "fixed", fixed_ct_kwh: "27" }).plant?.tariff).toEqual([
      own,
      {
        ...own,
        energy: { type: "fixed", ct_kwh: 22.5 },
        energy_base_fee: undefined,
        valid_from: "2026-06-11",
      },
    ]);
    expect(chosen({ feed_in: "" }).plant?.tariff).toEqual([
      own,
      { ...own, feed_in: undefined, valid_from: "2026-06-11" },
    ]);
    expect(chosen({ area: "steiermark" }).plant?.tariff).toMatchObject([
      own,
      { energy: own.energy, feed_in: own.feed_in, grid_usage: { metering_eur_month: 2.2 }, grid_loss: {} },
    ]);
    expect(chosen({ feed_in: "", valid_from: "soon" }).errors).toHaveProperty("valid_from");
    const allIn = plantOf({ tariff: [{ energy: { type: "fixed", ct_kwh: 24 }, vat_pct: 0 }] });
    const area = { ...held, area: "steiermark", valid_from: "2026-06-11" };
    expect(fill(tariffStep, area, allIn).errors).toHaveProperty("supplier");
    // Without a tariff nothing is in force.
    expect(fill(tariffStep, held).errors).toHaveProperty("supplier");
  });

  it("battery: a model, with values of one's own over it, or none", () => {
    const chosen = fill(batteryStep, { model: "gen24_hvs_10", max_charge_power_kw: "6" }).plant?.battery;
    expect(chosen).toMatchObject({ capacity_kwh: 10.24, max_charge_power_kw: 6, max_discharge_power_kw: 9 });
    // What the form showed of the former battery does not change the model.
    const shown = {
      model: "gen24_hvs_10",
      shown_model: "other",
      capacity_kwh: "10",
      max_charge_power_kw: "6",
    };
    expect(fill(batteryStep, shown, plantOf({ battery: {} })).plant?.battery).toMatchObject({
      capacity_kwh: 10.24,
      max_charge_power_kw: 6,
    });
    const several = plantOf({ batteries: [{ id: "a" }, { id: "b" }] });
    expect(fill(batteryStep, { model: "none" }, several).plant).toMatchObject({
      battery: null,
      batteries: [],
    });
    expect(fill(batteryStep, { model: "other" }).errors).toHaveProperty("capacity_kwh");
    expect(fill(batteryStep, { model: "powerwall_3", efficiency_pct: "0.9" }).errors).toEqual({
      efficiency_pct: "0.9 % is very low. Did you mean 90 %?",
    });
    expect(fill(batteryStep, { model: "other", capacity_kwh: "10240" }).codes).toContain(
      "battery.capacity_kwh watt_hours",
    );
  });

  it("pv: directions in words and in degrees; empty rows are left out", () => {
    const { plant } = fill(pvStep, {
      "pv.0.peak_kw": "5,5",
      "pv.0.direction": "se",
      "pv.2.peak_kw": "3",
      "pv.2.tilt_deg": "15",
      "pv.2.direction": "n",
      "pv.2.azimuth_deg": "260",
    });
    expect(plant?.pv).toMatchObject([
      { peak_kw: 5.5, tilt_deg: 30, azimuth_deg: 135 },
      { peak_kw: 3, tilt_deg: 15, azimuth_deg: 260 },
    ]);
    expect(fill(pvStep, { "pv.1.peak_kw": "4", "pv.1.tilt_deg": "180" }).errors).toHaveProperty([
      "pv.1.tilt_deg",
    ]);
    expect(fill(pvStep, {}).plant?.pv).toEqual([]);
  });

  it("pv: arrays with the same name of an inverter share it", () => {
    const roofs = {
      "pv.0.peak_kw": "6",
      "pv.0.inverter": "roof",
      "pv.0.inverter_kw": "5",
      "pv.1.peak_kw": "6",
      "pv.1.direction": "w",
      "pv.1.inverter": "roof",
    };
    const { plant } = fill(pvStep, roofs);
    expect(plant).toMatchObject({
      pv: [
        { inverter: "roof", inverter_kw: null },
        { inverter: "roof", inverter_kw: null },
      ],
      inverters: [{ id: "roof", kw: 5 }],
    });
    const shown = pvStep.held(plant!, "en");
    expect(shown).toMatchObject({ "pv.1.inverter": "roof", "pv.1.inverter_kw": "5" });
    // One power for both, or it is said.
    expect(fill(pvStep, { ...roofs, "pv.1.inverter_kw": "8" }).errors).toHaveProperty(["pv.1.inverter_kw"]);
    expect(fill(pvStep, { ...roofs, "pv.0.inverter_kw": "" }).errors).toHaveProperty(["pv.0.inverter"]);
    const own = fill(pvStep, { ...roofs, "pv.1.inverter": "", "pv.1.inverter_kw": "4" }, plant);
    expect(own.plant).toMatchObject({ pv: [{}, { inverter: null, inverter_kw: 4 }], inverters: [{ kw: 5 }] });
  });

  it("devices: each becomes a slot of its own, once; the others stay", () => {
    const held = plantOf({ slots: [{ slot: 1, label: "Sauna", kind: "other" }] });
    const texts = { wallbox: "true", "wallbox.power_kw": "11", "wallbox.ready_hour": "6" };
    const first = fill(
      devicesStep,
      { ...texts, washing_machine: "true", "washing_machine.power_kw": "0.5" },
      held,
    );
    expect(first.plant?.slots).toMatchObject([
      { slot: 1, label: "Sauna" },
      { slot: 2, kind: "wallbox", energy_kwh: 15, window_start_hour: 18, window_end_hour: 6 },
      { slot: 3, segments: [2], segment_consecutive: "required" },
    ]);
    const again = fill(devicesStep, { ...texts, "wallbox.power_kw": "22" }, first.plant);
    expect(again.plant?.slots.map(({ slot, power_kw }) => [slot, power_kw])).toEqual([
      [1, null],
      [2, 22],
    ]);
    expect(fill(devicesStep, { ...texts, "wallbox.ready_hour": "25" }).errors).toHaveProperty([
      "wallbox.ready_hour",
    ]);
  });

  it("asks again when a confirmed value changes", () => {
    const [first, second] = ["100", "200"].map((peak) => fill(pvStep, { "pv.0.peak_kw": peak }).warnings!);
    expect(confirmationOf(first!)).not.toBe(confirmationOf(second!));
  });
});

it("the progress of the wizard is kept: what was typed, what was skipped, where to go on", async () => {
  const stored = new Map<string, string>();
  const progress = new WizardProgress({
    get: async (name) => (stored.has(name) ? JSON.parse(stored.get(name)!) : undefined),
    put: async (name, value) =>
      void (value === null ? stored.delete(name) : stored.set(name, JSON.stringify(value))),
  });
  expect(await progress.find("home")).toBeUndefined();
  await progress.open("home");
  await progress.leave("home", "place", { values: { postcode: "1010" } });
  await progress.leave("home", "tariff", "skipped");
  expect(await progress.get("home")).toEqual({
    next: "battery",
    done: ["place"],
    skipped: ["tariff"],
    values: { place: { postcode: "1010" } },
  });
  await progress.forget("home");
  expect(await progress.find("home")).toBeUndefined();
  expect(stepAfter("plan")).toBe("plan");
});
