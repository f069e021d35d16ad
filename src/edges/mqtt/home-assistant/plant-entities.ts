import { SIGNALS } from "../../../core/domain/price.js";
import type { Texts } from "../../../texts/index.js";
import {
  ENERGY_TODAY,
  type Entity,
  METER_COUNTER,
  money,
  PLANNED_ENERGY,
  PRICE_EUR,
  reading,
  TIMESTAMP,
  type UnknownReason,
  wordsOf,
  wordTemplate,
} from "./entity.js";

type Topic = (name: string) => string;
type Key = keyof Texts["homeAssistant"]["entities"];

/** A sensor of the plant's device, by its topic. */
function sensor(
  key: Key,
  stat_t: string,
  { texts, unknown, ...more }: { texts: Texts; unknown?: UnknownReason } & Partial<Entity>,
): Entity {
  return {
    key,
    platform: "sensor",
    name: texts.homeAssistant.entities[key],
    ...more,
    ...(unknown && { unknown }),
    config: { ...reading("sensor", stat_t), ...more.config },
  };
}

/** What happens now and next, in a sentence. */
export function sentenceEntities(topic: Topic, texts: Texts): Entity[] {
  return [
    sensor("now_and_next", topic("now_and_next"), {
      texts,
      unknown: "starting",
      config: { ic: "mdi:message-text-clock" },
    }),
  ];
}

/** The points of a day of the curve: its numbers begin at midnight and have the length of the tariff's steps. */
const pointsTemplate = (day: string) =>
  `{% set ${day} = namespace(points=[]) %}` +
  `{% for price in v.${day} %}` +
  `{% set ${day}.points = ${day}.points + [{'start': ((as_datetime(v.${day}_start) + ` +
  `timedelta(minutes=loop.index0 * v.minutes)) | as_local).isoformat(), 'value': price}] %}` +
  "{% endfor %}";

const CURVE_TEMPLATE =
  "{% set v = value_json if value else {} %}" +
  "{% if v.today is not defined %}{{ v | to_json }}{% else %}" +
  `${pointsTemplate("today")}${pointsTemplate("tomorrow")}` +
  "{{ dict(v, today=today.points, tomorrow=tomorrow.points) | to_json }}{% endif %}";

/** The price with the curve of today and tomorrow as attributes; without prices the curve says why. */
export function withCurve(price: Entity, topic: Topic): Entity {
  const config = { ...price.config, json_attr_t: topic("price/curve"), json_attr_tpl: CURVE_TEMPLATE };
  return { ...price, config };
}

/** Prices for the energy dashboard and the signal, which need no battery. */
export function priceEntities(
  topic: Topic,
  { texts, hasTariff }: { texts: Texts; hasTariff: boolean | undefined },
): Entity[] {
  const { signal } = texts.homeAssistant.words;
  return [
    sensor("price_eur", topic("price/now_ct_kwh"), { texts, unknown: "noPrices", config: PRICE_EUR }),
    ...(hasTariff
      ? [
          sensor("export_price", topic("price/export_ct_kwh"), {
            texts,
            unknown: "noPrices",
            config: PRICE_EUR,
          }),
        ]
      : []),
    sensor("price_signal", topic("price/signal"), {
      texts,
      unknown: "noPrices",
      config: {
        ...wordsOf(Object.fromEntries(SIGNALS.map((one) => [one, signal[one]]))),
        ic: "mdi:traffic-light",
      },
    }),
  ];
}

/** What the plan of the site's battery brings. */
export function planResultEntities(topic: Topic, texts: Texts): Entity[] {
  return [
    sensor("plan", topic("plan_action"), {
      texts,
      // The curve says why there is no plan.
      config: {
        ...wordsOf(texts.dashboard.does),
        ic: "mdi:chart-timeline-variant",
        json_attr_t: topic("plan_curve"),
        json_attr_tpl: "{{ value if value else '{}' }}",
      },
    }),
    sensor("next_charge", topic("charge/next_start"), {
      texts,
      unknown: "nothingPlanned",
      needsPlan: true,
      config: TIMESTAMP,
    }),
    sensor("savings_today", topic("savings/today_eur"), {
      texts,
      unknown: "notMeasured",
      config: money("day"),
    }),
    sensor("savings_month", topic("savings/month_eur"), {
      texts,
      unknown: "notMeasured",
      config: money("month"),
    }),
  ];
}

export function pvEntities(topic: Topic, texts: Texts): Entity[] {
  const config = { ...PLANNED_ENERGY, ic: "mdi:solar-power" };
  return [
    sensor("pv_today", topic("pv/today_kwh"), { texts, unknown: "noPv", config }),
    sensor("pv_remaining", topic("pv/remaining_kwh"), { texts, unknown: "noPv", config }),
    sensor("pv_tomorrow", topic("pv/tomorrow_kwh"), { texts, unknown: "noPv", config }),
  ];
}

/** Cost and energies of today, as measured. */
export function todayEntities(
  topic: Topic,
  { texts, hasPv, hasBattery }: { texts: Texts; hasPv: boolean | undefined; hasBattery: boolean },
): Entity[] {
  const energy = (key: Key, name: string) =>
    sensor(key, topic(`today/${name}_kwh`), { texts, unknown: "notMeasured", config: ENERGY_TODAY });
  return [
    sensor("cost_today", topic("today/cost_eur"), { texts, unknown: "notMeasured", config: money("day") }),
    energy("import_today", "import"),
    energy("export_today", "export"),
    energy("load_today", "load"),
    ...(hasPv ? [energy("pv_energy_today", "pv")] : []),
    ...(hasBattery
      ? [energy("battery_charge_today", "charge"), energy("battery_discharge_today", "discharge")]
      : []),
  ];
}

const COUNTERS = {
  grid_import: "meter/import_kwh",
  grid_export: "meter/export_kwh",
  pv_energy: "pv/energy_kwh",
  battery_charge: "battery/charge_kwh",
  battery_discharge: "battery/discharge_kwh",
} as const;

/** The counters that are read. */
export function counterEntities(counters: readonly string[], topic: Topic, texts: Texts): Entity[] {
  return (Object.keys(COUNTERS) as (keyof typeof COUNTERS)[])
    .filter((key) => counters.includes(COUNTERS[key]))
    .map((key) => sensor(key, topic(COUNTERS[key]), { texts, config: METER_COUNTER }));
}

/** The local time that is entered, and shown again. */
const LOCAL_TIME = "^([0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2})?$";

/** Whether somebody is at home, and until when it is not as usual. */
export function presenceEntities(topic: Topic, texts: Texts): Entity[] {
  const { entities, words } = texts.homeAssistant;
  const toCommand = Object.fromEntries(Object.entries(words.presence).map(([value, word]) => [word, value]));
  return [
    {
      key: "presence",
      platform: "select",
      name: entities.presence,
      unknown: "starting",
      config: {
        stat_t: topic("presence"),
        val_tpl: wordTemplate(words.presence),
        cmd_t: topic("presence/set"),
        cmd_tpl: `{{ ${JSON.stringify(toCommand)}[value] }}`,
        options: Object.values(words.presence),
        ic: "mdi:home-account",
      },
    },
    {
      key: "presence_until",
      platform: "text",
      name: entities.presence_until,
      unknown: "noEnd",
      config: {
        stat_t: topic("presence/until"),
        val_tpl: "{{ as_timestamp(value) | timestamp_custom('%Y-%m-%d %H:%M') if value else '' }}",
        cmd_t: topic("presence/until/set"),
        pattern: LOCAL_TIME,
        max: 16,
        ic: "mdi:calendar-end",
      },
    },
  ];
}
