import { describe, expect, it } from "vitest";
import { announcementOf, componentsOf } from "../../../src/edges/mqtt/home-assistant/announcement.js";
import { type DiscoveryPlant, devicesOf } from "../../../src/edges/mqtt/home-assistant/devices.js";
import type { DiscoverySlot } from "../../../src/edges/mqtt/home-assistant/slot-entities.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import { faultsOf } from "./home-assistant-rules.js";

const topics = createTopics("hourgate");
const battery = { minSocPct: 10, maxSocPct: 95, overrides: ["charge", "hold"] as const };
const slot = (number: number, more: Partial<DiscoverySlot> = {}): DiscoverySlot => ({
  slot: String(number),
  label: `Gerät ${number}`,
  kind: "boiler",
  hasVehicle: false,
  ...more,
});

const PLANTS: Readonly<Record<string, Omit<DiscoveryPlant, "id" | "name">>> = {
  "prices only": { slots: [] },
  "one battery, PV and a tariff": {
    battery,
    hasPv: true,
    hasTariff: true,
    counters: ["meter/import_kwh", "meter/export_kwh", "slots/3/energy_kwh"],
    slots: [slot(3)],
  },
  "several batteries and a price on the peak": {
    battery,
    hasPeakPrice: true,
    batteries: [
      { id: "cellar", label: "Keller" },
      { id: "roof-2", label: "Dach 2" },
    ],
    slots: [],
  },
  "actuators of a plant without battery": {
    actuators: [
      { id: "boiler", controls: "slot 2" },
      { id: "heat-pump_1", controls: "feed_in" },
    ],
    slots: [],
  },
  "devices that are read": {
    devices: [
      {
        id: "inverter",
        name: "Symo GEN24 10.0 Plus",
        template: "fronius-gen24",
        controls: null,
        readings: { pv_power_kw: { unit: "kW" }, pv_kwh: { unit: "kWh" }, soc_pct: { unit: "%" } },
      },
      {
        id: "car",
        name: "Wallbox",
        template: "go-e",
        controls: null,
        readings: { connected: { unit: "" }, temperature_c: { unit: "°C" } },
      },
    ],
    slots: [],
  },
  "devices that are read and take commands": {
    battery,
    devices: [
      {
        id: "inverter",
        name: "Symo GEN24 10.0 Plus",
        template: "fronius-gen24",
        controls: "battery",
        readings: { pv_power_kw: { unit: "kW" }, soc_pct: { unit: "%" } },
      },
      {
        id: "limiter",
        name: "Dach",
        template: "opendtu",
        controls: "feed_in",
        readings: { pv_power_kw: { unit: "kW" } },
      },
    ],
    actuators: [
      { id: "inverter", controls: "battery" },
      { id: "limiter", controls: "feed_in" },
    ],
    slots: [],
  },
  "wallbox with vehicle, boiler, heat pump": {
    battery,
    actuators: [
      { id: "inverter", controls: "battery" },
      { id: "wallbox", controls: "slot 1" },
      { id: "sg-contacts", controls: "sg_ready" },
      { id: "pump-relay", controls: "slot 8" },
    ],
    slots: [
      slot(1, { kind: "wallbox", hasVehicle: true }),
      slot(2),
      slot(6, { kind: "wallbox" }),
      slot(8, { kind: "heat_pump", hasSgReady: true, label: "" }),
    ],
  },
};

interface Announcement {
  dev: { ids: string[]; name: string; via_device?: string };
  cmps: Record<string, Record<string, unknown>>;
}

/** The announcements of a plant by device, as Home Assistant receives them. */
function announcements(plant: DiscoveryPlant, language: "de" | "en"): Record<string, Announcement> {
  const view = { topics, version: "1.2.3", baseUrl: "http://192.168.1.5:8080" };
  return Object.fromEntries(
    devicesOf(plant, { topics, language }).map((device) => [
      device.id,
      JSON.parse(
        JSON.stringify(announcementOf(plant.id, device, componentsOf(plant.id, device, topics), view)),
      ) as Announcement,
    ]),
  );
}

const entitiesOf = (devices: Record<string, Announcement>) =>
  Object.assign({}, ...Object.values(devices).map(({ cmps }) => cmps)) as Announcement["cmps"];

describe.each(Object.entries(PLANTS))("the announcement of a plant: %s", (_, settings) => {
  const plant: DiscoveryPlant = { id: "home-1", name: "Haus", ...settings };
  const german = announcements(plant, "de");
  const english = announcements(plant, "en");

  it.each(["de", "en"] as const)("is valid by Home Assistant's documentation (%s)", (language) => {
    for (const [id, announcement] of Object.entries(announcements(plant, language)))
      expect([id, faultsOf(announcement)]).toEqual([id, []]);
  });

  it("differs between the languages in names and states only; ids are unique", () => {
    const worded = ["name", "options", "val_tpl", "cmd_tpl"];
    const withoutWords = (devices: typeof german) =>
      Object.entries(entitiesOf(devices)).map(([key, component]) => [
        key,
        Object.entries(component).filter(([field]) => !worded.includes(field)),
      ]);
    expect(withoutWords(german)).toEqual(withoutWords(english));
    const [ofGerman, ofEnglish] = [entitiesOf(german), entitiesOf(english)];
    expect(Object.keys(ofGerman).filter((key) => ofGerman[key]!.name === ofEnglish[key]!.name)).toEqual([]);
    for (const id of ["unique_id", "default_entity_id"]) {
      const ids = Object.values(german).flatMap(({ cmps }) => Object.values(cmps).map((one) => one[id]));
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it("has one name for each entity of a device, an icon or a class, and no English key as a state in German", () => {
    for (const { cmps } of Object.values(german)) {
      const names = Object.values(cmps).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(Object.keys(cmps).filter((key) => !(cmps[key]!.ic ?? cmps[key]!.dev_cla))).toEqual([]);
      const options = Object.values(cmps).flatMap((one) => (one.options as string[] | undefined) ?? []);
      expect(options.filter((word) => word.includes("_"))).toEqual([]);
    }
    const ofEnglish = entitiesOf(english);
    for (const [key, { options }] of Object.entries(entitiesOf(german)))
      if (options !== undefined && !key.endsWith("sg_ready"))
        expect(options).not.toEqual(ofEnglish[key]!.options);
  });

  it("has the plant as the device that the others belong to", () => {
    for (const [id, { dev }] of Object.entries(german)) {
      expect(dev.ids).toEqual([id === "" ? "hourgate_home-1" : `hourgate_home-1/${id}`]);
      expect(dev.via_device).toBe(id === "" ? undefined : "hourgate_home-1");
    }
  });

  it("rounds every number to what is shown, so that an unseen change is none", () => {
    for (const [key, one] of Object.entries(entitiesOf(german)))
      if (
        one.sug_dsp_prc !== undefined &&
        !["price_eur", "export_price", "soc_age", "price_quartile"].includes(key)
      )
        expect([key, one.val_tpl]).toEqual([
          key,
          expect.stringContaining(one.sug_dsp_prc === 0 ? "round | int" : `round(${one.sug_dsp_prc})`),
        ]);
  });

  it("has the price in ct/kWh and in EUR/kWh, with a suggested entity id and no object_id", () => {
    const { price, price_eur } = german[""]!.cmps;
    expect([price!.unit_of_meas, price_eur!.unit_of_meas]).toEqual(["ct/kWh", "EUR/kWh"]);
    expect(price_eur!.default_entity_id).toBe("sensor.hourgate_home_1_price_eur");
    for (const component of Object.values(entitiesOf(german)))
      expect(component).not.toHaveProperty("object_id");
  });
});

it("makes a slot and its actuators one device, named by its owner, and anything else that is driven another", () => {
  const names = (key: string) =>
    Object.fromEntries(
      Object.entries(announcements({ id: "home", name: "Haus", ...PLANTS[key]! }, "de")).map(
        ([id, { dev, cmps }]) => [id, [dev.name, Object.keys(cmps).filter((one) => one.endsWith("_state"))]],
      ),
    );
  expect(names("wallbox with vehicle, boiler, heat pump")).toEqual({
    "": ["Haus", []],
    battery: ["Batterie", ["actuator_inverter_state"]],
    slot_1: ["Gerät 1", ["actuator_wallbox_state"]],
    slot_2: ["Gerät 2", []],
    slot_6: ["Gerät 6", []],
    slot_8: ["Wärmepumpe 8", ["actuator_sg-contacts_state", "actuator_pump-relay_state"]],
  });
  // The slot of the first one is not assigned.
  expect(names("actuators of a plant without battery")).toEqual({
    "": ["Haus", []],
    actuator_boiler: ["boiler", ["actuator_boiler_state"]],
    "actuator_heat-pump_1": ["heat-pump_1", ["actuator_heat-pump_1_state"]],
  });
  expect(Object.keys(names("several batteries and a price on the peak"))).toEqual([
    "",
    "battery_cellar",
    "battery_roof-2",
  ]);
});

it("has plug and deadline for vehicles only", () => {
  const devices = announcements(
    { id: "home", name: "Haus", ...PLANTS["wallbox with vehicle, boiler, heat pump"]! },
    "en",
  );
  const has = (key: string) =>
    Object.keys(devices).filter((id) => Object.keys(devices[id]!.cmps).some((one) => one.endsWith(key)));
  expect(has("_plugged")).toEqual(["slot_1", "slot_6"]);
  expect(has("_full_by")).toEqual(["slot_1", "slot_6"]);
  expect(has("_target_soc")).toEqual(["slot_1"]);
});

it("the charge target has a range that Home Assistant takes, and no state outside of it", () => {
  const target = (minSocPct: number, maxSocPct: number) => {
    const plant = { id: "home", name: "Home", battery: { ...battery, minSocPct, maxSocPct }, slots: [] };
    const { min, max, val_tpl } = entitiesOf(announcements(plant, "en")).battery_charge_target!;
    return { min, max, val_tpl };
  };
  // Several batteries together.
  expect(target(10, 96.6666666667)).toEqual({
    min: 11,
    max: 96,
    val_tpl: "{{ [[value | float | round | int, 11] | max, 96] | min if value else None }}",
  });
  expect(target(99, 100)).toMatchObject({ min: 99, max: 100 });
});

it("the battery offers only what the installation can do", () => {
  const offered = (overrides: readonly ("charge" | "hold")[]) => {
    const plant = { id: "home", name: "Home", battery: { ...battery, overrides }, slots: [] };
    const { battery_override: select, battery_charge_target: target } = entitiesOf(
      announcements(plant, "de"),
    );
    return [select?.options, target !== undefined];
  };
  expect(offered(["charge"])).toEqual([["automatisch", "laden"], true]);
  expect(offered(["hold"])).toEqual([["automatisch", "halten"], false]);
  expect(offered([])).toEqual([undefined, false]);
});

it("names a device without a name by its kind in the language of the plant", () => {
  const unnamed = [slot(4, { kind: "heat_pump", label: "" }), slot(5, { kind: "other", label: "" })];
  const devices = devicesOf({ id: "home", name: "Haus", slots: unnamed }, { topics, language: "de" });
  expect(devices.map(({ name }) => name)).toEqual(["Haus", "Wärmepumpe 4", "Gerät 5"]);
});

it("the schema rejects what Home Assistant does not know or does not accept", () => {
  const plant: DiscoveryPlant = { id: "home", name: "Haus", battery, slots: [slot(1, { kind: "wallbox" })] };
  const changed = (device: string, key: string, change: object) => {
    const document = announcements(plant, "de")[device]!;
    Object.assign(document.cmps[key]!, change);
    return faultsOf(document);
  };
  expect(changed("", "price", {})).toEqual([]);
  for (const [device, key, change] of [
    ["", "price", { object_id: "price" }],
    ["", "price", { default_entity_id: "price" }],
    ["", "price", { stat_t: "hourgate/+/price" }],
    ["", "price", { dev_cla: "monetary" }],
    ["battery", "charge_power", { unit_of_meas: "PS" }],
    ["battery", "charge_power", { ent_cat: "config" }],
    ["battery", "energy_charge", { stat_cla: "measurement" }],
    ["battery", "discharge_reason", { unit_of_meas: "%" }],
    ["", "savings_today", { stat_cla: "total_increasing" }],
    ["slot_1", "slot_1_override", { options: [] }],
    ["slot_1", "slot_1_full_by", { pattern: "(" }],
  ] as const)
    expect(changed(device, key, change), `${key} ${JSON.stringify(change)}`).not.toEqual([]);
});

it("shows a device that is read and takes commands as one device", () => {
  const plant = { id: "home-1", name: "Haus", ...PLANTS["devices that are read and take commands"]! };
  const devices = announcements(plant, "en");
  expect(Object.keys(devices)).toEqual(["", "battery", "device_limiter"]);
  expect(devices.battery!.dev.name).toBe("Symo GEN24 10.0 Plus");
  const keys = Object.keys(devices.battery!.cmps);
  for (const key of ["battery_override", "device_inverter_soc_pct", "actuator_inverter_enabled"])
    expect(keys).toContain(key);
  expect(Object.keys(devices.device_limiter!.cmps)).toEqual(
    expect.arrayContaining(["device_limiter_pv_power_kw", "actuator_limiter_state"]),
  );
});
