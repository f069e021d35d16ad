import { SIGNALS } from "../../../core/domain/price.js";
import type { Texts } from "../../../texts/index.js";
import { type Entity, money, PRICE_EUR, reading, TIMESTAMP, wordsOf } from "./entity.js";

type Topic = (name: string) => string;

/** Prices, which need no battery. */
export function priceEntities(topic: Topic, { homeAssistant }: Texts): Entity[] {
  const { entities, words } = homeAssistant;
  return [
    {
      key: "price_eur",
      platform: "sensor",
      name: entities.price_eur,
      unknown: "noPrices",
      config: { ...reading("sensor", topic("price/now_ct_kwh")), ...PRICE_EUR },
    },
    {
      key: "price_signal",
      platform: "sensor",
      name: entities.price_signal,
      unknown: "noPrices",
      config: {
        stat_t: topic("price/signal"),
        ...wordsOf(pick(words.signal, SIGNALS)),
        ic: "mdi:traffic-light",
      },
    },
  ];
}

/** What the plan of the site's battery brings. */
export function planResultEntities(topic: Topic, { homeAssistant }: Texts): Entity[] {
  const { entities } = homeAssistant;
  return [
    {
      key: "next_charge",
      platform: "sensor",
      name: entities.next_charge,
      unknown: "nothingPlanned",
      needsPlan: true,
      config: { ...reading("sensor", topic("charge/next_start")), ...TIMESTAMP },
    },
    {
      key: "savings_today",
      platform: "sensor",
      name: entities.savings_today,
      unknown: "notMeasured",
      config: { ...reading("sensor", topic("savings/today_eur")), ...money("day") },
    },
    {
      key: "savings_month",
      platform: "sensor",
      name: entities.savings_month,
      unknown: "notMeasured",
      config: { ...reading("sensor", topic("savings/month_eur")), ...money("month") },
    },
  ];
}

/** The words in the order of a list. */
function pick<Key extends string>(words: Readonly<Record<Key, string>>, keys: readonly Key[]) {
  return Object.fromEntries(keys.map((key) => [key, words[key]])) as Record<Key, string>;
}
