import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join, resolve } from "node:path";
import { generate, type Packet } from "mqtt-packet";
import { ConfigError } from "../../../src/config/error.js";
import { reachOfHost } from "../../../src/core/net/address.js";
import { hostOf } from "../../../src/core/net/host-names.js";
import { TrustedProxies } from "../../../src/core/net/trusted-proxies.js";
import { PacketError, PacketFilter } from "../../../src/edges/mqtt/broker/packet-guard.js";
import { PayloadError, readObject } from "../../../src/edges/mqtt/topics/payload.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import {
  ExpressionError,
  render,
  renderParameter,
  StepBudget,
  variablesOf,
} from "../../../src/equipment/expression.js";
import { parameterFault } from "../../../src/equipment/parameter-expression.js";
import { parseTemplate } from "../../../src/equipment/template.js";
import { parseChallenge } from "../../../src/equipment/transport/digest.js";
import { valueIn } from "../../../src/equipment/values.js";
import { WebhookInputError } from "../../../src/messages/webhooks/input-error.js";
import { parseReceiverUrl } from "../../../src/messages/webhooks/receiver-url.js";
import { readMeterFile } from "../../../src/money/meter/read.js";
import { MeterFileError } from "../../../src/money/meter/types.js";
import { readPlainSheets } from "../../../src/money/meter/xlsx.js";
import { SpreadsheetError, unpackXml } from "../../../src/money/meter/zip.js";
import { targetOf } from "../../../src/ops/fleet/target.js";
import { problemOf } from "../../../src/plan/solver/problem.js";
import { OptimizerRequestError, readOptimizerRequest } from "../../../src/plan/solver/request.js";
import { readCookies } from "../../../src/portal/cookies.js";
import { localPath } from "../../../src/portal/origin.js";
import { parseTelemetry } from "../../../src/telemetry/parse.js";
import { readMapped, TopicMapError } from "../../../src/telemetry/topic-map.js";
import { smallRequest } from "../../plan/solver/random-requests.js";

/** A parser of what strangers send. */
export interface ParserTarget {
  name: string;
  /** Valid inputs. */
  seeds(): Buffer[];
  /** What mutations insert. */
  words: readonly string[];
  /** Reads an input, or refuses it. */
  run(input: Buffer): unknown;
  isRefusal(error: unknown): boolean;
  /** Processor time that one input may take. */
  limitMs: number;
}

const root = resolve(import.meta.dirname, "../../..");
const files = (folder: string, pattern: RegExp, bytes = Number.POSITIVE_INFINITY) =>
  readdirSync(join(root, folder))
    .filter((name) => pattern.test(name))
    .map((name) => readFileSync(join(root, folder, name)).subarray(0, bytes));
const texts = (...list: string[]) => list.map((text) => Buffer.from(text));

/** Throws if something that must hold does not. */
function assert(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

const dayRow = Array.from({ length: 96 }, (_, index) => index + 1).join(";");

const meterTables: ParserTarget = {
  name: "meter tables",
  seeds: () => [
    ...files("test/fixtures/meter", /\.csv$/, 4_000),
    ...texts(
      `Datum;${dayRow}\n29.03.2026;${dayRow}`,
      '{"unit":"kWh","data":[{"from":"2026-03-01T00:00:00Z","value":0.1},{"from":1772323200,"value":"-0,1 kWh"}]}',
      '<ConsumptionRecord><MeteringPoint>AT0010000000000000001000000000000</MeteringPoint><EnergyData MeterCode="1-1:1.9.0 G.01" UOM="KWH"><EP><DTF>2026-03-01T00:00:00Z</DTF><BQ>1</BQ></EP></EnergyData></ConsumptionRecord>',
    ),
  ],
  words: [
    "1. März 2026",
    "12:15 AM",
    "0,1 kWh",
    "1772323200000",
    '{"time":',
    "[[",
    "<EnergyData",
    ";",
    "\n",
    "\r\n",
    ",",
    '"',
    "01.01.2024 00:15",
    "2024-03-31T02:00:00+02:00",
    "AT0010000000000000001000000000000",
    "kWh",
    "Zählerstand",
    "-1",
    "1e308",
    "NaN",
    "\0",
    "\xff\xfe",
    "\xef\xbb\xbf",
    "2024-10-27 02:30",
    "24:00",
  ],
  run: (input) => readMeterFile(input, "file.csv"),
  isRefusal: (error) => error instanceof MeterFileError,
  limitMs: 2_000,
};

const meterSheets: ParserTarget = {
  name: "meter spreadsheets",
  seeds: () =>
    files(
      "test/fixtures/meter",
      /^(synthetic-eda-portal\.xlsx|netz-ooe-2023\.xls|stadtwerke-kufstein-2024\.xlsx)$/,
      48_000,
    ),
  words: [
    "PK\x03\x04",
    "PK\x01\x02",
    "PK\x05\x06",
    "\xff\xff\xff\xff",
    "\0\0\0\0",
    "<row>",
    '<c r="A1" t="s">',
    "xl/worksheets/sheet1.xml",
    "<!DOCTYPE a>",
    "&#x0;",
    "\xd0\xcf\x11\xe0",
  ],
  // The library for XLS and unusual files can take without an end: it runs in a process that is killed after 5 s.
  run: (input) => readPlainSheets(unpackXml(input, 60 * 1024 * 1024)),
  isRefusal: (error) => error instanceof SpreadsheetError,
  limitMs: 5_000,
};

const packets: Packet[] = [
  {
    cmd: "connect",
    clientId: "a",
    protocolId: "MQTT",
    protocolVersion: 4,
    clean: true,
    keepalive: 30,
    username: "u",
    password: Buffer.from("p"),
    will: { topic: "w", payload: Buffer.from("x"), qos: 1, retain: true },
  },
  {
    cmd: "publish",
    topic: "hourgate/home/telemetry",
    payload: Buffer.from('{"soc_pct":55}'),
    qos: 1,
    messageId: 7,
    dup: false,
    retain: false,
  },
  {
    cmd: "subscribe",
    messageId: 8,
    subscriptions: [
      { topic: "a/#", qos: 1 },
      { topic: "+/b", qos: 0 },
    ],
  },
  { cmd: "unsubscribe", messageId: 9, unsubscriptions: ["a/#"] },
  { cmd: "pubrel", messageId: 7 },
  { cmd: "pingreq" },
  { cmd: "disconnect" },
];
const FILTER_BYTES = 2_000;

const mqttPackets: ParserTarget = {
  name: "MQTT packets",
  seeds: () => [
    ...packets.map((packet) => generate(packet)),
    Buffer.concat(packets.map((packet) => generate(packet))),
  ],
  words: [
    "\x82",
    "\x30",
    "\x32",
    "\x36",
    "\xff\xff\xff\x7f",
    "\x80\x80\x80\x80",
    "\0\x01a\0",
    "\xff\xff",
    "\0\0",
    "\xc0\0",
  ],
  run: (input) => {
    // The first byte chooses the version of the protocol.
    const version = (input[0] ?? 0) % 2 === 0 ? 4 : 5;
    const filtered = (pieces: readonly Buffer[], maxCost?: number) => {
      const filter = new PacketFilter({ limit: FILTER_BYTES });
      filter.version = version;
      const passed: Buffer[] = [];
      for (const piece of pieces) {
        let { passed: now, rest } = filter.push(piece, maxCost);
        passed.push(now);
        while (rest.length > 0) {
          const before = rest.length;
          ({ passed: now, rest } = filter.push(rest, maxCost));
          passed.push(now);
          assert(rest.length < before, "the filter makes no progress");
        }
      }
      return Buffer.concat(passed);
    };
    const whole = filtered([input]);
    assert(whole.length <= input.length + 16 * (input.length / 2 + 1), "more bytes pass than arrived");
    const pieces = Array.from({ length: Math.ceil(input.length / 3) }, (_, index) =>
      input.subarray(3 * index, 3 * index + 3),
    );
    assert(filtered(pieces, 1).equals(whole), "pieces of the same bytes are filtered otherwise");
  },
  isRefusal: (error) => error instanceof PacketError,
  limitMs: 1_000,
};

const topics = createTopics("energy/at");
const mqttPayloads: ParserTarget = {
  name: "MQTT payloads",
  seeds: () =>
    texts(
      '{"soc_pct":55,"id":"a","timestamp":"2026-01-15T12:00:00Z"}',
      '{"samples":[{"battery":{"soc_pct":1},"slots":{"1":{"power_kw":2}}},{"batteries":{"a":{"soc_pct":3}}}]}',
      "energy/at/home/slots/1/override/set",
    ),
  words: [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"__proto__":',
    '"constructor":',
    "1e999",
    "-0",
    "null",
    '"slots":{',
    '"samples":[',
    "\\ud800",
    '"timestamp":"0000-00-00"',
    "/",
    "+",
    "#",
    "$",
  ],
  run: (input) => {
    topics.inbound(input.toString("utf8"));
    parseTelemetry(readObject(input), { now: new Date(0), zone: "Europe/Vienna", batteries: ["a", "b"] });
    assert(!("polluted" in {}), "a prototype was changed");
  },
  isRefusal: (error) => error instanceof PayloadError,
  limitMs: 1_000,
};

/** The path of a row, a line, and the payload that it is read from. */
const topicMaps: ParserTarget = {
  name: "topic maps",
  seeds: () =>
    texts(
      'value\n{"value":56.2}',
      'a.b[0].c\n{"a":{"b":[{"c":"1,5 "}]}}',
      "[11]\n[230,231,229,2,15.9,15.8,15.9,3657,3650,3641,0,10948]",
      "\n on ",
      'value\n{"value":[[[["a"]]],{"b":null}]}',
    ),
  words: [
    "\n",
    ".",
    "[0]",
    "[999999999]",
    "value",
    '"value":',
    "[",
    "]",
    "{",
    "}",
    '"__proto__":',
    "1e308",
    "-0",
    "true",
    "\\ud800",
    "[".repeat(20_000) + "]".repeat(20_000),
  ],
  run: (input) => {
    const text = input.toString("utf8");
    const end = text.indexOf("\n");
    const [path, payload] = [text.slice(0, Math.min(end, 500)), text.slice(end + 1)];
    const row = { topic: "a", path, field: "soc_pct", scale: 1e6, offset: -1 } as const;
    const refusals: unknown[] = [];
    for (const field of ["soc_pct", "ev_connected"] as const)
      try {
        assert(Number.isFinite(readMapped(payload, { ...row, field })), "gives no number");
      } catch (error) {
        refusals.push(error);
      }
    for (const error of refusals) throw error;
  },
  isRefusal: (error) => error instanceof TopicMapError,
  limitMs: 1_000,
};

const httpTargets: ParserTarget = {
  name: "HTTP targets and headers",
  seeds: () =>
    texts(
      "/shard/1/login?next=%2F",
      "/v1/status?timezone=UTC",
      "/c/abcdefghijklmnop/value/O1",
      "https://user:secret@192.168.1.1:8080/a#b",
      "[fd00::1]:8080",
      "203.0.113.9, 10.0.0.1, [::ffff:10.0.0.1]:80",
      "a=b; __Host-hourgate_session=c; d",
      'Digest realm="a", nonce="b", qop="auth,auth-int", algorithm=SHA-256, opaque="c\\"d"',
    ),
  words: [
    "/metrics",
    "/shard/1",
    "%2f",
    "%2e",
    "%5c",
    "..",
    "/./",
    "#",
    "?",
    "\\",
    "//",
    "@",
    ":",
    "[",
    "]",
    "::1",
    "0x7f.1",
    "127.1",
    "localhost",
    "\t",
    "\xe2\x80\xae",
    ";",
    "=",
    ",",
    "Digest ",
    '"',
    "http://",
  ],
  run: (input) => {
    const text = input.toString("latin1");
    const target = targetOf(text, text, { count: 8, shardOf: () => 0 });
    if (target !== undefined) {
      const { pathname, origin } = new URL(target.path, "http://worker");
      assert(origin === "http://worker" && !/^\/+metrics(\/|$)/i.test(pathname), `reaches ${pathname}`);
    }
    const local = localPath(text);
    if (local !== undefined)
      assert(new URL(local, "https://own.example").origin === "https://own.example", `leads to ${local}`);
    hostOf(text);
    reachOfHost(text);
    parseChallenge(text);
    const headers = { "x-forwarded-for": text, cookie: text };
    const req = { socket: { remoteAddress: "10.0.0.1" }, headers } as unknown as IncomingMessage;
    readCookies(req);
    new TrustedProxies(["10.0.0.0/8"]).clientAddress(req);
    const url = parseReceiverUrl(text, false);
    assert(
      url.username === "" && url.hash === "" && reachOfHost(url.hostname) !== "private",
      `is sent to ${url.href}`,
    );
  },
  isRefusal: (error) => error instanceof WebhookInputError,
  limitMs: 500,
};

const templates: ParserTarget = {
  name: "templates",
  seeds: () => files("config/devices", /\.yaml$/),
  words: [
    "{{ ",
    " }}",
    "{% ",
    " %}",
    "{% for a in b %}",
    "| default: ",
    "&a ",
    "*a",
    "<<: ",
    "!!js/function",
    "- ",
    ": ",
    "\n  ",
    "~",
    "[",
    "{",
    "'",
    '"',
    "__proto__",
    "when:",
    "regex: (a+)+$",
  ],
  run: (input) => parseTemplate(input.toString("utf8"), "template.yaml"),
  isRefusal: (error) => error instanceof ConfigError,
  limitMs: 2_000,
};

const expressions: ParserTarget = {
  name: "expressions and values",
  seeds: () =>
    texts(
      "{{ power_w | divided_by: 230 | round }}",
      "{{ a.b | default: 3 }}",
      '{"a":{"b~1":[1,2]}}',
      "/a/b~1/0",
      "{{ power_w | whole_within: 5 }}",
    ),
  words: [
    "{{",
    "}}",
    "{%",
    "%}",
    "|",
    "| times: 1e308",
    "power_w",
    "a.b",
    "[0]",
    "'",
    '"',
    "| append: a",
    "| split: ''",
    "| join",
    "~1",
    "/",
    "{% if a %}",
    "{% endif %}",
    "{% raw %}",
    "[".repeat(20_000) + "]".repeat(20_000),
  ],
  run: (input) => {
    const text = input.toString("utf8").slice(0, 2_000);
    valueIn(text, { pointer: text });
    valueIn('{"a":{"b/":[1,2]}}', { pointer: text });
    const variables = { power_w: 2300, a: { b: 1 }, state: "on" };
    // What an account states; the rest is that of the administrator's templates.
    if (parameterFault(text, Object.keys(variables)) === undefined)
      assert(renderParameter(text, variables, new StepBudget()).length <= 64 * 1024, "gives more than 64 kB");
    variablesOf(text);
    render(text, variables);
  },
  isRefusal: (error) => error instanceof ExpressionError,
  limitMs: 1_000,
};

const optimizer: ParserTarget = {
  name: "optimizer requests",
  seeds: () => [1, 2, 3].map((seed) => Buffer.from(JSON.stringify(smallRequest(seed, { onLattice: false })))),
  words: [
    "{}",
    "[]",
    ",",
    "null",
    "1e308",
    "-1",
    "0",
    '"batteries":[',
    '"time_series":{',
    '"dt":[',
    '"s_goal":[',
    '"grid":{',
    "5e-324",
    '"a"',
  ],
  run: (input) => problemOf(readOptimizerRequest(input)),
  isRefusal: (error) => error instanceof OptimizerRequestError,
  limitMs: 2_000,
};

export const parserTargets: readonly ParserTarget[] = [
  meterTables,
  meterSheets,
  mqttPackets,
  mqttPayloads,
  topicMaps,
  httpTargets,
  templates,
  expressions,
  optimizer,
];
