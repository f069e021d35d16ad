import type { EventEmitter } from "node:events";
import { type Duplex, Readable } from "node:stream";
import { Aedes, type Client } from "aedes";
import type { IConnectPacket, Packet } from "mqtt-packet";
import { type ConnectedClient, sendTo } from "./connected-client.js";
import { encodePacket, type Published } from "./message.js";
import { MAX_PACKET_BYTES } from "./packet-guard.js";
import { TOPIC_ALIAS_MAXIMUM } from "./packet-handler.js";
import { type PacketRefusal, REASON, returnCodeOf } from "./reason-codes.js";

/** What the engine uses of a client of Aedes besides its public interface (Aedes 2.0.0-beta.1 exactly). */
interface Internals {
  readonly _parser: EventEmitter;
  _parsingBatch: number;
  _nextBatch(): void;
  readonly _keepaliveTimer: NodeJS.Timeout | null;
  /** Told to the client in CONNACK. */
  _assignedClientId: string | undefined;
  _sessionExpiryClamped: boolean;
  waitForDrain(done: (error?: Error | null) => void): void;
}

type EngineClient = Client & Internals;

/** What a client that signs in gets. */
export interface Admission {
  /** The session that it continues was found. */
  isPresent: boolean;
  /** The client id that was made for it. */
  assignedId: string | undefined;
  /** The session's expiry is not the one that it asked for. */
  isExpiryChanged: boolean;
}

export interface ProtocolEngineOptions {
  receiveMaximum: number;
  longestSessionS: number;
  /** Decides about a CONNECT; may change client id, clean start, keepalive and last will. */
  signIn(client: ConnectedClient, packet: IConnectPacket): Promise<Admission | PacketRefusal>;
  /** The client is registered; its CONNACK may not be sent yet. */
  onConnect(client: ConnectedClient): void;
  /** The client has its CONNACK. */
  onReady(client: ConnectedClient): void;
  onDisconnect(client: ConnectedClient): void;
  /** A connection failed; without a client id before the sign-in. */
  onError(clientId: string | undefined, error: Error): void;
  /** Handles packets with messages and subscriptions; undefined: Aedes does. */
  onPacket(client: ConnectedClient, packet: Packet): Promise<unknown> | undefined;
  /** Publishes a last will, unless the client may not. */
  publishWill(client: ConnectedClient, will: Published): void;
  putWill(clientId: string, will: Published): Promise<void>;
  deleteWill(clientId: string): Promise<void>;
  /** The session's time has passed, or it ends with its connection. */
  endSession(clientId: string): Promise<void>;
}

/** Longest keep-alive interval of a client. */
export const KEEPALIVE_LIMIT_S = 3600;
const CONNECT_TIMEOUT_MS = 10_000;
const DRAIN_TIMEOUT_MS = 20_000;
/** The fixed header of a packet. */
const HEADER_BYTES = 5;
/** Packets that a client may send before its CONNACK. */
const MAX_EARLY_PACKETS = 100;
/** Stands for a session that is found: Aedes asks for its subscriptions. */
const PRESENT = [{ topic: "$session", qos: 0 }];

/**
 * Connections of MQTT 3.1.1 and 5 by Aedes: CONNECT and CONNACK, keepalive, takeover, last wills and their delay, the expiry
 * of sessions, PINGREQ and DISCONNECT. Messages and subscriptions are not left to it: live messages would overtake queued
 * ones, and limits of the client, DUP, several subscription identifiers and most reason codes are missing there.
 */
export class ProtocolEngine {
  readonly #options: ProtocolEngineOptions;
  readonly #aedes: Aedes;
  readonly #admissions = new WeakMap<ConnectedClient, Admission>();
  /** Clients whose session was found, until Aedes asks. */
  readonly #present = new Set<string>();

  constructor(options: ProtocolEngineOptions) {
    this.#options = options;
    this.#aedes = new Aedes({
      connectTimeout: CONNECT_TIMEOUT_MS,
      drainTimeout: DRAIN_TIMEOUT_MS,
      keepaliveLimit: KEEPALIVE_LIMIT_S,
      maxClientsIdLength: 128,
      maximumPacketSize: MAX_PACKET_BYTES + HEADER_BYTES,
      receiveMaximum: options.receiveMaximum,
      topicAliasMaximum: TOPIC_ALIAS_MAXIMUM,
      sessionExpiryIntervalLimit: options.longestSessionS,
      persistence: this.#persistence(),
      // Messages are passed on by `MessageRouter`.
      mq: {
        on: () => {},
        removeListener: () => {},
        emit: (_packet: object, done: () => void) => done(),
        close: (done: () => void) => done(),
      },
      preConnect: (client, packet, done) => {
        this.#signIn(client as EngineClient, packet as IConnectPacket).then(
          (error) => done(error ?? null, error === undefined),
          (error: Error) => done(error, false),
        );
      },
      authenticate: (client, _user, _password, done) => {
        const admission = this.#admissions.get(client as EngineClient);
        Object.assign(client, {
          _assignedClientId: admission?.assignedId,
          _sessionExpiryClamped:
            admission?.isExpiryChanged === true || (client as EngineClient)._sessionExpiryClamped,
        });
        done(null, true);
      },
      authorizeSubscribe: (_client, _subscription, done) => done(null, null),
      authorizePublish: (_client, _packet, done) => done(null),
    });
    this.#follow(this.#aedes);
  }

  /** Must have ended before the first connection. */
  async start(): Promise<void> {
    await this.#aedes.listen();
  }

  /** Ends all connections; clients of MQTT 5 are told. */
  stop(): Promise<void> {
    return new Promise((resolve) => this.#aedes.close(resolve));
  }

  /** Serves a connection. */
  handle(stream: Duplex): ConnectedClient {
    const client = this.#aedes.handle(stream) as EngineClient;
    const parser = client._parser;
    const [pass] = parser.listeners("packet");
    parser.removeAllListeners("packet");
    let early: Packet[] | undefined = [];
    const toAedes = (packet: Packet) => pass?.call(parser, packet);
    const dispatch = (packet: Packet) => {
      client._keepaliveTimer?.refresh();
      client._parsingBatch++;
      const handled = this.#handle(client, packet);
      if (handled === undefined) {
        client._parsingBatch--;
        toAedes(packet);
        return;
      }
      const readOn = () => {
        if (!client.closed) client._nextBatch();
      };
      handled.then(readOn, (error: Error) => client.emit("error", error));
    };
    let isFirst = true;
    parser.on("packet", (packet: Packet) => {
      if (isFirst) {
        isFirst = false;
        toAedes(packet);
      } else if (early === undefined) dispatch(packet);
      else if (early.length < MAX_EARLY_PACKETS) early.push(packet);
      else client.emit("error", new Error("Too many packets before the CONNACK."));
    });
    parser.prependListener("error", (error: Error) => {
      if (client.version !== 5 || !client.connected) return;
      const properties = { reasonString: error.message };
      sendTo(client, { cmd: "disconnect", reasonCode: REASON.malformed, properties });
    });
    client.once("connected", () => {
      this.#options.onReady(client);
      const waiting = early ?? [];
      early = undefined;
      for (const packet of waiting) if (!client.closed) dispatch(packet);
    });
    return client;
  }

  /** An error within the parser's event would end the process. */
  #handle(client: ConnectedClient, packet: Packet): Promise<unknown> | undefined {
    try {
      return this.#options.onPacket(client, packet);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #follow(aedes: Aedes): void {
    const { onConnect, onDisconnect, onError } = this.#options;
    // Aedes emits this for errors of storage; its types omit the event. Without a listener it would end the process.
    (aedes as EventEmitter).on("error", (error: Error) => onError(undefined, error));
    aedes.on("client", (client) => onConnect(client as EngineClient));
    aedes.on("clientDisconnect", (client) => onDisconnect(client as EngineClient));
    aedes.on("clientError", (client, error) => onError(client.id, error));
    aedes.on("connectionError", (_client, error) => onError(undefined, error));
    // Called for last wills and for messages about the broker itself, which nobody needs.
    Object.assign(aedes, {
      publish: (packet: Published, ...rest: unknown[]) => {
        const done = rest.at(-1);
        const client = rest.length > 1 ? rest[0] : undefined;
        if (client) this.#options.publishWill(client as EngineClient, packet);
        if (typeof done === "function") done(null);
      },
    });
  }

  /** An error ends the connection; the client has its CONNACK then. */
  async #signIn(client: EngineClient, packet: IConnectPacket): Promise<Error | undefined> {
    const result = await this.#options.signIn(client, packet);
    if ("code" in result) {
      const version = packet.protocolVersion ?? 4;
      client.conn.write(refusalOf(result, version));
      return new Error(result.reason);
    }
    this.#admissions.set(client, result);
    if (result.isPresent) this.#present.add(packet.clientId);
    else this.#present.delete(packet.clientId);
    return undefined;
  }

  /** Where Aedes looks for sessions and stores last wills. */
  #persistence() {
    const { putWill, deleteWill, endSession } = this.#options;
    return {
      setup: async () => {},
      subscriptionsByClient: async ({ id }: { id: string }) => (this.#present.delete(id) ? PRESENT : []),
      // Called at a clean start, too, which `signIn` has taken care of.
      cleanSubscriptions: async ({ id, closed }: EngineClient) => {
        if (closed) await endSession(id);
      },
      outgoingStream: () => Readable.from([]),
      putWill: ({ id }: EngineClient, will: Published) => putWill(id, will),
      delWill: ({ id }: EngineClient) => deleteWill(id),
      streamWill: () => Readable.from([]),
    };
  }
}

/** The CONNACK of a refused client. */
export function refusalOf({ code, reason }: PacketRefusal, version: number): Buffer {
  return encodePacket(
    {
      cmd: "connack",
      sessionPresent: false,
      returnCode: returnCodeOf(code),
      reasonCode: code,
      properties: { reasonString: reason },
    },
    version,
  );
}
