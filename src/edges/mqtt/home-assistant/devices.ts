import type { Language } from "../../../core/language.js";
import { deviceLabel } from "../../../plan/windows/slot-schedule.js";
import { type Texts, textsOf } from "../../../texts/index.js";
import type { Topics } from "../topics/topics.js";
import { actuatorEntities, type DiscoveryActuator } from "./actuator-entities.js";
import { type BatteryRange, batteryControls, batterySoc } from "./battery-entities.js";
import { type DiscoveryDevice, deviceEntities } from "./device-entities.js";
import type { AnnouncedDevice, Entity } from "./entity.js";
import {
  GRID_FIELDS,
  ONE_BATTERY_FIELDS,
  PEAK_FIELDS,
  PRICE_FIELDS,
  planEntities,
  SITE_BATTERY_FIELDS,
} from "./plan-entities.js";
import {
  counterEntities,
  planResultEntities,
  presenceEntities,
  priceEntities,
  pvEntities,
  sentenceEntities,
  todayEntities,
  withCurve,
} from "./plant-entities.js";
import { type DiscoverySlot, slotEntities } from "./slot-entities.js";

/** A plant as announced to Home Assistant. */
export interface DiscoveryPlant {
  id: string;
  name: string;
  /** Left out: without a battery there is no plan of it. */
  battery?: BatteryRange;
  /** Ids and names of the batteries, where the settings name them. */
  batteries?: readonly { id: string; label: string }[];
  hasPv?: boolean;
  /** The price of feed-in is known. */
  hasTariff?: boolean;
  /** Topics of the counters that are read. */
  counters?: readonly string[];
  /** The tariff has a price on the month's peak. */
  hasPeakPrice?: boolean;
  actuators?: readonly DiscoveryActuator[];
  slots: readonly DiscoverySlot[];
  devices?: readonly DiscoveryDevice[];
}

/** The id of the plant's own device. */
export const PLANT = "";

/**
 * The devices of a plant: the plant first, then each battery, each slot, what is read and what actuators drive. A thing with
 * readings, a slot and commands is one device.
 */
export function devicesOf(
  plant: DiscoveryPlant,
  { topics, language }: { topics: Topics; language: Language },
): AnnouncedDevice[] {
  const texts = textsOf(language);
  const topic = (name: string) => topics.of(plant.id, name);
  const devices: AnnouncedDevice[] = [
    {
      id: PLANT,
      name: plant.name,
      model: texts.homeAssistant.models.plant,
      entities: plantEntities(plant, topic, texts),
    },
    ...batteryDevices(plant, topic, texts),
    ...plant.slots.map((slot) => ({
      id: `slot_${slot.slot}`,
      name: deviceLabel({ ...slot, slot: Number(slot.slot) }, language),
      model: texts.ems.choices[slot.kind],
      entities: slotEntities(
        { ...slot, hasCounter: plant.counters?.includes(`slots/${slot.slot}/energy_kwh`) },
        { topic: (name) => topic(`slots/${slot.slot}/${name}`), texts },
      ),
    })),
  ];
  return withActuators(withReadings(devices, plant, topic, texts), plant, topic, texts);
}

/** The devices with the readings of those that are read: one that drives a thing is one with it, others are devices of their own. */
function withReadings(
  devices: readonly AnnouncedDevice[],
  { devices: read = [], slots }: DiscoveryPlant,
  topic: (name: string) => string,
  texts: Texts,
): AnnouncedDevice[] {
  const driving = new Map<string, DiscoveryDevice>();
  for (const device of read) {
    const driven = device.controls === null ? undefined : drivenDevice(device.controls, slots);
    if (driven !== undefined && devices.some(({ id }) => id === driven) && !driving.has(driven))
      driving.set(driven, device);
  }
  const ofItsOwn = read.filter((device) => ![...driving.values()].includes(device));
  return [
    ...devices.map((one) => {
      const device = driving.get(one.id);
      if (device === undefined) return one;
      const entities = [...one.entities, ...deviceEntities(device, { topic, texts })];
      // A slot has the name that its owner gave it.
      return one.id === "battery" ? { ...one, name: device.name, entities } : { ...one, entities };
    }),
    ...ofItsOwn.map((device) => ({
      id: `device_${device.id}`,
      name: device.name,
      model: device.template,
      entities: deviceEntities(device, { topic, texts }),
    })),
  ];
}

function plantEntities(plant: DiscoveryPlant, topic: (name: string) => string, texts: Texts): Entity[] {
  const fields = (names: Parameters<typeof planEntities>[0]) => planEntities(names, { topic, texts });
  return [
    ...sentenceEntities(topic, texts),
    ...fields(PRICE_FIELDS).map((entity) => (entity.key === "price" ? withCurve(entity, topic) : entity)),
    ...priceEntities(topic, { texts, hasTariff: plant.hasTariff }),
    ...(plant.hasPv ? pvEntities(topic, texts) : []),
    ...todayEntities(topic, { texts, hasPv: plant.hasPv, hasBattery: plant.battery !== undefined }),
    ...counterEntities(plant.counters ?? [], topic, texts),
    ...presenceEntities(topic, texts),
    ...(plant.battery === undefined
      ? []
      : [
          ...planResultEntities(topic, texts),
          ...fields(GRID_FIELDS),
          ...(plant.hasPeakPrice ? fields(PEAK_FIELDS) : []),
          ...(isOneDevice(plant) ? [] : siteBatteryEntities(plant.battery, topic, texts)),
        ]),
  ];
}

/** Whether the battery of the site is one thing; several are commanded together, by the plant's device. */
const isOneDevice = ({ batteries = [] }: DiscoveryPlant) => batteries.length === 0;

function siteBatteryEntities(range: BatteryRange, topic: (name: string) => string, texts: Texts): Entity[] {
  return [
    ...planEntities(SITE_BATTERY_FIELDS, { topic, texts }),
    ...batteryControls(topic, { ...range, texts }),
  ];
}

function batteryDevices(
  plant: DiscoveryPlant,
  topic: (name: string) => string,
  texts: Texts,
): AnnouncedDevice[] {
  const { battery, batteries = [] } = plant;
  if (battery === undefined) return [];
  const model = texts.homeAssistant.models.battery;
  if (isOneDevice(plant))
    return [{ id: "battery", name: model, model, entities: siteBatteryEntities(battery, topic, texts) }];
  return batteries.map(({ id, label }) => {
    const keyStart = `battery_${id}_`;
    const below = (name: string) => topic(`batteries/${id}/${name}`);
    return {
      id: `battery_${id}`,
      name: label,
      model,
      entities: [
        batterySoc(`${keyStart}soc`, below, texts),
        ...planEntities(ONE_BATTERY_FIELDS, { keyStart, topic: below, texts }),
      ],
    };
  });
}

/** The devices with the entities of the actuators; what drives no other device's thing is a device of its own. */
function withActuators(
  devices: readonly AnnouncedDevice[],
  { actuators = [], slots }: DiscoveryPlant,
  topic: (name: string) => string,
  texts: Texts,
): AnnouncedDevice[] {
  const ofDevice = new Map<string, DiscoveryActuator[]>();
  for (const actuator of actuators) {
    const driven = drivenDevice(actuator.controls, slots);
    const known = [driven, `device_${actuator.id}`].find((one) => devices.some(({ id }) => id === one));
    const id = known ?? `actuator_${actuator.id}`;
    ofDevice.set(id, [...(ofDevice.get(id) ?? []), actuator]);
  }
  const entities = (id: string) => {
    const own = ofDevice.get(id) ?? [];
    return own.flatMap((one) => actuatorEntities(one, { topic, texts, isNamed: own.length > 1 }));
  };
  const others = [...ofDevice].filter(([id]) => !devices.some((device) => device.id === id));
  return [
    ...devices.map((device) => ({ ...device, entities: [...device.entities, ...entities(device.id)] })),
    ...others.map(([id, [actuator]]) => ({
      id,
      name: actuator!.id,
      model: texts.homeAssistant.models.actuator,
      entities: entities(id),
    })),
  ];
}

/** The device of the thing that an actuator drives, such as `slot_3`; SG Ready without a number is the heat pump's. */
function drivenDevice(controls: string, slots: readonly DiscoverySlot[]): string {
  const [what, number] = controls.split(" ");
  const slot = number ?? (what === "sg_ready" ? slots.find(({ hasSgReady }) => hasSgReady)?.slot : undefined);
  return slot === undefined ? what! : `slot_${slot}`;
}
