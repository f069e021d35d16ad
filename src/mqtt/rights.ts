import type { Topics } from "./topics.js";

/** Who a connected client is. A plant's key sees its own plant only; the administrator's key belongs to a plant too. */
export type Rights =
  | { kind: "gateway" }
  | { kind: "administrator"; plant: string }
  | { kind: "plant"; plant: string }
  | { kind: "anonymous" };

/** Whether a plant's map takes telemetry from the topic of another device. */
export type IsMapped = (topic: string, plant: string) => boolean;

const NOTHING_MAPPED: IsMapped = () => false;

/** Whether the client may publish to the topic. `$SYS` belongs to the broker alone. */
export function mayPublish(
  rights: Rights,
  topic: string,
  topics: Topics,
  isMapped: IsMapped = NOTHING_MAPPED,
): boolean {
  if (topic.startsWith("$SYS/") || topic === "$SYS") return false;
  const inbound = topics.inbound(topic);
  switch (rights.kind) {
    case "gateway":
      return true;
    case "administrator":
      // What the gateway says must stay its own: a retained value of somebody else would steer the house until the
      // next change.
      return inbound !== undefined || !(topic === topics.status || topics.plantOf(topic) !== undefined);
    case "plant":
      return inbound?.plant === rights.plant || (!topics.isOwn(topic) && isMapped(topic, rights.plant));
    case "anonymous":
      return inbound?.kind === "telemetry";
  }
}

/**
 * Whether the client may subscribe to the filter. A plant's key must name its plant in the filter: wider filters
 * ("#", "hourgate/#") are refused rather than thinned out, so that the client learns of it. An anonymous client may
 * use any filter below the prefix, and gets of it what `mayReceive` lets pass.
 */
export function maySubscribe(rights: Rights, filter: string, topics: Topics): boolean {
  switch (rights.kind) {
    case "gateway":
    case "administrator":
      return true;
    case "plant":
      return filter === topics.status || filter.startsWith(topics.of(rights.plant, ""));
    case "anonymous":
      return filter.startsWith(`${topics.prefix}/`);
  }
}

/** Whether a message on the topic may be delivered to the client; the last word, whatever was subscribed. */
export function mayReceive(rights: Rights, topic: string, topics: Topics): boolean {
  switch (rights.kind) {
    case "gateway":
    case "administrator":
      return true;
    case "plant":
      return topic === topics.status || topic.startsWith(topics.of(rights.plant, ""));
    case "anonymous": {
      if (topic === topics.status) return true;
      const plant = topics.plantOf(topic);
      if (plant === undefined || topic.startsWith(topics.of(plant, "response/"))) return false;
      const inbound = topics.inbound(topic);
      return inbound === undefined || inbound.kind === "telemetry";
    }
  }
}

/** The sentence that tells a client why its publish was refused. */
export function refusalSentence(rights: Rights, topics: Topics): string {
  switch (rights.kind) {
    case "gateway":
    case "administrator":
      return `Topics below $SYS and below ${topics.prefix} are written by the gateway alone, but for telemetry, slots/<n>/set and request; publish elsewhere.`;
    case "plant":
      return `This sign-in may publish only to telemetry, slots/<n>/set and request below ${topics.of(rights.plant, "")} and to the topics that its plant's telemetry is mapped from; use the key of the other plant or of the administrator.`;
    case "anonymous":
      return `A client without sign-in may publish only to ${topics.prefix}/<plant>/telemetry; sign in with an API key as the password.`;
  }
}
