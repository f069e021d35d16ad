import type { Site } from "../../../config/site.js";
import { DEVICE_READINGS } from "../../../equipment/reading/names.js";
import { ACTUATOR_TOPICS } from "./actuators.js";
import { BATTERY_TOPICS } from "./mirror.js";
import type { Topics } from "./topics.js";

type Group = "batteries" | "devices" | "actuators";

/** The topics of a battery, device or actuator, below `<group>/<id>/`. */
const NAMES: Readonly<Record<Group, readonly string[]>> = {
  batteries: BATTERY_TOPICS.map(([name]) => name),
  devices: [
    "state",
    "age_s",
    "command",
    ...Object.entries(DEVICE_READINGS).map(([name, { shown }]) => `readings/${shown ?? name}`),
  ],
  actuators: ACTUATOR_TOPICS,
};

/** The topic that each one of the group has. */
const ALWAYS: Readonly<Record<Group, string>> = {
  batteries: "discharge/power_kw",
  devices: "state",
  actuators: "state",
};

/** Filters by which an external broker, which does not list what it retains, sends what an earlier run has published. */
export function partFilters(topics: Topics, plant = "+"): string[] {
  return Object.entries(ALWAYS).map(([group, name]) => topics.of(plant, `${group}/+/${name}`));
}

/**
 * The topics, below the plant, of the battery, device or actuator that the topic belongs to, if the settings of the plant no
 * longer have it; otherwise none.
 */
export function topicsOfRemovedPart(name: string, { plant }: Site): string[] {
  const [group = "", id, below] = name.split("/");
  const { batteries, devices } = plant;
  const present = { batteries, devices, actuators: devices };
  const isInbound = below === "telemetry" || name.endsWith("/set");
  if (!isGroup(group) || isInbound || present[group].some((one) => one.id === id)) return [];
  return [...new Set([name, ...NAMES[group].map((each) => `${group}/${id}/${each}`)])];
}

function isGroup(text: string): text is Group {
  return Object.hasOwn(NAMES, text);
}
