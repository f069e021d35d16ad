import { ACTUATOR_PHASES } from "../../../core/domain/actuator.js";
import { CHARGE_CAP_REASONS, DISCHARGE_REASONS, FOLLOWING_CAUSES } from "../../../core/domain/battery.js";
import { SIGNALS } from "../../../core/domain/price.js";
import type { Language } from "../../../core/language.js";
import { type Texts, textsOf } from "../../../texts/index.js";
import type { Topics } from "../topics/topics.js";
import { type DiscoverySlot, POWER, reading, slotComponents } from "./slots.js";

/** A plant as announced to Home Assistant. */
export interface DiscoveryPlant {
  id: string;
  name: string;
  /** Without a battery only the prices are announced. */
  hasBattery: boolean;
  /** Ids and names of the batteries, where the plant has several with an id. */
  batteries?: readonly { id: string; label: string }[];
  /** The tariff has a price on the month's peak. */
  hasPeakPrice?: boolean;
  /** Ids of the actuators. */
  actuators?: readonly string[];
  /** The assigned slots. */
  slots: readonly DiscoverySlot[];
}

export interface DiscoveryView {
  topics: Topics;
  version: string;
  /** Base URL of the portal. */
  baseUrl: string;
  /** Language of the names. */
  language: Language;
}

/** An entity with the abbreviated keys of Home Assistant's discovery. */
export type DiscoveryComponent = Readonly<Record<string, unknown>> & { readonly p: string };

/** `unknown` is a state of its own in Home Assistant. */
const FOLLOWING_TEMPLATE = "{{ {'yes': '1', 'no': '0'}.get(value, None) }}";

/** No state class: statistics of planned hours and energies would be meaningless. */
const HOURS = { dev_cla: "duration", unit_of_meas: "h", sug_dsp_prc: 2 };
const PLANNED_ENERGY = { dev_cla: "energy", unit_of_meas: "kWh", sug_dsp_prc: 2 };
/** No device class: `battery` would mark it as a state of charge. */
const LIMIT_PCT = { unit_of_meas: "%", stat_cla: "measurement", sug_dsp_prc: 0 };
/** A total that may fall: some hours cost more than without control. It starts again at `lrst_val_tpl`. */
const MONEY = { dev_cla: "monetary", unit_of_meas: "EUR", stat_cla: "total", sug_dsp_prc: 2 };
const DIAGNOSTIC = { ent_cat: "diagnostic" };

type Row = readonly [
  key: keyof Texts["homeAssistant"]["entities"],
  platform: "sensor" | "binary_sensor",
  topic: string,
  more?: object,
];

const OF_PRICES: readonly Row[] = [
  // No device class: `monetary` requires a currency as unit, and its statistics would add up prices.
  [
    "price",
    "sensor",
    "price/now_ct_kwh",
    { unit_of_meas: "ct/kWh", stat_cla: "measurement", sug_dsp_prc: 2, ic: "mdi:cash" },
  ],
  // The energy dashboard multiplies by the number, whatever the unit: it needs a price in EUR.
  [
    "price_eur",
    "sensor",
    "price/now_ct_kwh",
    {
      val_tpl: "{{ (value | float / 100) | round(6) if value else None }}",
      unit_of_meas: "EUR/kWh",
      stat_cla: "measurement",
      sug_dsp_prc: 4,
      ic: "mdi:cash",
    },
  ],
  ["price_quartile", "sensor", "price/quartile", { stat_cla: "measurement", sug_dsp_prc: 0 }],
  ["price_signal", "sensor", "price/signal", { dev_cla: "enum", options: SIGNALS }],
];

const OF_THE_BATTERY: readonly Row[] = [
  ["charge_now", "binary_sensor", "charge_now", { ic: "mdi:battery-charging" }],
  ["next_charge", "sensor", "charge/next_start", { dev_cla: "timestamp" }],
  ["grid_charge_allowed", "binary_sensor", "grid_charge_allowed", { ic: "mdi:transmission-tower" }],
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
  ["adaptive_discharge", "binary_sensor", "discharge/adaptive", { ic: "mdi:battery-lock" }],
  [
    "soc_age",
    "sensor",
    "soc_age_minutes",
    { dev_cla: "duration", unit_of_meas: "min", stat_cla: "measurement", sug_dsp_prc: 0, ...DIAGNOSTIC },
  ],
  ["charge_cap", "sensor", "charge/cap_kw", POWER],
  ["charge_cap_reason", "sensor", "charge/cap_reason", { dev_cla: "enum", options: CHARGE_CAP_REASONS }],
  ["feed_in_limit", "sensor", "feed_in/limit_kw", POWER],
  ["discharge_set", "sensor", "discharge/set_kw", POWER],
  [
    "following",
    "binary_sensor",
    "following",
    { val_tpl: FOLLOWING_TEMPLATE, ic: "mdi:battery-check", ...DIAGNOSTIC },
  ],
  [
    "following_cause",
    "sensor",
    "following_cause",
    { dev_cla: "enum", options: FOLLOWING_CAUSES, ...DIAGNOSTIC },
  ],
  [
    "savings_today",
    "sensor",
    "savings/today_eur",
    { ...MONEY, lrst_val_tpl: "{{ today_at().isoformat() }}" },
  ],
  [
    "savings_month",
    "sensor",
    "savings/month_eur",
    { ...MONEY, lrst_val_tpl: "{{ today_at().replace(day=1).isoformat() }}" },
  ],
  ["soc_stale", "binary_sensor", "soc_stale", { dev_cla: "problem", ...DIAGNOSTIC }],
];

/** The entities of each of several batteries, below `batteries/<id>`. */
const OF_ONE_BATTERY: readonly Row[] = [
  ...OF_THE_BATTERY.filter(([key]) =>
    [
      "charge_now",
      "charge_power",
      "charge_stop_soc",
      "discharge_power",
      "charge_cap",
      "discharge_set",
    ].includes(key),
  ),
  ...OF_THE_BATTERY.filter(([key]) => ["following", "following_cause", "soc_stale"].includes(key)),
];

const OF_THE_PEAK: readonly Row[] = [["import_target", "sensor", "grid/import_target_kw", POWER]];

/** Id of the plant's device in Home Assistant, also the prefix of its entity ids. */
const deviceId = (plant: string) => `hourgate_${plant}`;

/** The entities of a plant by key. */
export function componentsOf(
  plant: DiscoveryPlant,
  { topics, language }: Pick<DiscoveryView, "topics" | "language">,
): Record<string, DiscoveryComponent> {
  const texts = textsOf(language).homeAssistant;
  const rows = [
    ...OF_PRICES,
    ...(plant.hasBattery ? OF_THE_BATTERY : []),
    ...(plant.hasBattery && plant.hasPeakPrice ? OF_THE_PEAK : []),
  ];
  const components: Record<string, DiscoveryComponent> = {};
  const add = (key: string, p: string, name: string, more: object) => {
    const id = `${deviceId(plant.id)}_${key}`;
    const default_entity_id = `${p}.${id.toLowerCase().replace(/[^a-z0-9]+/g, "_")}`;
    components[key] = { p, unique_id: id, name, default_entity_id, ...more };
  };
  for (const [key, platform, topic, more] of rows)
    add(key, platform, texts.entities[key], { ...reading(platform, topics.of(plant.id, topic)), ...more });
  for (const { id, label } of plant.batteries ?? []) {
    const topic = (name: string) => topics.of(plant.id, `batteries/${id}/${name}`);
    for (const [key, platform, name, more] of OF_ONE_BATTERY)
      add(`battery_${id}_${key}`, platform, `${label}: ${texts.entities[key]}`, {
        ...reading(platform, topic(name)),
        ...more,
      });
    add(`battery_${id}_soc`, "sensor", `${label}: ${texts.batterySoc}`, {
      ...reading("sensor", topic("soc_pct")),
      dev_cla: "battery",
      unit_of_meas: "%",
      stat_cla: "measurement",
      sug_dsp_prc: 0,
    });
  }
  for (const id of plant.actuators ?? []) {
    const topic = (name: string) => topics.of(plant.id, `actuators/${id}/${name}`);
    const addOne = (key: keyof typeof texts.actuator, p: string, more: object) =>
      add(`actuator_${id}_${key}`, p, `${id}: ${texts.actuator[key]}`, more);
    addOne("state", "sensor", {
      ...reading("sensor", topic("state")),
      dev_cla: "enum",
      options: ACTUATOR_PHASES,
    });
    addOne("confirmed", "sensor", reading("sensor", topic("confirmed")));
    addOne("problem", "binary_sensor", {
      ...reading("binary_sensor", topic("last_error")),
      val_tpl: "{{ '0' if value == 'none' else '1' }}",
      dev_cla: "problem",
      ...DIAGNOSTIC,
    });
    addOne("writes", "sensor", {
      ...reading("sensor", topic("writes_today")),
      stat_cla: "total_increasing",
      ...DIAGNOSTIC,
    });
    addOne("enabled", "switch", {
      stat_t: topic("enabled"),
      cmd_t: topic("enabled/set"),
      pl_on: "1",
      pl_off: "0",
      stat_on: "1",
      stat_off: "0",
    });
  }
  for (const slot of plant.slots) {
    const topicOf = (name: string) => topics.of(plant.id, `slots/${slot.slot}/${name}`);
    for (const { key, p, name, ...more } of slotComponents(slot, topicOf, texts.slot))
      add(`slot_${slot.slot}_${key}`, p, name, more);
  }
  return components;
}

/** The discovery document of a plant with these entities. */
export function discoveryDocument(
  plant: Pick<DiscoveryPlant, "id" | "name">,
  components: Readonly<Record<string, DiscoveryComponent>>,
  { topics, version, baseUrl, language }: DiscoveryView,
): Record<string, unknown> {
  return {
    dev: {
      ids: [deviceId(plant.id)],
      name: plant.name,
      mf: "hourgate",
      mdl: textsOf(language).homeAssistant.model,
      sw: version,
      cu: baseUrl,
    },
    o: { name: "hourgate", sw: version, url: baseUrl },
    availability: [{ topic: topics.status }],
    qos: 1,
    cmps: components,
  };
}

/** The entities of an announcement of this gateway with their platforms; undefined for other announcements. */
export function discoveredComponents(text: string, topics: Topics): Map<string, string> | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { availability, cmps } = (document ?? {}) as { availability?: unknown; cmps?: unknown };
  const [first] = Array.isArray(availability) ? (availability as { topic?: unknown }[]) : [];
  // Another gateway on the same broker has another prefix.
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
