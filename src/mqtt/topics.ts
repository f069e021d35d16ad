/** A message that a client sends to the gateway, read from its topic alone. */
export type Inbound =
  | { kind: "telemetry"; plant: string; field: string | undefined }
  | { kind: "request"; plant: string; name: string }
  | { kind: "slot"; plant: string; slot: string; action: "set" | "plugged" };

/** The topic tree of a gateway (docs/mqtt.md has the table). */
export interface Topics {
  readonly prefix: string;
  /** `online` or `offline`; the last will stands here. */
  readonly status: string;
  /** Filters that hold every inbound topic of every plant. */
  readonly inboundFilters: readonly string[];
  /** `<prefix>/<plant>/<name>`. */
  of(plant: string, name: string): string;
  ack(plant: string): string;
  /** Whether the gateway writes there, or reads as its own: everything below the prefix, and its announcements. */
  isOwn(topic: string): boolean;
  /** Where Home Assistant looks for the plant's description. */
  announcement(plant: string): string;
  /** The plant whose announcement stands on the topic. */
  announcedPlant(topic: string): string | undefined;
  /** The plant level of a topic below the prefix; undefined for `<prefix>/status` and for topics elsewhere. */
  plantOf(topic: string): string | undefined;
  /** What a client means by publishing there; undefined where the gateway expects nothing. */
  inbound(topic: string): Inbound | undefined;
}

/** Names the topics below `prefix` (which may itself have several levels) and Home Assistant's below its own. */
export function createTopics(prefix: string, homeAssistantPrefix = "homeassistant"): Topics {
  const root = `${prefix}/`;
  const announced = `${homeAssistantPrefix}/device/hourgate_`;
  const announcedPlant = (topic: string) =>
    topic.startsWith(announced) && topic.endsWith("/config")
      ? topic.slice(announced.length, -"/config".length)
      : undefined;
  const levelsOf = (topic: string) => (topic.startsWith(root) ? topic.slice(root.length).split("/") : []);
  return {
    prefix,
    status: `${root}status`,
    inboundFilters: ["telemetry/#", "request/#", "slots/+/set", "slots/+/plugged/set"].map(
      (rest) => `${root}+/${rest}`,
    ),
    of: (plant, name) => `${root}${plant}/${name}`,
    ack: (plant) => `${root}${plant}/ack`,
    isOwn: (topic) => topic.startsWith(root) || announcedPlant(topic) !== undefined,
    announcement: (plant) => `${announced}${plant}/config`,
    announcedPlant,
    plantOf: (topic) => {
      const levels = levelsOf(topic);
      return levels.length > 1 ? levels[0] : undefined;
    },
    inbound: (topic) => {
      const [plant, head, ...rest] = levelsOf(topic);
      if (plant === undefined || plant === "") return undefined;
      if (head === "telemetry")
        return { kind: "telemetry", plant, field: rest.length > 0 ? rest.join("/") : undefined };
      if (head === "request") return { kind: "request", plant, name: rest.join("/") };
      const [slot, ...action] = rest;
      if (head !== "slots" || slot === undefined) return undefined;
      if (action.join("/") === "set") return { kind: "slot", plant, slot, action: "set" };
      if (action.join("/") === "plugged/set") return { kind: "slot", plant, slot, action: "plugged" };
      return undefined;
    },
  };
}

/**
 * True for a plant name that can stand in a topic that the gateway itself publishes to. Control characters, and what
 * stands for bytes that were no UTF-8, make some clients close the connection on which they get such a topic.
 */
export function isSafeLevel(level: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\uFFFD/+#]{1,64}$/u.test(level);
}

/** Whether a topic filter holds a topic (MQTT 3.1.1 section 4.7); wildcards at the front leave `$` topics out. */
export function filterMatches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
