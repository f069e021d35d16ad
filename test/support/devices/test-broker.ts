import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { MemoryLevel } from "memory-level";
import type { IPublishPacket } from "mqtt-packet";
import { defaultSettings } from "../../../src/config/load.js";
import { silentLog } from "../../../src/core/log.js";
import { BrokerCore } from "../../../src/edges/mqtt/broker/broker-core.js";
import { BrokerBudgets } from "../../../src/edges/mqtt/broker/budget.js";
import type { Message } from "../../../src/edges/mqtt/broker/message.js";
import { REASON } from "../../../src/edges/mqtt/broker/reason-codes.js";
import { BrokerStore } from "../../../src/edges/mqtt/broker/store.js";

export interface Published {
  topic: string;
  text: string;
  qos: number;
  retain: boolean;
  client: string;
}

/** The parts of the broker in memory, without rules: every client may do everything. */
export async function openBroker({
  refuses = () => false,
  onPublish = () => {},
  onMessage = () => {},
}: {
  refuses?(clientId: string): boolean;
  onPublish?(packet: IPublishPacket, clientId: string): void;
  onMessage?(message: Message): void;
} = {}): Promise<{ core: BrokerCore; store: BrokerStore }> {
  const limits = defaultSettings().limits.mqtt;
  const now = () => Date.now();
  const budgets = new BrokerBudgets(limits, { onRefused: () => {}, now });
  const store = new BrokerStore({
    database: new MemoryLevel<string, string>() as never,
    limits,
    budgets,
    isNeverRetained: () => false,
    isGatewayTopic: () => true,
    isConnected: (id) => core.isConnected(id),
    mayReceive: () => true,
    now,
    log: silentLog,
  });
  await store.open();
  const core = new BrokerCore({
    store,
    budgets,
    now,
    maxFilters: 500,
    receiveMaximum: 400,
    signIn: async (_client, { clientId }) =>
      refuses(clientId)
        ? { code: REASON.notAuthorised, reason: "The broker refuses all clients." }
        : { isPresent: false, assignedId: undefined, isExpiryChanged: false },
    checkPublish: ({ id }, packet) => {
      onPublish(packet, id);
      return undefined;
    },
    checkSubscription: () => undefined,
    onSubscriptionRefused: () => {},
    mayPublishWill: (client, { topic, payload, qos, retain }) => {
      onPublish({ cmd: "publish", topic, payload, qos, retain, dup: false }, client?.id ?? "");
      return true;
    },
    charge: () => {},
    onConnect: () => {},
    onDisconnect: () => {},
    onMessage,
    onError: () => {},
  });
  await core.start();
  return { core, store };
}

/** A broker outside the gateway that records what its clients publish. */
export class TestBroker {
  readonly published: Published[] = [];
  /** Refuses all sign-ins. */
  refuses = false;
  readonly #sockets = new Set<Socket>();
  readonly #retained = new Map<string, string>();
  #refused: RegExp | undefined;
  #core: BrokerCore | undefined;
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `mqtt://127.0.0.1:${this.#port}`;
  }

  /** Accepts clients again that were cut. */
  allow(): void {
    this.#refused = undefined;
  }

  /** Starts on the same port as before; sessions of the former run are lost, and retained messages unless they were kept. */
  async start({ keepsRetained = false } = {}): Promise<void> {
    const { core } = await openBroker({
      refuses: (id) => this.refuses || this.#refused?.test(id) === true,
      onPublish: ({ topic, payload, qos, retain }, client) => {
        const text = payload.toString();
        if (retain) this.#retained.set(topic, text);
        this.published.push({ topic, text, qos, retain, client });
      },
    });
    this.#core = core;
    if (keepsRetained) for (const [topic, text] of this.#retained) await this.retain(topic, text);
    else this.#retained.clear();
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
      core.handle(socket);
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Publishes a retained message that no device has sent. */
  async retain(topic: string, text: string): Promise<void> {
    await this.#core?.publish({ topic, payload: Buffer.from(text), qos: 0, retain: true });
  }

  /** Breaks the connections of clients with such an id, and refuses new ones. */
  cut(id: RegExp): void {
    this.#refused = id;
    for (const client of this.#core?.clients ?? []) if (id.test(client.id)) client.conn.destroy();
  }

  /** Cuts all connections; last wills are published to nobody. */
  async stop(): Promise<void> {
    const [core, server] = [this.#core, this.#server];
    if (core === undefined || server === undefined) return;
    this.#core = this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    server.close();
    await once(server, "close");
    await core.stop();
  }
}
