import type { TelemetryMapEntry } from "../../config/settings.js";
import { filterMatches } from "../../core/domain/mqtt-filter.js";

/** A topic of another system as it is entered in the topic map of a plant. */
export type MappedTopic = Pick<TelemetryMapEntry, "topic" | "field"> & { scale?: number; sum?: boolean };

/** The topics of evcc since 2026. */
export const EVCC_TOPICS = [
  { topic: "evcc/site/battery/soc", field: "soc_pct" },
  { topic: "evcc/site/battery/power", field: "battery_power_kw", scale: -0.001 },
  { topic: "evcc/site/pvPower", field: "pv_power_kw", scale: 0.001 },
  { topic: "evcc/site/grid/power", field: "grid_power_kw", scale: 0.001 },
  { topic: "evcc/site/homePower", field: "load_power_kw", scale: 0.001 },
  { topic: "evcc/site/grid/energy", field: "import_kwh" },
  { topic: "evcc/site/grid/returnEnergy", field: "export_kwh" },
  { topic: "evcc/loadpoints/+/chargePower", field: "ev_power_kw", scale: 0.001, sum: true },
  { topic: "evcc/loadpoints/+/connected", field: "ev_connected", sum: true },
] as const satisfies readonly MappedTopic[];

/** A topic map with further topics; entries that it has already are left as they are, those that a new sum contains are replaced. */
export function withTopics(held: readonly TelemetryMapEntry[], topics: readonly MappedTopic[]): object[] {
  const isNew = (topic: MappedTopic) =>
    !held.some((one) => one.topic === topic.topic && one.field === topic.field);
  const isInSum = (one: TelemetryMapEntry) =>
    topics.some(
      ({ topic, field, sum }) =>
        sum === true && topic !== one.topic && field === one.field && filterMatches(topic, one.topic),
    );
  const kept = held.filter((one) => !isInSum(one));
  return [...kept.map(({ plant: _, ...entry }) => entry), ...topics.filter(isNew)];
}
