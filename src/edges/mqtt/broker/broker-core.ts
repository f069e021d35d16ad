import type { Duplex } from "node:stream";
import type { IConnectPacket } from "mqtt-packet";
import type { ConnectedClient } from "./connected-client.js";
import { type Message, type Published, publishedMessage } from "./message.js";
import { PacketHandler, type PacketHandlerOptions } from "./packet-handler.js";
import { ProtocolEngine, type ProtocolEngineOptions } from "./protocol-engine.js";
import type { BrokerStore } from "./store.js";

/** How long a client may take to come back after a crash of the gateway before its last will is published. */
const ORPHANED_WILL_MS = 240_000;

export interface BrokerCoreOptions
  extends Pick<ProtocolEngineOptions, "signIn" | "onError">,
    Omit<PacketHandlerOptions, "publish"> {
  store: BrokerStore;
  /** Whether a last will may be published; without a client, one of a former run. */
  mayPublishWill(client: ConnectedClient | undefined, will: Published): boolean;
  onConnect(client: ConnectedClient): void;
  onDisconnect(client: ConnectedClient): void;
  /** A message that was published, also by the gateway itself. */
  onMessage(message: Message): void;
}

/** The broker without its listeners and its rules: connections, messages, sessions. */
export class BrokerCore {
  readonly #options: BrokerCoreOptions;
  readonly #engine: ProtocolEngine;
  /** By client id. */
  readonly #connected = new Map<string, ConnectedClient>();
  #willTimer: NodeJS.Timeout | undefined;

  constructor(options: BrokerCoreOptions) {
    const { store, mayPublishWill, now } = options;
    this.#options = options;
    const handler = new PacketHandler({
      ...options,
      publish: (message, { id }) => this.publish(message, id),
    });
    this.#engine = new ProtocolEngine({
      ...options,
      longestSessionS: store.sessions.longestExpiryS,
      signIn: async (client, packet) => {
        const result = await options.signIn(client, packet);
        this.#replace(packet);
        handler.opened(client, packet);
        return result;
      },
      onConnect: (client) => this.#connect(client),
      onReady: (client) => this.#deliverTo(client),
      onDisconnect: (client) => this.#disconnect(client),
      onPacket: (client, packet) => handler.handle(client, packet),
      publishWill: (client, will) => {
        if (mayPublishWill(client, will)) void this.publish(publishedMessage(will, now()), client.id);
      },
      putWill: (clientId, will) => store.putWill(clientId, will),
      deleteWill: (clientId) => store.deleteWill(clientId),
      endSession: (clientId) => store.endSession(clientId),
    });
  }

  get clients(): ConnectedClient[] {
    return [...this.#connected.values()];
  }

  isConnected(clientId: string): boolean {
    return this.#connected.has(clientId);
  }

  async start(): Promise<void> {
    await this.#engine.start();
    this.#willTimer = setTimeout(() => this.#publishOrphanedWills(), ORPHANED_WILL_MS).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#willTimer);
    // A client that does not read would delay the end until its time limit.
    for (const { conn } of this.clients) if (conn.writableNeedDrain) conn.destroy();
    await this.#engine.stop();
    await this.#options.store.idle();
  }

  handle(stream: Duplex): ConnectedClient {
    return this.#engine.handle(stream);
  }

  /** Passes a message on, in the order of the calls; resolves when it is stored. */
  publish(message: Message, fromClientId?: string): Promise<unknown> | undefined {
    const { store, onMessage } = this.#options;
    const retained = message.retain ? store.retain(message) : undefined;
    const queued = store.router.distribute(message, fromClientId);
    onMessage(message);
    return retained === undefined ? queued : Promise.all([retained, queued]);
  }

  /** An earlier connection that does not take its bytes would delay the new one until its time limit. */
  #replace({ clientId }: IConnectPacket): void {
    const earlier = this.#connected.get(clientId);
    if (earlier?.conn.writableNeedDrain === true) earlier.conn.destroy();
  }

  #connect(client: ConnectedClient): void {
    const { store, onConnect } = this.#options;
    // Of three connections with one id that overlap, Aedes ends only the first.
    const earlier = this.#connected.get(client.id);
    if (earlier !== undefined) {
      this.#disconnect(earlier);
      earlier.close();
    }
    this.#connected.set(client.id, client);
    store.connected(client);
    onConnect(client);
    // After a takeover the CONNACK may have been sent before.
    if (client.connected) this.#deliverTo(client);
  }

  #deliverTo(client: ConnectedClient): void {
    if (this.#connected.get(client.id) === client)
      this.#options.store.router.outboxOf(client.id).connect(client);
  }

  #disconnect(client: ConnectedClient): void {
    if (this.#connected.get(client.id) !== client) return;
    this.#connected.delete(client.id);
    this.#options.store.disconnected(client);
    this.#options.onDisconnect(client);
  }

  #publishOrphanedWills(): void {
    const { store, mayPublishWill, now } = this.#options;
    for (const [clientId, will] of store.orphanedWills()) {
      if (mayPublishWill(undefined, will)) void this.publish(publishedMessage(will, now()), clientId);
      void store.deleteWill(clientId);
    }
  }
}
