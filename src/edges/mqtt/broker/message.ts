import { generate, type IPublishPacket, type Packet } from "mqtt-packet";

export type QoS = 0 | 1 | 2;

type AllProperties = NonNullable<IPublishPacket["properties"]>;

/** Properties of MQTT 5 that are passed on with a message. */
export type MessageProperties = Omit<AllProperties, "topicAlias" | "messageExpiryInterval">;

/** A message on its way to subscribers. */
export interface Message {
  topic: string;
  payload: Buffer;
  qos: QoS;
  retain: boolean;
  properties?: MessageProperties | undefined;
  /** Unix milliseconds. */
  expiresAtMs?: number | undefined;
}

/** A published packet as it comes from a client, a last will or the broker itself. */
export interface Published {
  topic: string;
  payload: Buffer | string;
  qos: QoS;
  retain: boolean;
  properties?: AllProperties | undefined;
}

/** The message of a published packet; connection-bound properties are left out. */
export function publishedMessage(packet: Published, nowMs: number): Message {
  const { topic, qos, retain, properties } = packet;
  const payload = Buffer.isBuffer(packet.payload) ? packet.payload : Buffer.from(packet.payload);
  const message: Message = { topic, payload, qos, retain };
  if (properties === undefined) return message;
  const { payloadFormatIndicator, responseTopic, correlationData, userProperties, contentType } = properties;
  const kept = { payloadFormatIndicator, responseTopic, correlationData, userProperties, contentType };
  const set = Object.entries(kept).filter(([, value]) => value !== undefined);
  if (set.length > 0) message.properties = Object.fromEntries(set);
  if (properties.messageExpiryInterval !== undefined)
    message.expiresAtMs = nowMs + properties.messageExpiryInterval * 1000;
  return message;
}

export function isExpired({ expiresAtMs }: Message, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

/** Largest part of a message that is held in memory besides topic and payload, approximately. */
export function propertiesBytes({ properties }: Message): number {
  if (properties === undefined) return 0;
  const { responseTopic, correlationData, userProperties, contentType } = properties;
  const user = userProperties === undefined ? 0 : JSON.stringify(userProperties).length;
  return (responseTopic?.length ?? 0) + (correlationData?.length ?? 0) + (contentType?.length ?? 0) + user;
}

/** The bytes of a packet in the version of the protocol that the client speaks. */
export function encodePacket(packet: Packet, version: number): Buffer {
  return generate(packet, { protocolVersion: version });
}
