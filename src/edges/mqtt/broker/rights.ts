import { filterCovers, filterMatches } from "../../../core/domain/mqtt-filter.js";
import type { Topics } from "../topics/topics.js";

/** Who a connected client is. A plant's key has the rights of its plant; an administrator's key belongs to a plant too. */
export type Rights =
  | { kind: "administrator"; plant: string }
  | {
      kind: "plant";
      plant: string;
      /** Further filters of a user in `mqtt.broker.users`. */
      publish?: readonly string[];
      subscribe?: readonly string[];
    }
  | { kind: "anonymous" };

/** Facts that the rights depend on. */
export interface RightsContext {
  topics: Topics;
  hasPlant(plant: string): boolean;
  /** Whether the administrator has approved that clients of the plant publish to the topic of another device. */
  isApproved(topic: string, plant: string): boolean;
  /** Whether the gateway reads something there that is not telemetry of a plant, such as prices. */
  isReserved(topic: string): boolean;
}

/** Whether the client may publish to the topic. Only the broker publishes below `$SYS`. */
export function mayPublish(rights: Rights, topic: string, context: RightsContext): boolean {
  const { topics } = context;
  if (topic.startsWith("$SYS/") || topic === "$SYS") return false;
  const inbound = topics.inbound(topic);
  switch (rights.kind) {
    case "administrator":
      // A retained value of another client on an output topic would control devices until the next change.
      return inbound !== undefined || !(topic === topics.status || topics.plantOf(topic) !== undefined);
    case "plant":
      if (inbound?.plant === rights.plant) return true;
      if (topics.isOwn(topic)) return false;
      if (rights.publish?.some((filter) => filterMatches(filter, topic))) return true;
      return !context.isReserved(topic) && context.isApproved(topic, rights.plant);
    case "anonymous":
      return inbound?.kind === "telemetry" && context.hasPlant(inbound.plant);
  }
}

/**
 * Whether the client may subscribe to the filter. Filters of a plant's key must name the plant: wider filters ("#",
 * "hourgate/#") are refused, so that the user notices. Anonymous clients may use any filter below the prefix;
 * `mayReceive` restricts what they get.
 */
export function maySubscribe(rights: Rights, filter: string, { topics }: RightsContext): boolean {
  return rights.kind === "anonymous"
    ? filter.startsWith(`${topics.prefix}/`)
    : isVisible(rights, filter, { topics, covers: filterCovers });
}

/** Whether a message on the topic may be delivered to the client, checked for each message. */
export function mayReceive(rights: Rights, topic: string, { topics }: RightsContext): boolean {
  if (rights.kind !== "anonymous") return isVisible(rights, topic, { topics, covers: filterMatches });
  if (topic === topics.status) return true;
  const plant = topics.plantOf(topic);
  if (plant === undefined || topic.startsWith(topics.of(plant, "response/"))) return false;
  const inbound = topics.inbound(topic);
  return inbound === undefined || inbound.kind === "telemetry";
}

/** Whether a topic or filter is one that somebody who has signed in may see. */
function isVisible(
  rights: Exclude<Rights, { kind: "anonymous" }>,
  name: string,
  { topics, covers }: { topics: Topics; covers(allowed: string, name: string): boolean },
): boolean {
  return (
    rights.kind === "administrator" ||
    name === topics.status ||
    name.startsWith(topics.of(rights.plant, "")) ||
    (rights.subscribe?.some((allowed) => covers(allowed, name)) ?? false)
  );
}

/** Topics in, below the prefix of a plant. */
const TOPICS_IN =
  "telemetry, request, slots/<n>/telemetry, slots/<n>/set, slots/<n>/plugged/set, slots/<n>/override/set, batteries/<id>/telemetry, battery/override/set, battery/charge_target_pct/set, actuators/<id>/enabled/set, presence/set and presence/until/set";

/** The error message for a refused publish: who may publish what, and what to do. */
export function refusalSentence(rights: Rights, topic: string, topics: Topics): string {
  const { prefix } = topics;
  switch (rights.kind) {
    case "administrator":
      return (
        slotSentence(topic, topics) ??
        `Below $SYS and ${prefix} clients may only publish to ${TOPICS_IN} of a plant; use another topic.`
      );
    case "plant": {
      const own = topics.of(rights.plant, "");
      const other = topics.plantOf(topic);
      if (other !== undefined && other !== rights.plant)
        return `This sign-in may only publish below ${own}; sign in with the key of the other plant.`;
      return (
        slotSentence(topic, topics) ??
        `This sign-in may only publish to ${TOPICS_IN} below ${own} and to topics that the administrator has approved for the plant; use one of these, or ask the administrator for an approval.`
      );
    }
    case "anonymous":
      return `A client without sign-in may only publish to ${prefix}/<plant>/telemetry, ${prefix}/<plant>/slots/<n>/telemetry and ${prefix}/<plant>/batteries/<id>/telemetry of an existing plant; sign in with an API key as the password.`;
  }
}

/** For a topic of a slot that only the gateway publishes to: the topic to use instead. */
function slotSentence(topic: string, topics: Topics): string | undefined {
  const plant = topics.plantOf(topic);
  const below = plant === undefined ? "" : topic.slice(topics.of(plant, "").length);
  const [, slot, name] = /^slots\/([1-8])\/(\w+)$/.exec(below) ?? [];
  if (plant === undefined || name === undefined) return undefined;
  const base = topics.of(plant, `slots/${slot}`);
  const override = `send run, skip or auto to ${base}/override/set`;
  const instead: Record<string, string> = {
    plugged: `send 1 or 0 to ${base}/plugged/set`,
    soc_pct: `send the state of charge to ${base}/telemetry/soc_pct`,
    power_kw: `send the measured power to ${base}/telemetry/power_kw`,
    plan: `send a request to ${base}/set`,
  };
  return `Clients may not publish to ${topic}; ${instead[name] ?? override}.`;
}
