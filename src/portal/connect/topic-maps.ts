import type { TelemetryMapEntry } from "../../config/settings.js";
import type { KindId } from "./kinds.js";

/** A topic of another system as it is entered in the topic map of a plant. */
export type MappedTopic = Pick<TelemetryMapEntry, "topic" | "field"> & { scale?: number };

/** The topics of evcc: of present versions, of versions before 2026, and of all. */
export const EVCC_TOPICS = {
  present: [
    { topic: "evcc/site/battery/soc", field: "soc_pct" },
    { topic: "evcc/site/battery/power", field: "battery_power_kw", scale: -0.001 },
  ],
  before: [
    { topic: "evcc/site/batterySoc", field: "soc_pct" },
    { topic: "evcc/site/batteryPower", field: "battery_power_kw", scale: -0.001 },
  ],
  all: [
    { topic: "evcc/site/pvPower", field: "pv_power_kw", scale: 0.001 },
    { topic: "evcc/site/homePower", field: "load_power_kw", scale: 0.001 },
    { topic: "evcc/loadpoints/1/chargePower", field: "ev_power_kw", scale: 0.001 },
    { topic: "evcc/loadpoints/1/connected", field: "ev_connected" },
  ],
} as const satisfies Record<string, readonly MappedTopic[]>;

/** The topics that the page of a kind enters in the topic map; undefined where they are not known in advance. */
export function topicsOf(kind: KindId): readonly MappedTopic[] | undefined {
  return kind === "evcc" ? [...EVCC_TOPICS.present, ...EVCC_TOPICS.before, ...EVCC_TOPICS.all] : undefined;
}

/** A topic map with further topics; entries that it has already are left as they are. */
export function withTopics(held: readonly TelemetryMapEntry[], topics: readonly MappedTopic[]): object[] {
  const isNew = (topic: MappedTopic) =>
    !held.some((one) => one.topic === topic.topic && one.field === topic.field);
  return [...held.map(({ plant: _, ...entry }) => entry), ...topics.filter(isNew)];
}
