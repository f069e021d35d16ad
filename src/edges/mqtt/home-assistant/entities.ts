import { ACTUATOR_PHASES } from "../../../core/domain/actuator.js";
import { FOLLOWING_STATES } from "../../../core/domain/battery.js";
import {
  BATTERY_FIELDS,
  FIELD_NAMES,
  type HomeAssistantField,
  planField,
  topicOf,
} from "../../../core/domain/plan-field-lists.js";
import type { PlanField } from "../../../core/domain/plan-fields.js";
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

/** A total that may fall: some hours cost more than without control. It starts again at `lrst_val_tpl`. */
const MONEY = { dev_cla: "monetary", unit_of_meas: "EUR", stat_cla: "total", sug_dsp_prc: 2 };
const DIAGNOSTIC = { ent_cat: "diagnostic" };
/** No device class: `monetary` requires a currency as unit, and its statistics would add up prices. */
const PRICE = { unit_of_meas: "ct/kWh", stat_cla: "measurement", sug_dsp_prc: 2 };

/** Attributes of a sensor by the kind of its field. */
const OF_KIND: Partial<Record<Extract<PlanField["kind"], string>, object>> = {
  // No state class: statistics of planned hours and energies would be meaningless.
  h: { dev_cla: "duration", unit_of_meas: "h", sug_dsp_prc: 2 },
  kWh: { dev_cla: "energy", unit_of_meas: "kWh", sug_dsp_prc: 2 },
  kW: POWER,
  // No device class: `battery` would mark it as a state of charge.
  "%": { unit_of_meas: "%", stat_cla: "measurement", sug_dsp_prc: 0 },
  min: { dev_cla: "duration", unit_of_meas: "min", stat_cla: "measurement", sug_dsp_prc: 0 },
  quartile: { stat_cla: "measurement", sug_dsp_prc: 0 },
  "ct/kWh": PRICE,
};

interface Row {
  key: string;
  platform: "sensor" | "binary_sensor";
  topic: string;
  /** Position among the entities. */
  rank: number;
  name(texts: Texts): string;
  more: object;
  field?: HomeAssistantField;
}

/** The entities of the catalogue of fields. */
const FIELD_ROWS: readonly Row[] = FIELD_NAMES.flatMap((name) => {
  const { homeAssistant, kind } = planField(name);
  if (homeAssistant === undefined) return [];
  const { key, rank, icon, isDiagnostic, isProblem } = homeAssistant;
  const field = name as HomeAssistantField;
  const isBinary = kind === "flag" || kind === "boolean" || kind === FOLLOWING_STATES;
  const more = {
    ...(typeof kind === "string" ? OF_KIND[kind] : !isBinary && { dev_cla: "enum", options: kind }),
    ...(kind === FOLLOWING_STATES && { val_tpl: FOLLOWING_TEMPLATE }),
    ...(isProblem && { dev_cla: "problem" }),
    ...(icon && { ic: icon }),
    ...(isDiagnostic && DIAGNOSTIC),
  };
  return [
    {
      key,
      platform: isBinary ? "binary_sensor" : "sensor",
      topic: topicOf(name)!,
      rank,
      name: (texts) => texts.planFields[field].homeAssistant,
      more,
      field,
    },
  ];
});

const otherRow = (
  key: keyof Texts["homeAssistant"]["entities"],
  topic: string,
  rank: number,
  more: object,
): Row => ({
  key,
  platform: "sensor",
  topic,
  rank,
  name: (texts) => texts.homeAssistant.entities[key],
  more,
});

/** Entities of values that are no fields of the plan. */
const PRICE_ROWS: readonly Row[] = [
  // The energy dashboard multiplies by the number, whatever the unit: it needs a price in EUR.
  otherRow("price_eur", "price/now_ct_kwh", 2, {
    val_tpl: "{{ (value | float / 100) | round(6) if value else None }}",
    unit_of_meas: "EUR/kWh",
    stat_cla: "measurement",
    sug_dsp_prc: 4,
    ic: "mdi:cash",
  }),
  otherRow("price_signal", "price/signal", 4, { dev_cla: "enum", options: SIGNALS }),
];

const BATTERY_ROWS: readonly Row[] = [
  otherRow("next_charge", "charge/next_start", 6, { dev_cla: "timestamp" }),
  otherRow("savings_today", "savings/today_eur", 24, {
    ...MONEY,
    lrst_val_tpl: "{{ today_at().isoformat() }}",
  }),
  otherRow("savings_month", "savings/month_eur", 25, {
    ...MONEY,
    lrst_val_tpl: "{{ today_at().replace(day=1).isoformat() }}",
  }),
];

const inOrder = (rows: readonly Row[]) => [...rows].sort((a, b) => a.rank - b.rank);
const rowsWhere = (isWanted: (field: PlanField) => boolean | undefined) =>
  FIELD_ROWS.filter(({ field }) => isWanted(planField(field!)));

const OF_PRICES = inOrder([...rowsWhere(({ isPrice }) => isPrice), ...PRICE_ROWS]);

const OF_THE_BATTERY = inOrder([
  ...rowsWhere(({ isPrice, optional }) => !isPrice && !optional),
  ...BATTERY_ROWS,
]);

const OF_THE_PEAK = inOrder(rowsWhere(({ optional }) => optional));

/** The entities of each of several batteries, below `batteries/<id>`. */
const OF_ONE_BATTERY = OF_THE_BATTERY.filter(
  ({ field }) => BATTERY_FIELDS.some((name) => name === field) && field !== "soc_age_minutes",
);

/** Id of the plant's device in Home Assistant, also the prefix of its entity ids. */
const deviceId = (plant: string) => `hourgate_${plant}`;

/** The entities of a plant by key. */
export function componentsOf(
  plant: DiscoveryPlant,
  { topics, language }: Pick<DiscoveryView, "topics" | "language">,
): Record<string, DiscoveryComponent> {
  const allTexts = textsOf(language);
  const texts = allTexts.homeAssistant;
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
  for (const { key, platform, topic, name, more } of rows)
    add(key, platform, name(allTexts), { ...reading(platform, topics.of(plant.id, topic)), ...more });
  for (const { id, label } of plant.batteries ?? []) {
    const topic = (name: string) => topics.of(plant.id, `batteries/${id}/${name}`);
    for (const row of OF_ONE_BATTERY)
      add(`battery_${id}_${row.key}`, row.platform, `${label}: ${row.name(allTexts)}`, {
        ...reading(row.platform, topic(row.topic)),
        ...row.more,
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
