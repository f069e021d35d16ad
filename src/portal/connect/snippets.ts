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
  slots: readonly { slot: number; label: string }[];
  /** A controller link without its page, or the same with a placeholder. */
  link: string;
}

type Names = Texts["connect"]["snippets"];
/** Texts to copy, by their titles. */
type Copies = Readonly<Record<string, string>>;

/** The texts to copy of each step of a kind. */
export function snippetsOf(kind: KindId, facts: SnippetFacts, names: Names): readonly Copies[] {
  return WRITERS[kind](facts, names);
}

const brokerCopies = ({ broker, user, key }: SnippetFacts, names: Names): Copies => ({
  [names.broker]: broker.host,
  [names.port]: String(broker.port),
  [names.user]: user,
  [names.password]: key,
});

const WRITERS: Readonly<Record<KindId, (facts: SnippetFacts, names: Names) => readonly Copies[]>> = {
  "home-assistant": (facts, { homeAssistant: names }) => [
    { [names.configuration]: externalBroker(names.address) },
    {
      [names.broker]: facts.broker.host,
      Port: String(facts.broker.port),
      [names.protocol]: "5",
      [names.user]: facts.user,
      [names.password]: facts.key,
    },
    {
      [names.soc]: socAutomation(telemetry(facts)),
      [names.readings]: readingsAutomation(telemetry(facts)),
    },
    Object.fromEntries(
      obeyed(facts, names).map((output) => [names.obey(output.label), obeyAutomation(facts.siteId, output)]),
    ),
  ],
  evcc: (facts, names) => [
    {
      [names.externalBroker]: `mqtt:
  external: { url: "mqtt://192.168.1.30:1883", username: hourgate, password: "…" }   # ${names.brokerOfEvcc}
  broker: { enabled: false }`,
      [names.startAfter]: `services:
  evcc:
    depends_on: { hourgate: { condition: service_healthy } }`,
    },
    {},
    {
      "evcc.yaml: tariffs": `tariffs:
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
    },
    {
      "evcc.yaml: mqtt": `mqtt:
  broker: ${hostAndPort(facts)}
  topic: evcc
  user: ${facts.user}
  password: ${facts.key}`,
      [names.topicMap]: ["mqtt:", "  telemetry:", ...EVCC_TOPICS.map(mapLine(facts))].join("\n"),
    },
    {},
    { [names.environment]: `OPTIMIZER_URI=${facts.url}/c/TOKEN/evcc` },
  ],
  loxone: () => [],
  "node-red": (facts, names) => [
    {},
    {
      [names.address]: facts.url,
      [names.apiKey]: facts.key,
      [names.plant]: facts.siteId,
      [names.prefix]: facts.prefix,
    },
  ],
  iobroker: (facts, names) => [
    {},
    {
      ...brokerCopies(facts, names),
      [names.patterns]: `${facts.prefix}/${facts.siteId}/#,${facts.prefix}/status`,
      [names.mask]: ["slots.*", "battery"]
        .map((what) => `mqtt.0.${facts.prefix}.${facts.siteId}.${what}.override`)
        .join(","),
    },
    {
      [names.javascript]: `const soc = "modbus.0.holdingRegisters.40351_SOC"; // ${names.yours}
on({ id: soc, change: "any" }, ({ state }) => sendTo("mqtt.0", "sendMessage2Client", {
  topic: "${telemetry(facts)}/soc_pct", message: String(state.val), qos: 1, retain: false,
}));`,
    },
    {
      [names.javascript]: `createState("0_userdata.0.charge_now", false, { type: "boolean", role: "switch" });
schedule("*/15 * * * * *", () => {
  const beat = getState("mqtt.0.${facts.prefix}.${facts.siteId}.heartbeat");
  const isAlive = getState("mqtt.0.info.connection").val && Date.now() - beat.ts < 90000;
  setState("0_userdata.0.charge_now", isAlive && getState("mqtt.0.${facts.prefix}.${facts.siteId}.charge_now").val == 1, true);
});`,
    },
  ],
  openhab: (facts, names) => [
    {},
    { "things/hourgate.things": openhabThings(facts) },
    { "items/hourgate.items": openhabItems(names) },
  ],
  shelly: (facts, names) => [
    {},
    {
      [names.shellyScript]: `const url = "${facts.link}/on/slot_1";
Timer.set(30000, true, () => {
  Shelly.call("HTTP.GET", { url, timeout: 5 }, (answer) => {
    // ${names.shellyComment}
    if (answer && answer.code === 200) Shelly.call("Switch.Set", { id: 0, on: true, toggle_after: 120 });
    else if (answer && answer.code === 404 && answer.body === "0") Shelly.call("Switch.Set", { id: 0, on: false });
  });
});`,
    },
    {
      [names.webhookOn]: `${facts.link}/telemetry?ev_connected=1`,
      [names.webhookOff]: `${facts.link}/telemetry?ev_connected=0`,
    },
  ],
  victron: ({ siteId }, names) => [
    {},
    {
      [names.configuration]: `mqtt:
  external: { url: "mqtt://192.168.1.30:1883" }   # ${names.gxAddress}
  telemetry:
    - { topic: "N/+/system/0/Dc/Battery/Soc", path: value, field: soc_pct, plant: ${siteId} }
    - { topic: "N/+/system/0/Dc/Battery/Power", path: value, field: battery_power_kw, scale: 0.001, plant: ${siteId} }
    - { topic: "N/+/system/0/Dc/Pv/Power", path: value, field: pv_power_kw, scale: 0.001, plant: ${siteId} }`,
    },
  ],
  mqtt: (facts, names) => [
    {},
    brokerCopies(facts, names),
    {
      [names.read]: `mosquitto_sub ${signIn(facts)} -v -t ${facts.prefix}/${facts.siteId}/charge_now`,
      [names.send]: `mosquitto_pub ${signIn(facts)} -q 1 -t ${telemetry(facts)}/soc_pct -m 55`,
    },
  ],
  http: (facts, names) => [
    {},
    {
      [names.line]: `${facts.link}/line`,
      [names.value]: `${facts.link}/value/charge_now`,
      [names.on]: `${facts.link}/on/slot_1`,
    },
    {
      [names.sendUrl]: `${facts.link}/telemetry?soc_pct=55`,
      [names.api]: `curl -X POST ${facts.url}/v1/plant/telemetry -H "X-API-Key: ${facts.key}" -H "Content-Type: application/json" -d '{"soc_pct": 55}'`,
    },
  ],
};

/** The options of the mosquitto clients that sign in. */
function signIn({ broker, user, key }: SnippetFacts): string {
  return `-h ${broker.host} -p ${broker.port} -u ${user} -P ${key}`;
}

/** The outputs that an automation can switch a device by: those of the slots, else that of the battery. */
function obeyed({ slots }: SnippetFacts, names: Names["homeAssistant"]): { label: string; key: string }[] {
  if (slots.length === 0) return [{ label: names.battery, key: "charge_now" }];
  const labels = slots.map(({ label }) => label);
  return slots.map(({ slot, label }) => ({
    label: labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} ${slot}`,
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
