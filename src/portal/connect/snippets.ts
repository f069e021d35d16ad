import type { Texts } from "../../texts/index.js";
import {
  externalBroker,
  obeyAutomation,
  readingsAutomation,
  socAutomation,
} from "./home-assistant-automations.js";
import type { KindId } from "./kinds.js";
import { EVCC_TOPICS, type MappedTopic } from "./topic-maps.js";

/** Addresses and names of this gateway, and the credentials that were just created. */
export interface SnippetFacts {
  /** Base URL of the API, without a slash at the end. */
  url: string;
  /** The broker that the gateway uses. */
  broker: { host: string; port: number };
  prefix: string;
  siteId: string;
  user: string;
  /** The API key, or a placeholder. */
  key: string;
  /** The device slots of the plant. */
  slots: readonly { slot: number; label: string; kind: string }[];
  /** A controller link without its page, or the same with a placeholder. */
  link: string;
}

/** A text to copy. `title` names it. */
export interface Snippet {
  id: string;
  title: string;
  text: string;
}

type Names = Texts["connect"]["snippets"];
type Writer = (
  facts: SnippetFacts,
  names: Names,
) => [step: number, id: string, title: string, text: string][];

/** The texts to copy for a step of a kind, counted from 0. */
export function snippetsOf(kind: KindId, step: number, facts: SnippetFacts, names: Names): Snippet[] {
  return WRITERS[kind](facts, names)
    .filter(([of]) => of === step)
    .map(([, id, title, text]) => ({ id, title, text }));
}

const broker = (
  { broker: { host, port }, user, key }: SnippetFacts,
  names: Names,
): [string, string, string][] => [
  ["host", names.broker, host],
  ["port", names.port, String(port)],
  ["user", names.user, user],
  ["password", names.password, key],
];

const WRITERS: Readonly<Record<KindId, Writer>> = {
  "home-assistant": (facts, { homeAssistant: names }) => [
    [0, "external", names.configuration, externalBroker(names.address)],
    [1, "host", names.broker, facts.broker.host],
    [1, "port", "Port", String(facts.broker.port)],
    [1, "protocol", names.protocol, "5"],
    [1, "user", names.user, facts.user],
    [1, "password", names.password, facts.key],
    [2, "automation", names.soc, socAutomation(telemetry(facts))],
    [2, "readings", names.readings, readingsAutomation(telemetry(facts))],
    ...obeyed(facts, names).map((output): [number, string, string, string] => [
      3,
      `obey_${output.key}`,
      names.obey(output.label),
      obeyAutomation(facts.siteId, output),
    ]),
  ],
  evcc: (facts, names) => [
    [
      0,
      "external",
      names.externalBroker,
      `mqtt:
  external: { url: "mqtt://192.168.1.30:1883", username: hourgate, password: "…" }   # ${names.brokerOfEvcc}
  broker: { enabled: false }`,
    ],
    [
      0,
      "compose",
      names.startAfter,
      `services:
  evcc:
    depends_on: { hourgate: { condition: service_healthy } }`,
    ],
    [
      2,
      "tariffs",
      "evcc.yaml: tariffs",
      `tariffs:
  currency: EUR
  grid:
    type: custom
    forecast: { source: http, uri: "${facts.link}/evcc/grid" }
    interval: 15m
  feedin:
    type: custom
    forecast: { source: http, uri: "${facts.link}/evcc/feedin" }
    interval: 15m
  solar:
    - type: custom
      tariff: solar
      forecast: { source: http, uri: "${facts.link}/evcc/solar" }
      interval: 15m`,
    ],
    [
      3,
      "mqtt",
      "evcc.yaml: mqtt",
      `mqtt:
  broker: ${hostAndPort(facts)}
  topic: evcc
  user: ${facts.user}
  password: ${facts.key}`,
    ],
    [3, "map", names.topicMap, ["mqtt:", "  telemetry:", ...EVCC_TOPICS.map(mapLine(facts))].join("\n")],
    [5, "optimizer", names.environment, `OPTIMIZER_URI=${facts.url}/c/TOKEN/evcc`],
  ],
  loxone: () => [],
  "node-red": (facts, names) => [
    [1, "url", names.address, facts.url],
    [1, "key", names.apiKey, facts.key],
    [1, "plant", names.plant, facts.siteId],
    [1, "prefix", names.prefix, facts.prefix],
  ],
  iobroker: (facts, names) => [
    ...broker(facts, names).map(([id, title, text]) => [1, id, title, text] as [1, string, string, string]),
    [1, "patterns", names.patterns, `${facts.prefix}/${facts.siteId}/#,${facts.prefix}/status`],
    [
      1,
      "mask",
      names.mask,
      ["slots.*", "battery"]
        .map((what) => `mqtt.0.${facts.prefix}.${facts.siteId}.${what}.override`)
        .join(","),
    ],
    [
      2,
      "script",
      names.javascript,
      `const soc = "modbus.0.holdingRegisters.40351_SOC"; // ${names.yours}
on({ id: soc, change: "any" }, ({ state }) => sendTo("mqtt.0", "sendMessage2Client", {
  topic: "${telemetry(facts)}/soc_pct", message: String(state.val), qos: 1, retain: false,
}));`,
    ],
    [
      3,
      "alive",
      names.javascript,
      `createState("0_userdata.0.charge_now", false, { type: "boolean", role: "switch" });
schedule("*/15 * * * * *", () => {
  const beat = getState("mqtt.0.${facts.prefix}.${facts.siteId}.heartbeat");
  const isAlive = getState("mqtt.0.info.connection").val && Date.now() - beat.ts < 90000;
  setState("0_userdata.0.charge_now", isAlive && getState("mqtt.0.${facts.prefix}.${facts.siteId}.charge_now").val == 1, true);
});`,
    ],
  ],
  openhab: (facts, names) => [
    [1, "things", "things/hourgate.things", openhabThings(facts)],
    [2, "items", "items/hourgate.items", openhabItems(names)],
  ],
  shelly: (facts, names) => [
    [
      1,
      "script",
      names.shellyScript,
      `const url = "${facts.link}/on/slot_1";
Timer.set(30000, true, () => {
  Shelly.call("HTTP.GET", { url, timeout: 5 }, (answer) => {
    // ${names.shellyComment}
    if (answer && answer.code === 200) Shelly.call("Switch.Set", { id: 0, on: true, toggle_after: 120 });
    else if (answer && answer.code === 404 && answer.body === "0") Shelly.call("Switch.Set", { id: 0, on: false });
  });
});`,
    ],
    [2, "plugged", names.webhookOn, `${facts.link}/telemetry?ev_connected=1`],
    [2, "unplugged", names.webhookOff, `${facts.link}/telemetry?ev_connected=0`],
  ],
  victron: ({ siteId }, names) => [
    [
      1,
      "yaml",
      names.configuration,
      `mqtt:
  external: { url: "mqtt://192.168.1.30:1883" }   # ${names.gxAddress}
  telemetry:
    - { topic: "N/+/system/0/Dc/Battery/Soc", path: value, field: soc_pct, plant: ${siteId} }
    - { topic: "N/+/system/0/Dc/Battery/Power", path: value, field: battery_power_kw, scale: 0.001, plant: ${siteId} }
    - { topic: "N/+/system/0/Dc/Pv/Power", path: value, field: pv_power_kw, scale: 0.001, plant: ${siteId} }`,
    ],
  ],
  mqtt: (facts, names) => [
    ...broker(facts, names).map(([id, title, text]) => [1, id, title, text] as [1, string, string, string]),
    [
      2,
      "read",
      names.read,
      `mosquitto_sub -h ${facts.broker.host} -p ${facts.broker.port} -u ${facts.user} -P ${facts.key} -v -t ${facts.prefix}/${facts.siteId}/charge_now`,
    ],
    [
      2,
      "send",
      names.send,
      `mosquitto_pub -h ${facts.broker.host} -p ${facts.broker.port} -u ${facts.user} -P ${facts.key} -q 1 -t ${telemetry(facts)}/soc_pct -m 55`,
    ],
  ],
  http: (facts, names) => [
    [1, "line", names.line, `${facts.link}/line`],
    [1, "value", names.value, `${facts.link}/value/charge_now`],
    [1, "on", names.on, `${facts.link}/on/slot_1`],
    [2, "telemetry", names.sendUrl, `${facts.link}/telemetry?soc_pct=55`],
    [
      2,
      "api",
      names.api,
      `curl -X POST ${facts.url}/v1/plant/telemetry -H "X-API-Key: ${facts.key}" -H "Content-Type: application/json" -d '{"soc_pct": 55}'`,
    ],
  ],
};

/** The outputs that an automation can switch a device by: those of the slots, else that of the battery. */
function obeyed({ slots }: SnippetFacts, names: Names["homeAssistant"]): { label: string; key: string }[] {
  if (slots.length === 0) return [{ label: names.battery, key: "charge_now" }];
  return slots.map(({ slot, label, kind }) => ({
    label: label === "" ? `${kind} ${slot}` : label,
    key: `slot_${slot}_charge_now`,
  }));
}

function hostAndPort({ broker: { host, port } }: SnippetFacts): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A line of the configuration file. */
const mapLine =
  ({ siteId }: SnippetFacts) =>
  ({ topic, field, scale, sum }: MappedTopic): string =>
    `    - { topic: ${topic}, field: ${field}${scale === undefined ? "" : `, scale: ${scale}`}${sum === true ? ", sum: true" : ""}, plant: ${siteId} }`;

function telemetry({ prefix, siteId }: SnippetFacts): string {
  return `${prefix}/${siteId}/telemetry`;
}

function openhabThings({ broker: { host, port }, prefix, siteId, user, key }: SnippetFacts): string {
  const topic = `${prefix}/${siteId}`;
  return `Bridge mqtt:broker:hourgate "hourgate" [ host="${host}", port=${port}, secure=false, username="${user}", password="${key}" ] {
  Thing topic plan "hourgate" [ availabilityTopic="${prefix}/status", payloadAvailable="online", payloadNotAvailable="offline" ] {
    Channels:
      Type switch : charge_now [ stateTopic="${topic}/charge_now", on="1", off="0" ]
      Type number : discharge_cap [ stateTopic="${topic}/discharge/power_kw", unit="kW" ]
      Type number : price [ stateTopic="${topic}/price/now_ct_kwh" ]
      Type switch : slot1 [ stateTopic="${topic}/slots/1/charge_now", on="1", off="0" ]
      Type number : heartbeat [ stateTopic="${topic}/heartbeat" ]
      Type number : soc [ commandTopic="${topic}/telemetry/soc_pct" ]
  }
}`;
}

function openhabItems(names: Names): string {
  return `Switch hourgate_charge_now "${names.items.chargeNow}" { channel="mqtt:topic:hourgate:plan:charge_now" }
Number:Power hourgate_discharge_cap "${names.items.dischargeCap} [%.1f kW]" { channel="mqtt:topic:hourgate:plan:discharge_cap" }
Number hourgate_price "${names.items.price} [%.2f ct/kWh]" { channel="mqtt:topic:hourgate:plan:price" }
Switch hourgate_slot1 "${names.items.slot}" { channel="mqtt:topic:hourgate:plan:slot1" }
Number hourgate_heartbeat { channel="mqtt:topic:hourgate:plan:heartbeat" }
Number hourgate_soc "${names.items.soc}" { channel="mqtt:topic:hourgate:plan:soc" }`;
}
