import { decode, encode } from "@msgpack/msgpack";
import type { ClassicLevel } from "classic-level";
import type { Message, Published, QoS } from "./message.js";
import type { Subscription } from "./message-router.js";
import type { BrokerSession } from "./sessions.js";
import type { KnownAddress } from "./sign-in-throttle.js";

/**
 * The keys of the broker's database: a kind, the encoded client id, and what tells the records of one client apart. Client
 * ids are encoded, so that a colon ends them. Values are MessagePack, except those of sessions, which are text.
 */
export const RECORDS = {
  retained: (topic: string) => `retained:${topic}`,
  session: (clientId: string) => `session:${encodeURIComponent(clientId)}`,
  will: (clientId: string) => `will:${encodeURIComponent(clientId)}`,
  subscription: (clientId: string, filter: string) => `${recordsOf("subscriptions", clientId)}${filter}`,
  queued: (clientId: string, sequence: number) => `${recordsOf("queue", clientId)}${padded(sequence)}`,
  sent: (clientId: string, sequence: number) => `${recordsOf("sent", clientId)}${padded(sequence)}`,
  known: ({ user, network }: KnownAddress) => `${recordsOf("known", user)}${network}`,
  incoming: (clientId: string, messageId: number) => `${recordsOf("incoming", clientId)}${padded(messageId)}`,
};

/** The beginning of the keys of one client. */
function recordsOf(kind: string, clientId: string): string {
  return `${kind}:${encodeURIComponent(clientId)}:`;
}

/** Keys are sorted as text. */
function padded(number: number): string {
  return String(number).padStart(16, "0");
}

/** What the broker uses of a LevelDB. */
export type Records = Pick<ClassicLevel, "batch" | "clear" | "del" | "get" | "iterator">;

export interface StoredRecord {
  key: string;
  /** Empty for kinds without clients. */
  clientId: string;
  /** What follows the client id in the key. */
  rest: string;
  value: Buffer;
}

/** The records of a kind, in the order of their keys. */
export async function* recordsIn(database: Records, kind: string): AsyncGenerator<StoredRecord> {
  const range = { gte: `${kind}:`, lt: `${kind};` };
  for await (const [key, value] of database.iterator<string, Buffer>({ ...range, valueEncoding: "buffer" })) {
    const [client = "", ...rest] = key.slice(kind.length + 1).split(":");
    const clientId = kind === "retained" ? "" : decodeURIComponent(client);
    yield { key, clientId, rest: rest.join(":"), value };
  }
}

/** The value of a record that the broker wrote, whatever it is. */
export function decodeRecord(value: Buffer): Record<string, unknown> {
  const decoded = decode(value);
  if (typeof decoded !== "object" || decoded === null) throw new Error("A stored MQTT record is damaged.");
  return decoded as Record<string, unknown>;
}

function encoded(value: object): Buffer {
  const bytes = encode(value, { ignoreUndefined: true });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** `owner` is the sign-in that a retained message is charged to. */
export function encodeMessage(message: Message, owner?: string): Buffer {
  return encoded({ ...message, owner, properties: storedProperties(message) });
}

export function decodeMessage(value: Buffer): Message & { owner?: string | undefined } {
  const record = decodeRecord(value);
  const { expiresAtMs, owner } = record;
  return {
    ...published(record),
    ...(typeof expiresAtMs === "number" && { expiresAtMs }),
    ...(typeof owner === "string" && { owner }),
  };
}

/** The last will of a client, with the properties that only a will has. */
export function encodeWill(will: Published): Buffer {
  const { topic, payload, qos, retain } = will;
  return encoded({ topic, payload, qos, retain, properties: storedProperties(will) });
}

export function decodeWill(value: Buffer): Published {
  return published(decodeRecord(value));
}

/** MessagePack knows no objects without a prototype, as those of user properties. */
function storedProperties({ properties }: Pick<Published, "properties">) {
  const user = properties?.userProperties && Object.entries(properties.userProperties);
  return properties && { ...properties, userProperties: user };
}

function published({ topic, payload, qos, retain, properties }: Record<string, unknown>) {
  return {
    topic: String(topic),
    payload: bytesOf(payload),
    qos: qosOf(qos),
    retain: retain === true,
    ...(typeof properties === "object" && properties !== null && { properties: propertiesOf(properties) }),
  };
}

function propertiesOf({
  userProperties,
  correlationData,
  ...rest
}: {
  userProperties?: [string, string | string[]][];
  correlationData?: Uint8Array;
}): NonNullable<Message["properties"]> {
  return {
    ...rest,
    ...(correlationData === undefined ? {} : { correlationData: bytesOf(correlationData) }),
    ...(userProperties === undefined ? {} : { userProperties: Object.fromEntries(userProperties) }),
  };
}

export function encodeSubscription({ filter, qos, nl, rap, identifier }: Subscription): Buffer {
  return encoded({ topic: filter, qos, nl, rap, identifier });
}

export function decodeSubscription(value: Buffer): Subscription {
  const { topic, qos, nl, rap, identifier } = decodeRecord(value);
  return {
    filter: String(topic),
    qos: qosOf(qos),
    nl: nl === true,
    rap: rap === true,
    identifier: typeof identifier === "number" ? identifier : undefined,
  };
}

export function encodeSent(sent: { messageId: number; isReleased: boolean }): Buffer {
  return encoded(sent);
}

export function decodeSent(value: Buffer): { messageId: number; isReleased: boolean } {
  const { messageId, isReleased } = decodeRecord(value);
  return { messageId: Number(messageId), isReleased: isReleased === true };
}

export function encodeSession({ seenMs, expiryS }: BrokerSession): Buffer {
  return Buffer.from(`${seenMs} ${expiryS}`);
}

/** Version 0.2 stored the time only: its sessions last as long as any. */
export function decodeSession(value: Buffer, longestExpiryS: number): BrokerSession {
  const [seenMs, expiryS] = value.toString("utf8").split(" ").map(Number);
  return { seenMs: seenMs ?? 0, expiryS: expiryS ?? longestExpiryS };
}

function bytesOf(value: unknown): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(typeof value === "string" ? value : "");
}

function qosOf(value: unknown): QoS {
  return value === 1 || value === 2 ? value : 0;
}
