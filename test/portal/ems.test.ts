import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import type { PlantSettings, TelemetryMapEntry } from "../../src/config/settings.js";
import { changesBetween } from "../../src/portal/ems/changes.js";
import { fieldsOf } from "../../src/portal/ems/fields.js";
import { formErrors } from "../../src/portal/ems/form-errors.js";
import { heldTexts } from "../../src/portal/ems/held-texts.js";
import { labelOf } from "../../src/portal/ems/labels.js";
import { requestedChange } from "../../src/portal/ems/requested-change.js";
import { SECTIONS } from "../../src/portal/ems/sections.js";
import { FormBody } from "../../src/portal/form-body.js";
import { runs } from "../support/runs.js";

interface Held {
  plant: PlantSettings;
  telemetry: TelemetryMapEntry[];
}

function held(plant: object, telemetry: object[] = []): Held {
  const parsed = parsePlant({ id: "home", name: "Home", ...plant }, telemetry);
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  return parsed;
}

const HOUSE = held(
  {
    latitude: 48.21,
    longitude: 16.37,
    battery: { capacity_kwh: 9.6, min_soc_pct: 12, wear_ct_kwh: 1.25, grid_charge_allowed: false },
    pv: [
      { peak_kw: 6.5, azimuth_deg: 90 },
      { peak_kw: 3, inverter_kw: 2.5 },
    ],
    load: { daily_kwh: 11, profile: Array.from({ length: 24 }, (_, hour) => hour + 0.5) },
    grid: { import_limit_kw: 17 },
    tariff: {
      markup_ct_kwh: 1.5,
      vat_pct: 20,
      grid_fee_ct_kwh: [{ ct_kwh: 7 }, { months: "4-9", hours: "10-16", ct_kwh: 5.6 }],
      feed_in: { type: "fixed", ct_kwh: 8.03 },
    },
    slots: [
      { slot: 3, label: "Auto", power_kw: 11, segments: [2, 1.5], window_start_hour: 18, window_end_hour: 7 },
    ],
  },
  [{ topic: "N/+/Soc", path: "value", field: "soc_pct" }],
);

function ask(fields: Record<string, string> | [string, string][], of: Held = HOUSE) {
  return requestedChange(new FormBody(new URLSearchParams(fields).toString()), of);
}

/** What the site would be after the change, as the registry computes it. */
function outcome(change: ReturnType<typeof ask>, of: Held = HOUSE) {
  return parsePlant({ ...of.plant, ...change.plant }, change.telemetry ?? of.telemetry);
}

function refusals(fields: Record<string, string>, language: "de" | "en" = "en", of: Held = HOUSE) {
  const change = ask(fields, of);
  const parsed = outcome(change, of);
  return "findings" in parsed ? formErrors(parsed.findings, change, language) : {};
}

it("takes a field of a form as one line without controls; a password as it is", () => {
  const form = new FormBody(
    new URLSearchParams({ name: "\u001b[31mHaus\u202E\r\nX: 1\u0000 ", password: "a\u202Eb " }),
  );
  expect(form.text("name")).toBe("[31mHaus X: 1");
  expect(form.texts("name")).toEqual([" [31mHaus X: 1  "]);
  expect(form.raw("password")).toBe("a\u202Eb ");
});

describe("the fields of the EMS settings", () => {
  it("are those of the configuration's schema, each with a label in both languages", () => {
    const all = SECTIONS.flatMap((section) => fieldsOf(section).map((field) => ({ section, field })));
    expect(all.length).toBeGreaterThan(45);
    const unnamed = all.filter(({ section, field }) =>
      labelOf(section, field, "de").label.startsWith(field.path.join(".")),
    );
    expect(unnamed).toEqual([]);
    expect(labelOf("battery", fieldsOf("battery")[0]!, "de").label).toBe("Nutzbare Kapazität (kWh)");
    expect(labelOf("battery", fieldsOf("battery")[0]!, "en").label).toBe("Usable capacity (kWh)");
  });

  it("sent back unchanged change nothing, for any settings", () => {
    const number = (min: number, max: number) =>
      fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
    const house = fc.record({
      battery: fc.option(
        fc.record({
          capacity_kwh: number(0.1, 1000),
          max_soc_pct: number(50, 100),
          min_soc_pct: number(0, 49),
        }),
      ),
      pv: fc.array(fc.record({ peak_kw: number(0.1, 50), inverter_kw: fc.option(number(0.1, 50)) }), {
        maxLength: 4,
      }),
      grid: fc.record({ import_limit_kw: fc.option(number(0, 100)) }),
    });
    fc.assert(
      fc.property(house, (plant) => {
        const of = held({ ...HOUSE.plant, ...plant });
        const change = ask([...heldTexts(of)], of);
        expect(outcome(change, of)).toEqual(of);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("hold a vehicle where its capacity is filled in, and its departures by weekday as one text", () => {
    const added = ask({
      "slots.3.vehicle.capacity_kwh": "58",
      "slots.3.vehicle.departure": "Mon 07:00, sat 10:30",
    });
    const of = outcome(added);
    if ("findings" in of) throw new Error(JSON.stringify(of.findings));
    expect(of.plant.slots[0]).toMatchObject({
      label: "Auto",
      store: null,
      vehicle: { capacity_kwh: 58, target_soc_pct: 80, departure: { mon: "07:00", tue: null, sat: "10:30" } },
    });
    expect(heldTexts(of).get("slots.3.vehicle.departure")).toBe("mon 07:00 sat 10:30");
    expect(outcome(ask([...heldTexts(of)], of), of)).toEqual(of);
    const removed = outcome(ask({ "slots.3.vehicle.capacity_kwh": "" }, of), of);
    expect(removed).toMatchObject({ plant: { slots: [{ slot: 3, vehicle: null }] } });
  });

  it("keep what a form does not name", () => {
    const change = ask({ "battery.capacity_kwh": "12", "battery.min_soc_pct": "15" });
    expect(change.touched).toEqual(["battery"]);
    expect(change.plant).toEqual({ battery: { ...HOUSE.plant.battery, capacity_kwh: 12, min_soc_pct: 15 } });
    expect(change.telemetry).toBeUndefined();
  });

  it("take comma and point, and leave out what is empty", () => {
    const change = ask({
      "grid.import_limit_kw": "",
      "grid.export_limit_kw": "4,6",
      "load.profile": "",
      "load.daily_kwh": "",
    });
    expect(change.plant).toEqual({
      grid: { import_limit_kw: null, export_limit_kw: 4.6, connection_kw: null },
      // Back to the default of the schema.
      load: { profile: null, bill_car_kwh: 0, bill_heat_pump_kwh: 0 },
    });
  });

  it("read a checkbox by its companion: unticked is no, absent is unchanged", () => {
    const exporting = held({ battery: { export_allowed: true, grid_charge_allowed: false } });
    const off = ask([["battery.export_allowed", "false"]], exporting);
    expect(off.plant.battery).toMatchObject({ export_allowed: false, grid_charge_allowed: false });
    const on = ask([
      ["battery.grid_charge_allowed", "false"],
      ["battery.grid_charge_allowed", "true"],
    ]);
    expect(on.plant.battery).toMatchObject({ grid_charge_allowed: true });
  });

  it("read the battery's controls from a checkbox each: the hidden empty value stands for none", () => {
    const of = held({ battery: { controls: ["charge", "hold"] } });
    const controls = (fields: [string, string][]) =>
      outcome(ask(fields, of), of) as { plant?: PlantSettings };
    const name = "battery.controls";
    const none: [string, string] = [name, ""];
    expect(controls([none, [name, "hold"], [name, "block"]]).plant!.battery!.controls).toEqual([
      "hold",
      "block",
    ]);
    expect(controls([none]).plant!.battery!.controls).toEqual([]);
    expect(controls([["battery.capacity_kwh", "12"]]).plant!.battery!.controls).toEqual(["charge", "hold"]);
    expect(Object.keys(refusals([none, [name, "fly"]] as never, "en", of))).toEqual([name]);
  });

  it("make, change and remove rows; the empty row that is offered is none", () => {
    const added = ask({ "pv.2.peak_kw": "4,2", "pv.2.tilt_deg": "30", "pv.2.azimuth_deg": "270" });
    expect(added.plant.pv).toMatchObject([
      { peak_kw: 6.5 },
      { peak_kw: 3 },
      { peak_kw: 4.2, azimuth_deg: 270 },
    ]);
    const blank = ask({
      "pv.0.peak_kw": "7",
      "pv.2.peak_kw": "",
      "pv.2.tilt_deg": "30",
      "pv.2.inverter_kw": "",
    });
    expect(blank.plant.pv).toMatchObject([{ peak_kw: 7, azimuth_deg: 90 }, { peak_kw: 3 }]);
    expect(ask({ remove: "pv.0" }).plant.pv).toMatchObject([{ peak_kw: 3, inverter_kw: 2.5 }]);
    expect(ask({ "slots.5.label": "Boiler", "slots.5.kind": "boiler" }).plant.slots).toMatchObject([
      { slot: 3, label: "Auto", segments: [2, 1.5] },
      { slot: 5, label: "Boiler", kind: "boiler" },
    ]);
    expect(ask({ remove: "slots.3" }).plant).toEqual({ slots: [] });
    expect(ask({ "mqtt.telemetry.0.scale": "0,001" }).telemetry).toMatchObject([
      { topic: "N/+/Soc", scale: 0.001 },
    ]);
  });

  it("hold the power of a shared inverter at each of its arrays", () => {
    const applied = (fields: Record<string, string>, of: Held) => {
      const parsed = outcome(ask(fields, of), of);
      if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
      return parsed;
    };
    const one = applied({ "pv.1.inverter": "Dach", "pv.1.inverter_kw": "5" }, HOUSE);
    expect(one.plant).toMatchObject({
      pv: [
        { inverter: null, inverter_kw: null },
        { inverter: "Dach", inverter_kw: null },
      ],
      inverters: [{ id: "Dach", kw: 5 }],
    });
    // The second array needs the name only.
    const two = applied({ "pv.0.inverter": "Dach" }, one);
    expect(two.plant.inverters).toEqual([{ id: "Dach", kw: 5 }]);
    expect(heldTexts(two).get("pv.0.inverter_kw")).toBe("5");
    expect(outcome(ask([...heldTexts(two)], two), two)).toEqual(two);
    expect(changesBetween(one, two, "en")).toEqual([
      "Array 1, Inverter: – → 5 kW",
      "Array 1, Shared inverter: – → Dach",
    ]);
    // The power is typed at either of them, and goes with the last.
    expect(applied({ "pv.0.inverter_kw": "4,6" }, two).plant.inverters).toEqual([{ id: "Dach", kw: 4.6 }]);
    expect(applied({ remove: "pv.0" }, two).plant.inverters).toEqual([{ id: "Dach", kw: 5 }]);
    const none = applied({ "pv.1.inverter": "", "pv.1.inverter_kw": "" }, one);
    expect(none.plant).toMatchObject({ pv: [{}, { inverter: null, inverter_kw: null }], inverters: [] });
    // An array that had an inverter of its own does not change the one that it joins.
    const joining = held({ ...two.plant, pv: [...two.plant.pv, { peak_kw: 2, inverter_kw: 2 }] });
    expect(applied({ "pv.2.inverter": "Dach" }, joining).plant.inverters).toEqual([{ id: "Dach", kw: 5 }]);
    expect(refusals({ "pv.0.inverter": "Dach" }, "de")).toEqual({
      "pv.0.inverter":
        "Einen Wechselrichter mit diesem Namen gibt es noch nicht: bitte auch seine Leistung angeben.",
    });
    expect(refusals({ "pv.0.inverter_kw": "0" }, "en", two)).toHaveProperty(["pv.0.inverter_kw"]);
    const twoPowers = { "pv.0.inverter_kw": "4", "pv.1.inverter_kw": "6" };
    expect(refusals(twoPowers, "en", two)).toEqual({ "pv.1.inverter_kw": "Already exists." });
    expect(ask({ reset: "pv" }, two).plant).toEqual({ pv: undefined, inverters: undefined });
  });

  it("make a single battery the first of several, and keep each where another is edited or removed", () => {
    expect(ask({ "batteries.0.id": "", "batteries.0.capacity_kwh": "" }).plant).toEqual({});
    expect(ask({ "batteries.0.capacity_kwh": "5" }).plant.batteries).toMatchObject([{}, { id: "battery2" }]);
    const added = ask({ "batteries.0.id": "garage", "batteries.0.capacity_kwh": "5" });
    expect(added.plant).toMatchObject({
      battery: null,
      batteries: [
        { id: "battery1", capacity_kwh: 9.6, min_soc_pct: 12 },
        { id: "garage", capacity_kwh: 5 },
      ],
    });
    const two = held({ batteries: added.plant.batteries });
    expect(two.plant.battery?.capacity_kwh).toBeCloseTo(14.6, 9);
    expect(ask({ "load.daily_kwh": "9" }, two).plant).toEqual({ load: expect.anything() });
    expect(
      ask(
        [
          ["batteries.1.label", "Garage"],
          ["batteries.1.controls", ""],
          ["batteries.1.controls", "block"],
        ],
        two,
      ).plant.batteries,
    ).toMatchObject([
      { id: "battery1", capacity_kwh: 9.6, grid_charge_allowed: false },
      { id: "garage", capacity_kwh: 5, label: "Garage", controls: ["block"] },
    ]);
    const one = ask({ remove: "batteries.0" }, two).plant;
    expect(one).toMatchObject({ battery: null, batteries: [{ id: "garage" }] });
    expect(refusals({ "batteries.0.id": "GARAGE" })).toHaveProperty("batteries.0.id");
  });

  it("differ by what was typed, a line each, in words", () => {
    const having = (fields: Record<string, string>, of: Held = HOUSE) => {
      const parsed = outcome(ask(fields, of), of);
      if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
      return parsed;
    };
    const two = having({ "batteries.0.id": "garage", "batteries.0.capacity_kwh": "5" });
    // The single battery has become the first of them.
    expect(changesBetween(HOUSE, two, "en")).toEqual(["Battery 2 added (garage: 5 kWh, 5 kW)"]);
    expect(changesBetween(two, HOUSE, "de")).toEqual(["Batterie 2 entfernt (garage: 5 kWh, 5 kW)"]);
    expect(changesBetween(HOUSE, having({ remove: "pv.0" }), "en")).toEqual([
      "Array 1 removed (6.5 kWp, east, 30°)",
    ]);
    expect(changesBetween(HOUSE, having({ remove: "tariff" }), "de")).toEqual([
      "Stromtarif entfernt (Börsenpreis + 1,5 ct + Netzentgelte)",
    ]);
    expect(
      changesBetween(HOUSE, having({ "slots.3.kind": "boiler", "grid.import_limit_kw": "" }), "en"),
    ).toEqual(["Maximum import: 17 → –", "Device 3, Type: Wallbox → Boiler"]);
  });

  it("drop a battery, enter one, and go back to the configuration file", () => {
    expect(ask({ remove: "battery", "battery.capacity_kwh": "10" }).plant).toEqual({ battery: null });
    const none = held({ battery: null });
    expect(ask({ "battery.capacity_kwh": "5" }, none).plant).toEqual({ battery: { capacity_kwh: 5 } });
    const reset = ask({ reset: "tariff" });
    expect(reset.plant).toEqual({ tariff: undefined });
    expect(ask({ reset: "telemetry" }).resets).toEqual(["telemetry"]);
  });

  it("have choices that fill others: a postcode, a direction, a device, a bill with car and heat pump", () => {
    expect(ask({ postcode: "A-4600" }).plant).toMatchObject({ latitude: 48.14, longitude: 13.98 });
    // Typed coordinates are more exact.
    const typed = ask({ postcode: "4600", latitude: "48,2", longitude: "16,4" }).plant;
    expect(typed).toMatchObject({ latitude: 48.2, longitude: 16.4 });
    expect(ask({ postcode: "80331" }).errors).toHaveProperty("postcode");
    expect(heldTexts(HOUSE).get("pv.0.direction")).toBe("e");
    expect(ask({ "pv.0.direction": "sw" }).plant.pv).toMatchObject([{ azimuth_deg: 225 }, {}]);
    expect(ask({ "pv.1.direction": "own" }).touched).toEqual([]);
    // 4,100 kWh less 1,800 kWh for a car and 900 kWh for hot water are 1,400 kWh.
    const bill = { "load.year_kwh": "4100", "load.car": "km_10000", "load.heat_pump": "water" };
    const load = ask(bill).plant.load as Partial<PlantSettings["load"]>;
    expect(load).toMatchObject({ daily_kwh: 3.836, bill_car_kwh: 1800, bill_heat_pump_kwh: 900 });
    // The form shows later what is in force: the bill with both.
    const later = heldTexts({ ...HOUSE, plant: { ...HOUSE.plant, load: { ...HOUSE.plant.load, ...load } } });
    const shown = ["year_kwh", "car", "heat_pump"].map((key) => later.get(`load.${key}`));
    expect(shown).toEqual(["4100", "km_10000", "water"]);
    const own = ask({ ...bill, "load.car": "own", "load.bill_car_kwh": "1200,5" }).plant.load;
    expect(own).toMatchObject({ daily_kwh: 5.478, bill_car_kwh: 1200.5 });
    // Only what the car takes is typed: the bill stays, so the household has the rest of it, 1,700 kWh.
    const settings = { ...HOUSE, plant: { ...HOUSE.plant, load: { ...HOUSE.plant.load, ...load } } };
    const less = ask({ "load.bill_car_kwh": "1500" }, settings).plant.load;
    expect(less).toMatchObject({ daily_kwh: 4.658, bill_car_kwh: 1500, bill_heat_pump_kwh: 900 });
    expect(ask({ ...bill, "load.year_kwh": "4 100" }).plant.load).toMatchObject({ daily_kwh: 3.836 });
    expect(ask({ ...bill, "load.year_kwh": "1000" }).errors).toHaveProperty(["load.year_kwh"]);
    const washing = ask({ "slots.1.device": "washing_machine", "slots.1.power_kw": "0,8" }).plant.slots;
    expect(washing).toMatchObject([
      { slot: 1, label: "Washing machine", power_kw: 0.8, segments: [2], segment_consecutive: "required" },
      { slot: 3 },
    ]);
    // The hours that were typed take the place of the usual energy.
    const boiler = outcome(ask({ "slots.1.device": "boiler", "slots.1.hours": "3" }));
    expect(boiler).toMatchObject({ plant: { slots: [{ kind: "boiler", hours: 3, energy_kwh: null }, {}] } });
    const pump = outcome(ask({ "slots.1.device": "heat_pump" }));
    expect(pump).toMatchObject({
      plant: { slots: [{ kind: "heat_pump", sg_ready: { dwell_min: 15 } }, {}] },
    });
  });

  it("say beside the field what does not fit, in the language of the page", () => {
    expect(refusals({ "battery.capacity_kwh": "viel", "battery.min_soc_pct": "120" }, "de")).toEqual({
      "battery.capacity_kwh": "Bitte eine Zahl über 0 bis 100\u00a0000 (kWh) eingeben.",
      "battery.min_soc_pct": "Bitte eine Zahl von 0 bis 100 (%) eingeben.",
    });
    expect(refusals({ "pv.1.peak_kw": "" })).toHaveProperty(["pv.1.peak_kw"]);
    expect(refusals({ "slots.3.hours": "2", "slots.3.energy_kwh": "20" }, "de")).toEqual({
      "slots.3.hours": "Bitte entweder Energie oder Stunden angeben, nicht beides.",
    });
    expect(refusals({ "battery.min_soc_pct": "100" }, "de")["battery.min_soc_pct"]).toBe(
      "Muss unter dem maximalen Ladestand liegen.",
    );
    expect(refusals({ "slots.3.segments": "2 x" })).toHaveProperty(["slots.3.segments"]);
    expect(refusals({ "mqtt.telemetry.0.topic": "a/#/b" })).toHaveProperty(["mqtt.telemetry.0.topic"]);
    // Also in the row that is offered for a new entry.
    expect(refusals({ "mqtt.telemetry.1.field": "nonsense" })).toHaveProperty(["mqtt.telemetry.1.field"]);
    expect(refusals({ longitude: "" }, "de").longitude).toBe("Breite und Länge bitte gemeinsam angeben.");
  });

  it("take no field that the configuration does not know, whatever its name", () => {
    const strange = ask({
      "battery.__proto__.x": "1",
      "pv.0.constructor": "1",
      "slots.0x.label": "a",
      "pv.-1.peak_kw": "3",
    });
    expect(outcome(strange)).toEqual(HOUSE);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(refusals({ "slots.9.label": "x" })).not.toEqual({});
  });

  it("read any form whatever without an error of their own", () => {
    const part = fc.constantFrom(
      "battery",
      "pv",
      "slots",
      "tariff",
      "mqtt",
      "telemetry",
      "grid_fee_ct_kwh",
      "0",
      "3",
      "ct_kwh",
      "kind",
      "peak_kw",
      "capacity_kwh",
      "topic",
      "",
      "__proto__",
      "name",
    );
    const name = fc.oneof(
      fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(".")),
      fc.constantFrom("remove", "reset", "preset", "longitude"),
    );
    const value = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.constantFrom("battery", "pv.0", "summer_low", "tariff", "1e999", "NaN", "true"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), (fields) => {
        const change = ask(fields);
        const result = outcome(change);
        if ("findings" in result) {
          const errors = formErrors(result.findings, change, "de");
          expect(Object.keys(errors).length).toBeGreaterThan(0);
        }
      }),
      { numRuns: runs(300), seed: 11 },
    );
  });
});
