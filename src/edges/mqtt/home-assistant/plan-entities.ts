import { FOLLOWING_STATES } from "../../../core/domain/battery.js";
import {
  BATTERY_FIELDS,
  FIELD_NAMES,
  type HomeAssistantField,
  planField,
  topicOf,
} from "../../../core/domain/plan-field-lists.js";
import type { PlanField } from "../../../core/domain/plan-fields.js";
import type { Texts } from "../../../texts/index.js";
import {
  DIAGNOSTIC,
  type Entity,
  MINUTES,
  PERCENT,
  PLANNED_ENERGY,
  PLANNED_HOURS,
  POWER,
  PRICE,
  reading,
  type UnknownReason,
  wordsOf,
} from "./entity.js";

/** `unknown` is a state of its own in Home Assistant. */
const FOLLOWING_TEMPLATE = "{{ {'yes': '1', 'no': '0'}.get(value, None) }}";

/** Attributes of a sensor by the kind of its field. */
const OF_KIND: Partial<Record<Extract<PlanField["kind"], string>, object>> = {
  h: PLANNED_HOURS,
  kWh: PLANNED_ENERGY,
  kW: POWER,
  "%": PERCENT,
  min: MINUTES,
  quartile: { sug_dsp_prc: 0 },
  "ct/kWh": PRICE,
};

const UNKNOWN: Partial<Record<HomeAssistantField, UnknownReason>> = {
  feed_in_limit_kw: "noLimit",
  following: "notSeen",
};

const FIELDS = FIELD_NAMES.filter(
  (name) => planField(name).homeAssistant !== undefined,
) as HomeAssistantField[];
const byRank = (fields: readonly HomeAssistantField[]) =>
  [...fields].sort((a, b) => planField(a).homeAssistant!.rank - planField(b).homeAssistant!.rank);
const fieldsWhere = (isWanted: (field: PlanField) => boolean | undefined) =>
  byRank(FIELDS.filter((name) => isWanted(planField(name))));

/** The fields by the device that they are entities of. */
export const PRICE_FIELDS = fieldsWhere(({ isPrice }) => isPrice);
export const GRID_FIELDS = fieldsWhere(
  ({ homeAssistant, optional }) => homeAssistant!.isOfPlant && !optional,
);
/** Only with a price on the month's peak. */
export const PEAK_FIELDS = fieldsWhere(({ optional }) => optional);
export const SITE_BATTERY_FIELDS = fieldsWhere(
  ({ isPrice, homeAssistant }) => !isPrice && !homeAssistant!.isOfPlant,
);
/** The fields of each of several batteries; the age of the SOC is that of all. */
export const ONE_BATTERY_FIELDS = SITE_BATTERY_FIELDS.filter(
  (name) => BATTERY_FIELDS.some((field) => field === name) && name !== "soc_age_minutes",
);

/** The entities of fields of the catalogue. `topic` returns the topic of a name below the plant or battery. */
export function planEntities(
  fields: readonly HomeAssistantField[],
  { keyStart = "", topic, texts }: { keyStart?: string; topic(name: string): string; texts: Texts },
): Entity[] {
  return fields.map((name): Entity => {
    const { homeAssistant, kind, isPrice } = planField(name);
    const { key, icon, deviceClass, isDiagnostic } = homeAssistant!;
    const isBinary = kind === "flag" || kind === "boolean" || kind === FOLLOWING_STATES;
    const platform = isBinary ? "binary_sensor" : "sensor";
    return {
      key: `${keyStart}${key}`,
      platform,
      name: texts.planFields[name].homeAssistant,
      unknown: UNKNOWN[name] ?? (isPrice ? "noPrices" : "notYet"),
      ...(!isPrice && UNKNOWN[name] !== "noLimit" && { needsPlan: true }),
      ...(kind === FOLLOWING_STATES && { isUnknown: (value: string) => value === "" || value === "unknown" }),
      ...(kind === "min" && { isUnknown: (value: string) => value === "" || value.startsWith("-") }),
      config: {
        ...reading(platform, topic(topicOf(name)!)),
        ...(typeof kind === "string" ? OF_KIND[kind] : !isBinary && wordsOf(wordsOfField(name, texts))),
        ...(kind === FOLLOWING_STATES && { val_tpl: FOLLOWING_TEMPLATE }),
        ...(deviceClass && { dev_cla: deviceClass }),
        ...(icon && { ic: icon }),
        ...(isDiagnostic && DIAGNOSTIC),
      },
    };
  });
}

function wordsOfField(name: HomeAssistantField, { homeAssistant }: Texts): Readonly<Record<string, string>> {
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = homeAssistant.words;
  return words[name] ?? {};
}
