import { describe, expect, it } from "vitest";
import {
  componentsOf,
  type DiscoveryPlant,
  discoveryDocument,
} from "../../../src/edges/mqtt/home-assistant/entities.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import { faultsOf } from "./home-assistant-rules.js";

const topics = createTopics("hourgate");
const slot = (number: number, more: object = {}) => ({
  slot: String(number),
  label: `Gerät ${number}`,
  isWallbox: false,
  hasVehicle: false,
  ...more,
});

const PLANTS: Readonly<Record<string, Omit<DiscoveryPlant, "id" | "name">>> = {
  "prices only": { hasBattery: false, slots: [] },
  "one battery": { hasBattery: true, slots: [] },
  "several batteries and a price on the peak": {
    hasBattery: true,
    hasPeakPrice: true,
    batteries: [
      { id: "cellar", label: "Keller" },
      { id: "roof-2", label: "Dach 2" },
    ],
    slots: [],
  },
  "actuators of a plant without battery": {
    hasBattery: false,
    actuators: ["boiler", "heat-pump_1"],
    slots: [],
  },
  "wallbox with vehicle, boiler, heat pump": {
    hasBattery: true,
    actuators: ["wallbox"],
    slots: [
      slot(1, { isWallbox: true, hasVehicle: true }),
      slot(2),
      slot(6, { isWallbox: true }),
      slot(12, { hasSgReady: true }),
    ],
  },
};

/** The announcement of a plant, as Home Assistant receives it. */
function announcement(plant: DiscoveryPlant, language: "de" | "en") {
  const view = { topics, version: "1.2.3", baseUrl: "http://192.168.1.5:8080", language };
  return JSON.parse(JSON.stringify(discoveryDocument(plant, componentsOf(plant, view), view))) as {
    cmps: Record<string, Record<string, unknown>>;
  };
}

describe.each(Object.entries(PLANTS))("the announcement of a plant: %s", (_, settings) => {
  const plant: DiscoveryPlant = { id: "home-1", name: "Haus", ...settings };
  const german = announcement(plant, "de").cmps;
  const english = announcement(plant, "en").cmps;

  it.each(["de", "en"] as const)("is valid by Home Assistant's documentation (%s)", (language) => {
    expect(faultsOf(announcement(plant, language))).toEqual([]);
  });

  it("differs between the languages in names only; ids are unique", () => {
    const withoutName = (cmps: typeof german) =>
      Object.entries(cmps).map(([key, { name: _name, ...rest }]) => [key, rest]);
    expect(withoutName(german)).toEqual(withoutName(english));
    const same = Object.keys(german).filter((key) => german[key]!.name === english[key]!.name);
    expect(same.filter((key) => !key.endsWith("_sg_ready"))).toEqual([]);
    for (const id of ["unique_id", "default_entity_id"]) {
      const ids = Object.values(german).map((component) => component[id]);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it("has the price in ct/kWh and in EUR/kWh, with a suggested entity id and no object_id", () => {
    expect([german.price!.unit_of_meas, german.price_eur!.unit_of_meas]).toEqual(["ct/kWh", "EUR/kWh"]);
    expect(german.price_eur!.default_entity_id).toBe("sensor.hourgate_home_1_price_eur");
    for (const component of Object.values(german)) expect(component).not.toHaveProperty("object_id");
  });
});

it("the schema rejects what Home Assistant does not know or does not accept", () => {
  const plant: DiscoveryPlant = { id: "home", name: "Haus", hasBattery: true, slots: [slot(1)] };
  const changed = (key: string, change: object) => {
    const document = announcement(plant, "de");
    Object.assign(document.cmps[key]!, change);
    return faultsOf(document);
  };
  expect(changed("price", {})).toEqual([]);
  for (const [key, change] of [
    ["price", { object_id: "price" }],
    ["price", { default_entity_id: "price" }],
    ["price", { stat_t: "hourgate/+/price" }],
    ["price", { dev_cla: "monetary" }],
    ["charge_power", { unit_of_meas: "PS" }],
    ["charge_power", { ent_cat: "config" }],
    ["energy_charge", { stat_cla: "measurement" }],
    ["discharge_reason", { unit_of_meas: "%" }],
    ["savings_today", { stat_cla: "total_increasing" }],
    ["slot_1_override", { options: [] }],
    ["slot_1_full_by", { pattern: "(" }],
  ] as const)
    expect(changed(key, change), `${key} ${JSON.stringify(change)}`).not.toEqual([]);
});
