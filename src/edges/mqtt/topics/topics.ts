/** The meaning of a message to the gateway by its topic. */
export type Inbound =
  | { kind: "telemetry"; plant: string; field: string | undefined; slot?: string; battery?: string }
  | { kind: "request"; plant: string; name: string }
  | { kind: "actuator"; plant: string; actuator: string }
  | { kind: "slot"; plant: string; slot: string; action: "set" | "plugged" | "override" }
  | { kind: "battery"; plant: string; action: "override" | "charge_target" }
  | { kind: "presence"; plant: string; action: "presence" | "until" };

/** The topic tree of a gateway (docs/mqtt.md has the table). */
export type Topics = ReturnType<typeof createTopics>;

type Meaning = (plant: string, levels: readonly string[]) => Inbound;

/** The topics to the gateway below a plant, with their meaning by the levels in place of `+` and `#`. */
const INBOUND = (
  [
    ["telemetry/#", (plant, [field]) => ({ kind: "telemetry", plant, field })],
    ["request/#", (plant, [name = ""]) => ({ kind: "request", plant, name })],
    ["slots/+/set", (plant, [slot = ""]) => ({ kind: "slot", plant, slot, action: "set" })],
    ["slots/+/plugged/set", (plant, [slot = ""]) => ({ kind: "slot", plant, slot, action: "plugged" })],
    ["slots/+/override/set", (plant, [slot = ""]) => ({ kind: "slot", plant, slot, action: "override" })],
    ["battery/override/set", (plant) => ({ kind: "battery", plant, action: "override" })],
    ["battery/charge_target_pct/set", (plant) => ({ kind: "battery", plant, action: "charge_target" })],
    ["presence/set", (plant) => ({ kind: "presence", plant, action: "presence" })],
    ["presence/until/set", (plant) => ({ kind: "presence", plant, action: "until" })],
    ["slots/+/telemetry/#", (plant, [slot = "", field]) => ({ kind: "telemetry", plant, field, slot })],
    [
      "batteries/+/telemetry/#",
      (plant, [battery = "", field]) => ({ kind: "telemetry", plant, field, battery }),
    ],
    ["actuators/+/enabled/set", (plant, [actuator = ""]) => ({ kind: "actuator", plant, actuator })],
  ] as const satisfies readonly (readonly [filter: string, meaning: Meaning])[]
).map(([filter, meaning]) => ({ filter, pattern: filter.split("/"), meaning: meaning as Meaning }));

/** The levels in place of the wildcards, those of `#` as one, none where it stands for nothing; undefined if they do not match. */
function wildcards(pattern: readonly string[], levels: readonly string[]): string[] | undefined {
  const found: string[] = [];
  for (const [index, level] of pattern.entries()) {
    const given = levels[index];
    if (level === "#") return given === undefined ? found : [...found, levels.slice(index).join("/")];
    if (given === undefined || (level !== "+" && level !== given)) return undefined;
    if (level === "+") found.push(given);
  }
  return levels.length === pattern.length ? found : undefined;
}

/**
 * The topics below `prefix`, which may have several levels, and below Home Assistant's prefix. `origin`: the prefix of a plant
 * that came from another shard of a fleet, which differs in the last level.
 */
export function createTopics(
  prefix: string,
  homeAssistantPrefix = "homeassistant",
  origin: (plant: string) => string | undefined = () => undefined,
) {
  const root = `${prefix}/`;
  const fleetRoot = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const of = (plant: string, name: string) => `${origin(plant) ?? prefix}/${plant}/${name}`;
  const announcedStart = `${homeAssistantPrefix}/device/hourgate_`;
  const announced = (topic: string) => {
    if (!topic.startsWith(announcedStart) || !topic.endsWith("/config")) return undefined;
    const [plant, device = "", ...more] = topic.slice(announcedStart.length, -"/config".length).split("/");
    return more.length > 0 ? undefined : { plant: plant!, device };
  };
  const levelsOf = (topic: string) => {
    if (topic.startsWith(root)) return topic.slice(root.length).split("/");
    if (fleetRoot === "" || !topic.startsWith(fleetRoot)) return [];
    const [shard, ...levels] = topic.slice(fleetRoot.length).split("/");
    return origin(levels[0] ?? "") === fleetRoot + shard ? levels : [];
  };
  return {
    prefix,
    /** `online` or `offline`; also the topic of the last will. */
    status: `${root}status`,
    /** Parent of the topics on which the running gateways with an installation id name themselves. */
    presence: (installationId: string) => `${root}gateway/${installationId}`,
    /** Filters that match the inbound topics of all plants. */
    inboundFilters: INBOUND.map(({ filter }) => `${root}+/${filter}`),
    /** `<prefix>/<plant>/<name>`. */
    of,
    ack: (plant: string) => of(plant, "ack"),
    /** The topic as clients of its plant know it: what another shard passes on comes below the prefix of this one. */
    known: (topic: string): string => {
      const [plant, ...rest] = levelsOf(topic);
      return plant === undefined || rest.length === 0 ? topic : of(plant, rest.join("/"));
    },
    /** Whether the topic belongs to the gateway: everything below the prefix, and its announcements. */
    isOwn: (topic: string) => levelsOf(topic).length > 0 || announced(topic) !== undefined,
    /** Topic of the description of a plant, or of a device of it, for Home Assistant. `+`: filter for all devices of the plant. */
    announcement: (plant: string, device = "") =>
      `${announcedStart}${plant}${device === "" ? "" : `/${device}`}/config`,
    /** The plant that is announced on the topic, or that has the device; `device` is empty for the plant itself. */
    announced,
    /** The plant level of a topic below the prefix; undefined for `<prefix>/status` and for topics elsewhere. */
    plantOf: (topic: string): string | undefined => {
      const levels = levelsOf(topic);
      return levels.length > 1 ? levels[0] : undefined;
    },
    /** The meaning of a publish to the topic; undefined if the gateway does not read it. */
    inbound: (topic: string): Inbound | undefined => {
      const [plant = "", ...levels] = levelsOf(topic);
      if (plant === "") return undefined;
      for (const { pattern, meaning } of INBOUND) {
        const found = pattern[0] === levels[0] ? wildcards(pattern, levels) : undefined;
        if (found !== undefined) return meaning(plant, found);
      }
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
