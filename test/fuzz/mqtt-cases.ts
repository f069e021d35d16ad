import type { Random } from "../support/random.js";
import { anyBytes, anyText, anyValue, mutated } from "./values.js";

const TOPICS = [
  "hourgate/home/telemetry",
  "hourgate/home/telemetry/soc_pct",
  "hourgate/home/telemetry/import_kwh",
  "hourgate/home/telemetry/nothing",
  "hourgate/home/slots/1/set",
  "hourgate/home/slots/9/set",
  "hourgate/home/slots/1/plugged/set",
  "hourgate/home/request/windows",
  "hourgate/home/request/hours-demand",
  "hourgate/home/request/forecast",
  "hourgate/home/request/nothing",
  "hourgate/other/telemetry",
  "hourgate/home/plan",
  "hourgate/status",
  "homeassistant/status",
  "homeassistant/device/hourgate_home/config",
  "meter/a/b",
  "/",
  "//",
  "a",
];
const FIELDS = [
  "soc_pct",
  "import_kwh",
  "export_kwh",
  "timestamp",
  "battery",
  "meter",
  "samples",
  "id",
  "slot_id",
  "energy_kwh",
  "count",
  "segments",
  "segment_consecutive",
  "window_start_hour",
  "window_end_hour",
  "start",
  "end",
  "plugged",
  "value",
  "timezone",
];

export interface MqttCase {
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
}

/** One message, mostly to a topic that the gateway subscribes to. */
export function mqttCase(random: Random): MqttCase {
  const topic = random.chance(0.9) ? random.pick(TOPICS) : `hourgate/home/${anyText(random, 20)}`;
  return {
    topic: topic.replace(/[+#\0\ud800-\udfff]/g, "x"),
    payload: payloadOf(random),
    qos: random.pick([0, 1, 1, 2]),
    retain: random.chance(0.1),
  };
}

function payloadOf(random: Random): Buffer {
  const kind = random.next();
  if (kind < 0.1) return anyBytes(random, 300);
  if (kind < 0.25) return Buffer.from(String(anyValue(random, 0)));
  const taken = FIELDS.filter(() => random.chance(0.15));
  const text = Buffer.from(JSON.stringify(Object.fromEntries(taken.map((name) => [name, anyValue(random)]))));
  return random.chance(0.1) ? mutated(random, text) : text;
}

/** Bytes for the broker's port: a valid CONNECT of MQTT 3.1.1 or 5 (or none), followed by malformed packets. */
export function malformedMqtt(random: Random, key: string): Buffer {
  const version = random.pick([4, 4, 5, 5, 5, 3, 0]);
  const properties = () => (version === 5 ? propertiesOf(random) : Buffer.alloc(0));
  const connect = packet(0x10, [
    text("MQTT"),
    Buffer.from([version, 0xc2, 0, 30]),
    properties(),
    text(`fuzz-${random.integer(0, 1e9)}`),
    text("fuzz"),
    text(key),
  ]);
  const packets = Array.from({ length: random.integer(1, 5) }, () =>
    random.pick([
      () =>
        packet(0x30 | random.integer(0, 15), [
          text(random.pick(TOPICS)),
          Buffer.from([0, 1]),
          properties(),
          payloadOf(random),
        ]),
      () => packet(0x32, [text(""), Buffer.from([0, 4]), properties(), payloadOf(random)]),
      () =>
        packet(0x82, [
          Buffer.from([0, 2]),
          properties(),
          text(random.pick(["#", "hourgate/#", "+/+", "a/#/b", "$share/a/#", ""])),
          Buffer.from([random.integer(0, 255)]),
        ]),
      () => packet(0xa2, [Buffer.from([0, 3]), properties(), text("hourgate/#")]),
      () => packet(random.pick([0xe0, 0xf0]), [Buffer.from([random.integer(0, 255)]), properties()]),
      () => packet(random.integer(0, 15) << 4, [anyBytes(random, 20)]),
      () => Buffer.from([0x30, 0xff, 0xff, 0xff, random.pick([0x7f, 0xff])]),
      () => anyBytes(random, 100),
    ])(),
  );
  const bytes = Buffer.concat(random.chance(0.8) ? [connect, ...packets] : packets);
  return random.chance(0.5) ? mutated(random, bytes) : bytes;
}

/** The properties of a packet of MQTT 5 with their length, known ones with any value, also in packets that do not have them. */
function propertiesOf(random: Random): Buffer {
  const bytes = (id: number, count: number) =>
    Buffer.from([id, ...anyBytes(random, count).subarray(0, count)]);
  const string = (id: number) => Buffer.concat([Buffer.from([id]), text(anyText(random, 20))]);
  const list = Buffer.concat(
    Array.from({ length: random.integer(0, 4) }, () =>
      random.pick([
        () => bytes(random.pick([0x01, 0x17, 0x19, 0x24, 0x25]), 1),
        () => bytes(random.pick([0x13, 0x21, 0x22, 0x23]), 2),
        () => bytes(random.pick([0x02, 0x11, 0x18, 0x27]), 4),
        () => string(random.pick([0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1f])),
        () => Buffer.concat([Buffer.from([0x08]), text(random.pick(TOPICS))]),
        () => Buffer.from([0x0b, random.integer(0, 127)]),
        () => Buffer.concat([string(0x26), text(anyText(random, 20))]),
      ])(),
    ),
  );
  return Buffer.concat([Buffer.from([Math.min(127, list.length)]), list]);
}

/** A CONNECT packet of MQTT 3.1.1 with user name and password. */
export function connectPacket({
  username,
  password,
  clientId,
  clean,
}: {
  username: string;
  password: string;
  clientId: string;
  clean: boolean;
}): Buffer {
  const flags = clean ? 0xc2 : 0xc0;
  return packet(0x10, [
    text("MQTT"),
    Buffer.from([4, flags, 0, 60]),
    text(clientId),
    text(username),
    text(password),
  ]);
}

/** A PUBLISH packet of MQTT 3.1.1. */
export function publishPacket(
  topic: string,
  payload: Buffer,
  { qos, id, retain = false }: { qos: 0 | 1 | 2; id: number; retain?: boolean },
): Buffer {
  const identifier = qos === 0 ? Buffer.alloc(0) : Buffer.from([id >> 8, id & 0xff]);
  return packet(0x30 | (qos << 1) | (retain ? 1 : 0), [text(topic), identifier, payload]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

function packet(head: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  let left = body.length;
  do {
    length.push((left % 128) | (left > 127 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.concat([Buffer.from([head, ...length]), body]);
}
