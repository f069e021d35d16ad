import type { Duplex } from "node:stream";
import type { Packet } from "mqtt-packet";
import { encodePacket } from "./message.js";

/** A connected client as the parts of the broker see it. */
export interface ConnectedClient {
  /** Client id with its scope, see `BrokerAuthorizer`. */
  readonly id: string;
  /** 3, 4 or 5. */
  readonly version: number;
  /** True if nothing is kept when the connection ends. */
  readonly clean: boolean;
  readonly closed: boolean;
  /** It has its CONNACK. */
  readonly connected: boolean;
  readonly conn: Duplex;
  /** How many messages of QoS 1 and 2 the client takes at a time. */
  readonly receiveMaximum: number;
  /** Largest packet that the client takes, bytes. */
  readonly maximumPacketSize: number | undefined;
  readonly sessionExpiryInterval: number;
  close(): void;
  /** Sends DISCONNECT to a client of MQTT 5 and closes the connection. */
  disconnect(how: { reasonCode: number; properties?: { reasonString: string } }): void;
  /** Calls back when the connection takes bytes again, with an error if it has ended. */
  waitForDrain(done: (error?: Error | null) => void): void;
}

/** Writes a packet; false: the connection takes no more for now. */
export function sendTo(client: ConnectedClient, packet: Packet): boolean {
  return client.closed || client.conn.destroyed || client.conn.write(encodePacket(packet, client.version));
}

/** Ends the connection for a violation of the protocol. */
export function disconnectWith(client: ConnectedClient, reasonCode: number, reasonString: string): void {
  client.disconnect({ reasonCode, properties: { reasonString } });
}
