import { SIGNALS } from "../../../core/domain/price.js";
import type { Texts } from "../../../texts/index.js";
import {
  ENERGY_TODAY,
  type Entity,
  METER_COUNTER,
  money,
  PLANNED_ENERGY,
  PRICE_EUR,
  select,
  sensor,
  TIMESTAMP,
  wordsOf,
} from "./entity.js";

type Topic = (name: string) => string;
type Key = keyof Texts["homeAssistant"]["entities"];

/** Makes the sensors of the plant's device. */
const sensorsOf =
  (topic: Topic, { homeAssistant }: Texts) =>
  (key: Key, name: string, config: object, more: Pick<Entity, "unknown" | "needsPlan"> = {}) =>
    sensor(key, homeAssistant.entities[key], { topic: topic(name), ...config }, more);

/** What happens now and next, in a sentence. */
export function sentenceEntities(topic: Topic, texts: Texts): Entity[] {
  const of = sensorsOf(topic, texts);
  return [of("now_and_next", "now_and_next", { ic: "mdi:message-text-clock" }, { unknown: "starting" })];
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
  const words = wordsOf(Object.fromEntries(SIGNALS.map((one) => [one, signal[one]])));
  const of = (key: Key, name: string, config: object) =>
    sensorsOf(topic, texts)(key, name, config, { unknown: "noPrices" });
  return [
    of("price_eur", "price/now_ct_kwh", PRICE_EUR),
    ...(hasTariff ? [of("export_price", "price/export_ct_kwh", PRICE_EUR)] : []),
    of("price_signal", "price/signal", { ...words, ic: "mdi:traffic-light" }),
  ];
}

/** What the plan of the site's battery brings. */
export function planResultEntities(topic: Topic, texts: Texts): Entity[] {
  const of = sensorsOf(topic, texts);
  return [
    // The curve says why there is no plan.
    of("plan", "plan_action", {
      ...wordsOf(texts.dashboard.does),
      ic: "mdi:chart-timeline-variant",
      json_attr_t: topic("plan_curve"),
      json_attr_tpl: "{{ value if value else '{}' }}",
    }),
    of("next_charge", "charge/next_start", TIMESTAMP, { unknown: "nothingPlanned", needsPlan: true }),
    of("savings_today", "savings/today_eur", money("day"), { unknown: "notMeasured" }),
    of("savings_month", "savings/month_eur", money("month"), { unknown: "notMeasured" }),
  ];
}

export function pvEntities(topic: Topic, texts: Texts): Entity[] {
  const config = { ...PLANNED_ENERGY, ic: "mdi:solar-power" };
  return (["today", "remaining", "tomorrow"] as const).map((day) =>
    sensorsOf(topic, texts)(`pv_${day}`, `pv/${day}_kwh`, config, { unknown: "noPv" }),
  );
}

/** Cost and energies of today, as measured. */
export function todayEntities(
  topic: Topic,
  { texts, hasPv, hasBattery }: { texts: Texts; hasPv: boolean | undefined; hasBattery: boolean },
): Entity[] {
  const of = (key: Key, name: string, config: object = ENERGY_TODAY) =>
    sensorsOf(topic, texts)(key, `today/${name}`, config, { unknown: "notMeasured" });
  return [
    of("cost_today", "cost_eur", money("day")),
    of("import_today", "import_kwh"),
    of("export_today", "export_kwh"),
    of("load_today", "load_kwh"),
    ...(hasPv ? [of("pv_energy_today", "pv_kwh")] : []),
    ...(hasBattery
      ? [of("battery_charge_today", "charge_kwh"), of("battery_discharge_today", "discharge_kwh")]
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
    .map((key) => sensorsOf(topic, texts)(key, COUNTERS[key], METER_COUNTER));
}

/** The local time that is entered, and shown again. */
const LOCAL_TIME = "^([0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2})?$";

/** Whether somebody is at home, and until when it is not as usual. */
export function presenceEntities(topic: Topic, texts: Texts): Entity[] {
  const { entities, words } = texts.homeAssistant;
  return [
    select(
      "presence",
      entities.presence,
      { topic: topic("presence"), words: words.presence, ic: "mdi:home-account" },
      { unknown: "starting" },
    ),
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
