import { DISCHARGE_REASONS } from "../domain/discharge-reason.js";
import type { Texts } from "../texts/index.js";
import type { Topics } from "./topics.js";

type HomeAssistantTexts = Texts["homeAssistant"];

/** What Home Assistant is told of a plant. */
export interface DiscoveryPlant {
  id: string;
  name: string;
  /** Without a battery there is nothing to say about charging it. */
  hasBattery: boolean;
  /** Numbers and labels of the assigned slots. */
  slots: readonly { slot: string; label: string }[];
}

export interface DiscoveryView {
  topics: Topics;
  version: string;
  /** Address of the gateway's own pages. */
  baseUrl: string;
  texts: HomeAssistantTexts;
}

/** An entity as discovery wants it; the abbreviations are Home Assistant's. */
export type DiscoveryComponent = Readonly<Record<string, unknown>> & { readonly p: string };

/** An unknown value is an empty payload; "None" is how Home Assistant is told so. */
const UNKNOWN_WHEN_EMPTY = "{{ value if value else None }}";

const POWER = { dev_cla: "power", unit_of_meas: "kW", stat_cla: "measurement", sug_dsp_prc: 2 };
/** Hours and energies of a plan are no meter readings: statistics of them would mean nothing. */
const HOURS = { dev_cla: "duration", unit_of_meas: "h", sug_dsp_prc: 2 };
const PLANNED_ENERGY = { dev_cla: "energy", unit_of_meas: "kWh", sug_dsp_prc: 2 };
/** No device class: with `battery` it would pass for the state of charge. */
const LIMIT_PCT = { unit_of_meas: "%", stat_cla: "measurement", sug_dsp_prc: 0 };
const DIAGNOSTIC = { ent_cat: "diagnostic" };

type Row = readonly [
  key: keyof HomeAssistantTexts["entities"],
  platform: "sensor" | "binary_sensor",
  topic: string,
  more?: object,
];

const OF_PRICES: readonly Row[] = [
  // No device class: `monetary` wants a plain currency, and its statistics would add prices up.
  [
    "price",
    "sensor",
    "price/now_ct_kwh",

    { unit_of_meas: "ct/kWh", stat_cla: "measurement", sug_dsp_prc: 2, ic: "mdi:cash" },
  ],
  [
    "price_quartile",
    "sensor",
    "price/quartile",

    { stat_cla: "measurement", sug_dsp_prc: 0 },
  ],
  [
    "price_signal",
    "sensor",
    "price/signal",

    { dev_cla: "enum", options: ["cheap", "below_average", "above_average", "expensive"] },
  ],
];

const OF_THE_BATTERY: readonly Row[] = [
  ["charge_now", "binary_sensor", "charge_now", { ic: "mdi:battery-charging" }],
  [
    "grid_charge_allowed",
    "binary_sensor",
    "grid_charge_allowed",

    { ic: "mdi:transmission-tower" },
  ],
  ["charge_power", "sensor", "charge_power_kw", POWER],
  ["charge_stop_soc", "sensor", "charge_stop_soc_pct", LIMIT_PCT],
  ["min_soc", "sensor", "min_soc_pct", LIMIT_PCT],
  ["hours_needed", "sensor", "hours_needed", HOURS],
  ["hours_needed_today", "sensor", "hours_needed_today", HOURS],
  ["energy_charge", "sensor", "energy_charge_kwh", PLANNED_ENERGY],
  ["discharge_power", "sensor", "discharge/power_kw", POWER],
  [
    "discharge_reason",
    "sensor",
    "discharge/reason",

    {
      dev_cla: "enum",
      options: DISCHARGE_REASONS,
    },
  ],
  [
    "adaptive_discharge",
    "binary_sensor",
    "discharge/adaptive",

    { ic: "mdi:battery-lock" },
  ],
  [
    "soc_age",
    "sensor",
    "soc_age_minutes",

    { dev_cla: "duration", unit_of_meas: "min", stat_cla: "measurement", sug_dsp_prc: 0, ...DIAGNOSTIC },
  ],
  ["soc_stale", "binary_sensor", "soc_stale", { dev_cla: "problem", ...DIAGNOSTIC }],
];

/** Home Assistant's device of a plant, and so the first part of its entities' ids. */
const deviceId = (plant: string) => `hourgate_${plant}`;

/** The entities of a plant by their keys. */
export function componentsOf(
  plant: DiscoveryPlant,
  { topics, texts }: Pick<DiscoveryView, "topics" | "texts">,
): Record<string, DiscoveryComponent> {
  const rows = [...OF_PRICES, ...(plant.hasBattery ? OF_THE_BATTERY : [])];
  const components: Record<string, DiscoveryComponent> = {};
  const add = (key: string, p: string, name: string, more: object) => {
    const id = `${deviceId(plant.id)}_${key}`;
    const entity = `${p}.${id.toLowerCase().replace(/[^a-z0-9]+/g, "_")}`;
    components[key] = {
      p,
      unique_id: id,
      name,
      // The second of the two is what Home Assistant before 2025.10 reads.
      default_entity_id: entity,
      object_id: entity.slice(p.length + 1),
      ...more,
    };
  };
  for (const [key, platform, topic, more] of rows)
    add(key, platform, texts.entities[key], { ...reading(platform, topics.of(plant.id, topic)), ...more });
  for (const { slot, label } of plant.slots) {
    const topic = (name: string) => topics.of(plant.id, `slots/${slot}/${name}`);
    add(
      `slot_${slot}_charge_now`,
      "binary_sensor",
      texts.slotChargeNow(label),
      reading("binary_sensor", topic("charge_now")),
    );
    add(`slot_${slot}_next_start`, "sensor", texts.slotNextStart(label), {
      ...reading("sensor", topic("next_start")),
      dev_cla: "timestamp",
    });
    // The only thing that can be set from outside as one value; its state stands in the slot's document.
    add(`slot_${slot}_plugged`, "switch", texts.slotPlugged(label), {
      stat_t: topic("plan"),
      val_tpl: "{{ value_json.plugged if value else None }}",
      cmd_t: topic("plugged/set"),
      pl_on: "1",
      pl_off: "0",
      stat_on: "1",
      stat_off: "0",
      ic: "mdi:power-plug",
    });
  }
  return components;
}

function reading(platform: "sensor" | "binary_sensor", stat_t: string): object {
  const flag = platform === "binary_sensor" ? { pl_on: "1", pl_off: "0" } : {};
  return { stat_t, val_tpl: UNKNOWN_WHEN_EMPTY, ...flag };
}

/** The description of a plant for Home Assistant's device discovery, with these entities. */
export function discoveryDocument(
  plant: Pick<DiscoveryPlant, "id" | "name">,
  components: Readonly<Record<string, DiscoveryComponent>>,
  { topics, version, baseUrl, texts }: DiscoveryView,
): Record<string, unknown> {
  return {
    dev: {
      ids: [deviceId(plant.id)],
      name: plant.name,
      mf: "hourgate",
      mdl: texts.model,
      sw: version,
      cu: baseUrl,
    },
    o: { name: "hourgate", sw: version, url: baseUrl },
    availability: [{ topic: topics.status }],
    qos: 1,
    cmps: components,
  };
}

/** The entities that an announcement of ours describes, with their platforms; undefined for anything else. */
export function discoveredComponents(text: string, topics: Topics): Map<string, string> | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { availability, cmps } = (document ?? {}) as { availability?: unknown; cmps?: unknown };
  const [first] = Array.isArray(availability) ? (availability as { topic?: unknown }[]) : [];
  // Another gateway on the same broker tells of itself under its own prefix.
  if (first?.topic !== topics.status || typeof cmps !== "object" || cmps === null) return undefined;
  const described = Object.entries(cmps as Record<string, { p?: unknown; unique_id?: unknown } | null>);
  return new Map(
    described.flatMap(([key, component]) =>
      typeof component?.p === "string" && component.unique_id !== undefined
        ? [[key, component.p] as const]
        : [],
    ),
  );
}
