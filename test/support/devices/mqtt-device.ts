import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Aedes, AedesPublishPacket, Client } from "aedes";
import mqtt, { type MqttClient } from "mqtt";
import type { Clock } from "../../../src/core/time/clock.js";
import { OrderedAedes } from "../../../src/edges/mqtt/broker/ordered-aedes.js";
import { Device } from "./device.js";

export interface Published {
  topic: string;
  text: string;
  qos: number;
  retain: boolean;
  client: string;
}

/** A broker outside the gateway that records what its clients publish. */
export class TestBroker {
  readonly published: Published[] = [];
  /** Refuses all sign-ins. */
  refuses = false;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Client>();
  readonly #retained = new Map<string, string>();
  #refused: RegExp | undefined;
  #aedes: Aedes | undefined;
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
    // Plain Aedes loses a message that overtakes a retained one.
    const aedes = new OrderedAedes({});
    await aedes.listen();
    if (keepsRetained) for (const [topic, text] of this.#retained) await retain(aedes, topic, text);
    else this.#retained.clear();
    aedes.authenticate = (client, _user, _password, done) =>
      done(null, !this.refuses && !this.#refused?.test(client.id));
    aedes.on("client", (client: Client) => void this.#clients.add(client));
    aedes.on("clientDisconnect", (client: Client) => void this.#clients.delete(client));
    aedes.on("publish", ({ topic, payload, qos, retain }: AedesPublishPacket, client: Client | null) => {
      if (retain) this.#retained.set(topic, payload.toString());
      if (client !== null)
        this.published.push({ topic, text: payload.toString(), qos, retain, client: client.id });
    });
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
      aedes.handle(socket);
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#aedes = aedes;
    this.#server = server;
  }

  /** Publishes a retained message that no device has sent. */
  async retain(topic: string, text: string): Promise<void> {
    if (this.#aedes !== undefined) await retain(this.#aedes, topic, text);
  }

  /** Breaks the connections of clients with such an id, and refuses new ones. */
  cut(id: RegExp): void {
    this.#refused = id;
    for (const client of this.#clients) if (id.test(client.id)) client.conn.destroy();
  }

  /** Cuts all connections; last wills are published to nobody. */
  async stop(): Promise<void> {
    const [aedes, server] = [this.#aedes, this.#server];
    if (aedes === undefined || server === undefined) return;
    this.#aedes = this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    server.close();
    await once(server, "close");
    await new Promise<void>((done) => aedes.close(done));
  }
}

function retain(aedes: Aedes, topic: string, text: string): Promise<void> {
  const payload = Buffer.from(text);
  const packet = { cmd: "publish", topic, payload, qos: 0, retain: true, dup: false } as const;
  return new Promise((done) => aedes.publish(packet, () => done()));
}

/** A device that is a client of a broker. */
export abstract class MqttDevice extends Device {
  readonly #url: string;
  #client: MqttClient | undefined;

  constructor(clock: Clock, brokerUrl: string) {
    super(clock);
    this.#url = brokerUrl;
  }

  /** Filters of the topics with commands. */
  protected abstract filters(): string[];
  protected abstract hear(topic: string, text: string): void;
  /** Publishes all readings, as after a start. */
  protected abstract announce(): void;

  async start(): Promise<void> {
    const { will } = this;
    const client = mqtt.connect(this.#url, {
      reconnectPeriod: 20,
      queueQoSZero: false,
      ...(will && { will: { topic: will.topic, payload: Buffer.from(will.text), qos: 1, retain: true } }),
    });
    this.#client = client;
    client.on("error", () => {});
    client.on("message", (topic, payload) => {
      if (payload.length > 0 || this.hearsEmpty) this.#heard(topic, payload.toString());
    });
    const ready = async () => {
      await client.subscribeAsync(this.filters(), { qos: 1 });
      this.announce();
    };
    await new Promise<void>((resolve) => client.once("connect", () => resolve()));
    await ready();
    client.on("connect", () => void ready().catch(() => {}));
  }

  async stop(): Promise<void> {
    await this.#client?.endAsync(true);
    this.#client = undefined;
  }

  /** Published by the broker when the device is gone. */
  protected get will(): { topic: string; text: string } | undefined {
    return undefined;
  }

  /** Whether an empty payload is a request of its own. */
  protected get hearsEmpty(): boolean {
    return false;
  }

  protected say(topic: string, value: unknown, { retain = true } = {}): void {
    if (this.faults.silent) return;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const send = () => void this.#client?.publish(topic, text, { retain, qos: 0 });
    if (this.faults.lateMs > 0) this.after(this.faults.lateMs, send);
    else send();
  }

  #heard(topic: string, text: string): void {
    if (!this.faults.silent) this.hear(topic, text);
  }
}
