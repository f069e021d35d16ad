import type { LoxoneKind } from "../../core/domain/loxone-kinds.js";

/** Path of the overview; each kind of system has a page below it. */
export const CONNECT_PATH = "/connect";

/**
 * What a step of a page has beside its text: a form that creates a credential, that of the topics of evcc, links to the
 * optimizer, the editor or the flows of Node-RED, a file for Loxone, or the template of a device to add.
 */
export type StepPart =
  | "key"
  | "password"
  | "link"
  | "topics"
  | "optimizer"
  | "editor"
  | "flows"
  | { file: LoxoneKind }
  | { template: string };

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
  /** The parts of each step that has any. */
  steps: readonly (readonly StepPart[])[];
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
    steps: [[], ["password"]],
    help: "home-assistant",
  },
  evcc: {
    name: "evcc",
    user: "evcc",
    link: "read",
    pattern: /evcc/i,
    roots: ["evcc"],
    templates: ["evcc-battery", "evcc-loadpoint"],
    steps: [
      [],
      [],
      ["link"],
      ["key", "topics"],
      [{ template: "evcc-battery" }, { template: "evcc-loadpoint" }],
      ["optimizer"],
    ],
    help: "evcc",
  },
  loxone: {
    name: "Loxone",
    user: "loxone",
    pattern: /loxone|miniserver/i,
    templates: ["loxone"],
    steps: [[{ file: "http-input" }], [{ file: "http-output" }], [{ file: "mqtt" }]],
    help: "loxone",
  },
  "node-red": {
    name: "Node-RED",
    user: "node-red",
    pattern: /node.?red|^hg-nr-/i,
    steps: [["editor"], ["key"], ["flows"]],
    help: "node-red",
  },
  iobroker: {
    name: "ioBroker",
    user: "iobroker",
    pattern: /iobroker/i,
    steps: [["password"]],
    help: "iobroker",
  },
  openhab: { name: "openHAB", user: "openhab", pattern: /openhab/i, steps: [["password"]], help: "openhab" },
  shelly: {
    name: "Shelly",
    user: "shelly",
    link: "telemetry",
    pattern: /shelly/i,
    templates: ["shelly-gen1", "shelly-gen2"],
    steps: [["link"], [{ template: "shelly-gen2" }]],
    help: "controllers",
  },
  victron: {
    name: "Victron",
    user: "victron",
    pattern: /victron|venus|cerbo/i,
    roots: ["N"],
    templates: ["victron-gx", "victron-gx-feed-in"],
    steps: [[], [], [{ template: "victron-gx" }]],
    help: "mqtt",
  },
  mqtt: { user: "device", steps: [["password"]], help: "mqtt" },
  http: { user: "device", link: "telemetry", steps: [["link", "key"]], help: "controllers" },
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

/** The path of a kind's page. */
export function kindPath({ id }: Kind): string {
  return `${CONNECT_PATH}/${id}`;
}

/** The label of keys and links that the page of a kind creates, by which they are recognised. */
export function credentialLabel({ id, name }: Kind): string {
  return name ?? id.toUpperCase();
}

/** Whether a key or link with this label is of the kind. */
export function isOf(kind: Kind, label: string): boolean {
  return kind.name === undefined ? label === credentialLabel(kind) : kindOfNames([label]) === kind.id;
}
