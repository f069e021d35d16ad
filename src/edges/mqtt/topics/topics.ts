/** The meaning of a message to the gateway by its topic. */
export type Inbound =
  | { kind: "telemetry"; plant: string; field: string | undefined; slot?: string; battery?: string }
  | { kind: "request"; plant: string; name: string }
  | { kind: "actuator"; plant: string; actuator: string }
  | { kind: "slot"; plant: string; slot: string; action: "set" | "plugged" | "override" }
  | { kind: "battery"; plant: string; action: "override" | "charge_target" }
  | { kind: "presence"; plant: string; action: "presence" | "until" };

/** The topic tree of a gateway (docs/mqtt.md has the table). */
export interface Topics {
  readonly prefix: string;
  /** `online` or `offline`; also the topic of the last will. */
  readonly status: string;
  /** Parent of the topics on which the running gateways with an installation id name themselves. */
  presence(installationId: string): string;
  /** Filters that match the inbound topics of all plants. */
  readonly inboundFilters: readonly string[];
  /** `<prefix>/<plant>/<name>`. */
  of(plant: string, name: string): string;
  ack(plant: string): string;
  /** Whether the topic belongs to the gateway: everything below the prefix, and its announcements. */
  isOwn(topic: string): boolean;
  /** Topic of the description of a plant, or of a device of it, for Home Assistant. `+`: filter for all devices of the plant. */
  announcement(plant: string, device?: string): string;
  /** The plant that is announced on the topic, or that has the device; `device` is empty for the plant itself. */
  announced(topic: string): { plant: string; device: string } | undefined;
  /** The plant level of a topic below the prefix; undefined for `<prefix>/status` and for topics elsewhere. */
  plantOf(topic: string): string | undefined;
  /** The meaning of a publish to the topic; undefined if the gateway does not read it. */
  inbound(topic: string): Inbound | undefined;
}

/** Topics of the battery to the gateway. */
const BATTERY_ACTIONS = new Map([
  ["override/set", "override"],
  ["charge_target_pct/set", "charge_target"],
] as const satisfies [string, string][]) as ReadonlyMap<string, "override" | "charge_target">;

/** Topics of absences and guests to the gateway. */
const PRESENCE_ACTIONS = new Map([
  ["set", "presence"],
  ["until/set", "until"],
] as const satisfies [string, string][]) as ReadonlyMap<string, "presence" | "until">;

/** The topics below `prefix`, which may have several levels, and below Home Assistant's prefix. */
export function createTopics(prefix: string, homeAssistantPrefix = "homeassistant"): Topics {
  const root = `${prefix}/`;
  const announcedStart = `${homeAssistantPrefix}/device/hourgate_`;
  const announced = (topic: string) => {
    if (!topic.startsWith(announcedStart) || !topic.endsWith("/config")) return undefined;
    const [plant, device = "", ...more] = topic.slice(announcedStart.length, -"/config".length).split("/");
    return more.length > 0 ? undefined : { plant: plant!, device };
  };
  const levelsOf = (topic: string) => (topic.startsWith(root) ? topic.slice(root.length).split("/") : []);
  return {
    prefix,
    status: `${root}status`,
    presence: (installationId) => `${root}gateway/${installationId}`,
    inboundFilters: [
      "telemetry/#",
      "request/#",
      "slots/+/set",
      "slots/+/plugged/set",
      "slots/+/override/set",
      "battery/override/set",
      "battery/charge_target_pct/set",
      "presence/set",
      "presence/until/set",
      "slots/+/telemetry/#",
      "batteries/+/telemetry/#",
      "actuators/+/enabled/set",
    ].map((rest) => `${root}+/${rest}`),
    of: (plant, name) => `${root}${plant}/${name}`,
    ack: (plant) => `${root}${plant}/ack`,
    isOwn: (topic) => topic.startsWith(root) || announced(topic) !== undefined,
    announcement: (plant, device = "") =>
      `${announcedStart}${plant}${device === "" ? "" : `/${device}`}/config`,
    announced,
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
      if (head === "battery") {
        const action = BATTERY_ACTIONS.get(rest.join("/"));
        return action && { kind: "battery", plant, action };
      }
      if (head === "presence") {
        const action = PRESENCE_ACTIONS.get(rest.join("/"));
        return action && { kind: "presence", plant, action };
      }
      if (head === "actuators")
        return rest.length === 3 && rest[1] === "enabled" && rest[2] === "set"
          ? { kind: "actuator", plant, actuator: rest[0]! }
          : undefined;
      const [slot, ...action] = rest;
      if (slot === undefined || (head !== "slots" && head !== "batteries")) return undefined;
      if (action[0] === "telemetry") {
        const field = action.length > 1 ? action.slice(1).join("/") : undefined;
        return { kind: "telemetry", plant, field, ...(head === "slots" ? { slot } : { battery: slot }) };
      }
      if (head === "batteries") return undefined;
      if (action.join("/") === "set") return { kind: "slot", plant, slot, action: "set" };
      if (action.join("/") === "plugged/set") return { kind: "slot", plant, slot, action: "plugged" };
      if (action.join("/") === "override/set") return { kind: "slot", plant, slot, action: "override" };
      return undefined;
    },
  };
}

/**
 * True for a plant name that is safe in topics that the gateway publishes to. Some clients close the connection when they
 * receive a topic with control or replacement characters.
 */
export function isSafeLevel(level: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\uFFFD/+#]{1,64}$/u.test(level);
}
