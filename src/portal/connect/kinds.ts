/**
 * What can be connected. `pattern` recognises names of clients, users, keys and links, `roots` first levels of topics, and
 * `templates` actuators of the kind.
 */
interface KindFacts {
  /** A proper name; undefined where the catalogue has one. */
  name?: string;
  /** User name for the broker that the page proposes. */
  user: string;
  /** Scope of the controller link that the page creates; undefined if it creates none. */
  link?: "read" | "telemetry";
  pattern?: RegExp;
  roots?: readonly string[];
  templates?: readonly string[];
  /** The page of the help. */
  help: string;
}

const FACTS = {
  "home-assistant": {
    name: "Home Assistant",
    user: "homeassistant",
    pattern: /home.?assistant/i,
    roots: ["homeassistant"],
    templates: ["home-assistant"],
    help: "home-assistant",
  },
  evcc: {
    name: "evcc",
    user: "evcc",
    link: "read",
    pattern: /evcc/i,
    roots: ["evcc"],
    templates: ["evcc-battery", "evcc-loadpoint"],
    help: "evcc",
  },
  loxone: {
    name: "Loxone",
    user: "loxone",
    pattern: /loxone|miniserver/i,
    templates: ["loxone"],
    help: "loxone",
  },
  "node-red": {
    name: "Node-RED",
    user: "node-red",
    pattern: /node.?red|^hg-nr-/i,
    help: "node-red",
  },
  iobroker: { name: "ioBroker", user: "iobroker", pattern: /iobroker/i, help: "iobroker" },
  openhab: { name: "openHAB", user: "openhab", pattern: /openhab/i, help: "openhab" },
  shelly: {
    name: "Shelly",
    user: "shelly",
    link: "telemetry",
    pattern: /shelly/i,
    templates: ["shelly-gen1", "shelly-gen2"],
    help: "controllers",
  },
  victron: {
    name: "Victron",
    user: "victron",
    pattern: /victron|venus|cerbo/i,
    roots: ["N"],
    templates: ["victron-gx", "victron-gx-feed-in"],
    help: "mqtt",
  },
  mqtt: { user: "device", help: "mqtt" },
  http: { user: "device", link: "telemetry", help: "controllers" },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type KindId = keyof typeof FACTS;

export interface Kind extends KindFacts {
  id: KindId;
}

/** The kinds in the order of the page. */
export const KINDS: readonly Kind[] = Object.entries(FACTS).map(([id, facts]) => ({
  id: id as KindId,
  ...facts,
}));

/** The kind with this id; undefined for any other text. */
export function kindNamed(id: string): Kind | undefined {
  return KINDS.find((kind) => kind.id === id);
}

/** The kind that one of the names or first levels of topics belongs to; undefined if none does. */
export function kindOfNames(names: readonly string[], roots: readonly string[] = []): KindId | undefined {
  const byName = KINDS.find(
    ({ pattern }) => pattern !== undefined && names.some((name) => pattern.test(name)),
  );
  return (byName ?? KINDS.find((kind) => kind.roots?.some((root) => roots.includes(root))))?.id;
}
