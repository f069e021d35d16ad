import type { Texts } from "../../../texts/index.js";

export const PLATFORMS = ["sensor", "binary_sensor", "switch", "select", "text", "number"] as const;

export type Platform = (typeof PLATFORMS)[number];

/** Why the state of an entity is unknown. */
export type UnknownReason = keyof Texts["homeAssistant"]["unknown"]["of"];

/** An entity with the abbreviated keys of Home Assistant's discovery. */
export interface Entity {
  /** Part of its unique id, within the plant. */
  key: string;
  platform: Platform;
  name: string;
  config: Readonly<Record<string, unknown>>;
  /** Why its state is unknown when it is; left out: it has no attribute that says so. */
  unknown?: UnknownReason;
  /** Its state is a value of the plan: without a plan that is why it is unknown. */
  needsPlan?: true;
  /** Whether a payload of its state topic means unknown; left out: an empty one does. */
  isUnknown?(payload: string): boolean;
}

/** A device in Home Assistant. */
export interface AnnouncedDevice {
  /** Within the plant; empty: the plant itself. */
  id: string;
  name: string;
  model: string;
  entities: readonly Entity[];
}

/** Unknown values are empty payloads, which Home Assistant expects as None. */
const UNKNOWN_WHEN_EMPTY = "{{ value if value else None }}";

/** The value with as many decimals as are shown, so that a change that nobody sees is none. */
export function numberTemplate(decimals: number): string {
  const rounded = decimals === 0 ? "round | int" : `round(${decimals})`;
  return `{{ value | float | ${rounded} if value else None }}`;
}

/** The word for a value, in the language of the plant; None for any other value. */
export function wordTemplate(words: Readonly<Record<string, string>>, value = "value"): string {
  return `{{ ${JSON.stringify(words)}.get(${value}, None) }}`;
}

/** A sensor of words. */
export const wordsOf = (words: Readonly<Record<string, string>>) => ({
  dev_cla: "enum",
  options: Object.values(words),
  val_tpl: wordTemplate(words),
});

/** State topic, template and payloads of a read-only entity. */
export function reading(platform: Platform, stat_t: string): Readonly<Record<string, unknown>> {
  const flag = platform === "binary_sensor" ? { pl_on: "1", pl_off: "0" } : {};
  return { stat_t, val_tpl: UNKNOWN_WHEN_EMPTY, ...flag };
}

/** What an entity has besides its key, its name and its discovery. */
type More = Omit<Partial<Entity>, "key" | "name" | "config">;

/** A sensor of a topic. */
export function sensor(
  key: string,
  name: string,
  { topic, ...config }: { topic: string } & Readonly<Record<string, unknown>>,
  more: More = {},
): Entity {
  return { key, platform: "sensor", name, ...more, config: { ...reading("sensor", topic), ...config } };
}

/** A selection of words, by the values of the topic that they stand for; `…/set` takes the values. */
export function select(
  key: string,
  name: string,
  { topic, words, ic }: { topic: string; words: Readonly<Record<string, string>>; ic: string },
  more: More,
): Entity {
  const values = Object.fromEntries(Object.entries(words).map(([value, word]) => [word, value]));
  const config = {
    stat_t: topic,
    val_tpl: wordTemplate(words),
    cmd_t: `${topic}/set`,
    cmd_tpl: `{{ ${JSON.stringify(values)}[value] }}`,
    options: Object.values(words),
    ic,
  };
  return { key, platform: "select", name, ...more, config };
}

const numeric = (decimals: number) => ({ val_tpl: numberTemplate(decimals), sug_dsp_prc: decimals });

export const DIAGNOSTIC = { ent_cat: "diagnostic" };

/** A measured or commanded power, kW. */
export const POWER = {
  dev_cla: "power",
  unit_of_meas: "kW",
  stat_cla: "measurement",
  ...numeric(2),
};

/** A state of charge, %. */
export const SOC = { dev_cla: "battery", unit_of_meas: "%", stat_cla: "measurement", ...numeric(0) };

/** A share that is no state of charge of its own: `battery` would mark it as one. */
export const PERCENT = { unit_of_meas: "%", stat_cla: "measurement", ...numeric(0) };

/** An amount of energy that is planned or expected: statistics would add up planned values. */
export const PLANNED_ENERGY = { dev_cla: "energy", unit_of_meas: "kWh", ...numeric(1) };

export const PLANNED_HOURS = { dev_cla: "duration", unit_of_meas: "h", ...numeric(2) };

export const MINUTES = {
  dev_cla: "duration",
  unit_of_meas: "min",
  stat_cla: "measurement",
  sug_dsp_prc: 0,
  val_tpl: "{{ value | int if value and value | int >= 0 else None }}",
};

/** No device class: `monetary` requires a currency as unit, and its statistics would add up prices. */
export const PRICE = { unit_of_meas: "ct/kWh", stat_cla: "measurement", ...numeric(2), ic: "mdi:cash" };

/** The energy dashboard multiplies by the number, whatever the unit: it needs a price in EUR. From ct/kWh. */
export const PRICE_EUR = {
  unit_of_meas: "EUR/kWh",
  stat_cla: "measurement",
  sug_dsp_prc: 4,
  val_tpl: "{{ (value | float / 100) | round(6) if value else None }}",
  ic: "mdi:cash",
};

const SINCE_MIDNIGHT = "{{ today_at().isoformat() }}";
const SINCE_THE_FIRST = "{{ today_at().replace(day=1).isoformat() }}";

/** An amount of money of the day or month so far, which may fall. */
export const money = (period: "day" | "month") => ({
  dev_cla: "monetary",
  unit_of_meas: "EUR",
  stat_cla: "total",
  ...numeric(2),
  lrst_val_tpl: period === "day" ? SINCE_MIDNIGHT : SINCE_THE_FIRST,
});

/** Energy of the day so far, for the energy dashboard; a later reading may correct it. */
export const ENERGY_TODAY = {
  dev_cla: "energy",
  unit_of_meas: "kWh",
  stat_cla: "total",
  ...numeric(2),
  lrst_val_tpl: SINCE_MIDNIGHT,
};

/** A meter's own counter. */
export const METER_COUNTER = {
  dev_cla: "energy",
  unit_of_meas: "kWh",
  stat_cla: "total_increasing",
  ...numeric(2),
};

export const TIMESTAMP = { dev_cla: "timestamp" };
