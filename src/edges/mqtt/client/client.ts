import { createConnection, type LookupFunction, type Socket } from "node:net";
import mqtt, { type IClientOptions, type IConnackPacket, type IPublishPacket, MqttClient } from "mqtt";
import type { Log } from "../../../core/log.js";
import { Acknowledgements, MOST_UNACKNOWLEDGED } from "./acknowledgements.js";
import type { BrokerConnection, PublishOptions, ReceivedMessage } from "./connection.js";
import { limitPackets, type PacketLimits } from "./packet-limits.js";

export interface ClientOptions {
  /** `mqtt://host:port`; `mqtts`, `ws` and `wss` too. */
  url: string;
  username: string | undefined;
  password: string | undefined;
  /** Finds the addresses of the broker's name; the default is the operating system's. */
  lookup?: LookupFunction | undefined;
  /** For a broker that is not the gateway's; default: any packets. */
  limits?: PacketLimits | undefined;
  /** Certificates (PEM) to trust instead of Node's, for `mqtts` and `wss`. */
  ca?: string | undefined;
  /** Must be the same at each start of an installation: the broker identifies session and last will by it. */
  clientId: string;
  /**
   * True for the broker of the gateway: it keeps a session that stores messages while the gateway is offline, and gets its
   * PUBACK only when `onMessage` has resolved. Uses MQTT 5 if the broker supports it.
   */
  persistentSession: boolean;
  /** Published by the broker when the connection is lost; retained unless stated. */
  will: { topic: string; payload: string; retain?: boolean } | undefined;
  /** Filters subscribed to with QoS 1 at each connect. */
  subscriptions: readonly string[];
  /** Connected and subscribed; `refused` lists the filters that the broker has refused. */
  onConnect(refused: readonly string[]): void;
  /** Called after `subscribeTo`; `refused` lists all filters that the broker has refused. */
  onSubscribed?(refused: readonly string[]): void;
  onDisconnect(): void;
  /** A connection problem as one sentence; called once for each new problem. */
  onProblem?(problem: string): void;
  /** Resolves when the message may be acknowledged to the broker. */
  onMessage(topic: string, payload: Buffer, arrival: ReceivedMessage): Promise<void>;
  log: Log;
}

const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
const NO_BROKER = "what is there does not answer as an MQTT broker (check host and port)";
/** A connection that lasted longer has worked: a problem that ends it is a new one. */
const SERVED_MS = 10_000;
const END_WITHIN_MS = 2_000;
/** Largest value of MQTT 5: the session does not expire, as in MQTT 3.1.1. */
const SESSION_NEVER_EXPIRES_S = 0xffffffff;
/** CONNACK codes of a broker without MQTT 5 support: 132 of MQTT 5, 1 of MQTT 3.1.1. */
const VERSION_REFUSED = [132, 1];
const REFUSED = 128;
/** Payloads have up to 256 KiB, topics up to 64. */
const LARGEST_PACKET = 512 * 1024;
/** Most messages that are published at a time. */
const MOST_PUBLISHED = 16;
/** What a broker with MQTT 5 accepts at a time if it does not say so. */
const RECEIVE_MAXIMUM = 65_535;
/** Filters per SUBSCRIBE packet; brokers limit them. */
const FILTERS_PER_PACKET = 100;

/** A connection to a broker over the network. Reconnects until it is stopped. */
export class MqttConnection implements BrokerConnection {
  readonly #options: ClientOptions;
  readonly #refused = new Set<string>();
  #client: MqttClient | undefined;
  #filters: string[];
  #connected = false;
  #publishedAtOnce = 1;
  /** `onConnect` was called for the current connection. */
  #announced = false;
  /** Number of the current connection. */
  #connection = 0;
  #lastProblem = "";
  /** Of the last connection since the last problem, monotonic; NaN: there was none. */
  #connectedAtMs = Number.NaN;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#filters = [...options.subscriptions];
  }

  get isConnected(): boolean {
    return this.#announced;
  }

  /** Brokers based on Aedes, without MQTT 5, lose messages that are overtaken. */
  get publishedAtOnce(): number {
    return this.#publishedAtOnce;
  }

  /** Starts connecting; the callbacks report progress. */
  start(): void {
    const options = this.#options;
    const client = this.#open();
    this.#client = client;
    client.on("connect", (connack) => this.#onConnect(client, connack));
    client.on("close", () => {
      this.#connected = false;
      if (this.#announced) options.onDisconnect();
      this.#announced = false;
    });
    client.on("error", (error) => this.#onError(client, error));
    const acknowledgements = new Acknowledgements(client);
    client.handleMessage = (packet, done) => {
      const handled = options
        .onMessage(packet.topic, Buffer.from(packet.payload), arrivalOf(packet))
        .catch((error: unknown) =>
          options.log.error({ topic: packet.topic, err: error }, "An MQTT message could not be handled."),
        );
      if (!options.persistentSession || packet.qos === 0) done();
      else acknowledgements.add(packet, handled, done);
    };
  }

  publish(
    topic: string,
    payload: string | Buffer,
    { retain, correlation, responseTopic }: PublishOptions,
  ): Promise<void> {
    const client = this.#client;
    if (client === undefined) return Promise.reject(new Error("not started"));
    const given = {
      ...(correlation !== undefined && { correlationData: correlation }),
      ...(responseTopic !== undefined && { responseTopic }),
    };
    const hasProperties = client.options.protocolVersion === 5 && Object.keys(given).length > 0;
    const properties = hasProperties ? { properties: given } : {};
    return new Promise((resolve, reject) => {
      client.publish(topic, payload, { qos: 1, retain, ...properties }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  /** Replaces the filters, now and for later connects. */
  subscribeTo(wanted: readonly string[]): void {
    const before = new Set(this.#filters);
    this.#filters = [...wanted];
    if (!this.#connected) return;
    const kept = new Set(wanted);
    const removed = [...before].filter((filter) => !kept.has(filter));
    for (const filter of removed) this.#refused.delete(filter);
    for (const part of inParts(removed)) this.#client?.unsubscribe(part, () => {});
    const added = this.#filters.filter((filter) => !before.has(filter));
    void this.#subscribe(added, () => {
      if (this.#announced) this.#options.onSubscribed?.([...this.#refused]);
    });
  }

  /** Disconnects. The broker discards the last will; with `leaveWill` it publishes it. */
  stop({ leaveWill }: { leaveWill: boolean }): Promise<void> {
    const client = this.#client;
    if (client === undefined) return Promise.resolve();
    if (leaveWill) client.stream?.destroy();
    // A broker that does not close the connection is not waited for.
    const cut = setTimeout(() => client.stream?.destroy(), END_WITHIN_MS);
    return new Promise((resolve) =>
      client.end(leaveWill || !this.#connected, {}, () => {
        clearTimeout(cut);
        resolve();
      }),
    );
  }

  #open(): MqttClient {
    const { url, username, password, ca, clientId, persistentSession, will, lookup, limits } = this.#options;
    const client = connectTo(url, lookup, {
      clientId,
      manualConnect: true,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(ca === undefined ? {} : { ca }),
      clean: !persistentSession,
      protocolVersion: persistentSession ? 5 : 4,
      ...(persistentSession
        ? {
            properties: {
              sessionExpiryInterval: SESSION_NEVER_EXPIRES_S,
              receiveMaximum: MOST_UNACKNOWLEDGED,
              // A broker discards what is larger.
              maximumPacketSize: LARGEST_PACKET,
            },
          }
        : {}),
      ...(will && {
        will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: will.retain ?? true },
      }),
      keepalive: KEEPALIVE_S,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectOnConnackError: true,
      queueQoSZero: false,
      resubscribe: false,
    });
    if (limits !== undefined) limitPackets(client, limits);
    return client.connect();
  }

  #onConnect(client: MqttClient, { properties }: IConnackPacket): void {
    (client.stream as Partial<Socket>).setNoDelay?.(true);
    this.#connectedAtMs = performance.now();
    this.#connected = true;
    this.#connection++;
    const accepted =
      client.options.protocolVersion === 5 ? (properties?.receiveMaximum ?? RECEIVE_MAXIMUM) : 1;
    // Half of what the broker accepts is left for commands to devices.
    this.#publishedAtOnce = Math.min(MOST_PUBLISHED, Math.max(1, Math.floor(accepted / 2)));
    this.#refused.clear();
    // Reported only after the SUBACK: messages sent as soon as the gateway is online must be received.
    void this.#subscribe(this.#filters, () => {
      this.#announced = true;
      this.#options.onConnect([...this.#refused]);
    });
  }

  #onError(client: MqttClient, error: Error): void {
    const code = (error as { code?: number | string }).code;
    if (client.options.protocolVersion === 5 && VERSION_REFUSED.includes(Number(code))) {
      // The next attempt uses these options.
      client.options.protocolVersion = 4;
      delete client.options.properties;
      this.#options.log.info({}, "The MQTT broker does not support MQTT 5; the gateway uses 3.1.1.");
      return;
    }
    // Errors of the MQTT library have no code: before the connection is made, something else than a broker has answered.
    const isStranger = !this.#connected && (code === undefined || code === "EPROTO");
    const problem = isStranger ? NO_BROKER : error.message || String(code);
    // The same problem repeats with every attempt, also where a connection ends again at once.
    if (problem === this.#lastProblem && !(performance.now() - this.#connectedAtMs > SERVED_MS)) return;
    this.#lastProblem = problem;
    this.#connectedAtMs = Number.NaN;
    this.#options.log.warn(
      { url: redactUrl(this.#options.url) },
      `The MQTT connection has a problem: ${problem}`,
    );
    this.#options.onProblem?.(problem);
  }

  /** Subscribes in packets of limited size. `done` is not called if the connection is lost before the last SUBACK. */
  async #subscribe(wanted: readonly string[], done: () => void): Promise<void> {
    const connection = this.#connection;
    for (const part of inParts(wanted)) {
      await this.#subscribePart(part, connection);
      if (!this.#connected || connection !== this.#connection) return;
    }
    done();
  }

  /** A refused filter is not a connection problem: it is logged and reported with the others. */
  #subscribePart(wanted: string[], connection: number): Promise<void> {
    return new Promise((resolve) => {
      this.#client?.subscribe(wanted, { qos: 1 }, (error, _granted, packet) => {
        resolve();
        if (!this.#connected || connection !== this.#connection) return;
        const codes = packet?.granted ?? [];
        const byCode = wanted.filter((_filter, index) => Number(codes[index]) >= REFUSED);
        const lost = error && byCode.length === 0 ? wanted : byCode;
        if (lost.length > 0)
          this.#options.log.warn(
            { url: redactUrl(this.#options.url) },
            `The MQTT broker refuses the subscription to ${lost.join(", ")}.`,
          );
        for (const filter of lost) if (this.#filters.includes(filter)) this.#refused.add(filter);
      });
    });
  }
}

/** The library passes a lookup on for all protocols except MQTT over TCP. */
function connectTo(text: string, lookup: LookupFunction | undefined, options: IClientOptions): MqttClient {
  if (lookup === undefined) return mqtt.connect(text, options);
  const { protocol, hostname, port, username, password } = new URL(text);
  if (protocol !== "mqtt:" && protocol !== "tcp:")
    return mqtt.connect(text, { ...options, lookup, wsOptions: { lookup } } as IClientOptions);
  const at = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 1883), lookup };
  return new MqttClient(() => createConnection(at), {
    ...options,
    ...(options.username === undefined && username !== "" && { username: decodeURIComponent(username) }),
    ...(options.password === undefined && password !== "" && { password: decodeURIComponent(password) }),
  });
}

function inParts(filters: readonly string[]): string[][] {
  const parts = Math.ceil(filters.length / FILTERS_PER_PACKET);
  return Array.from({ length: parts }, (_, index) =>
    filters.slice(index * FILTERS_PER_PACKET, (index + 1) * FILTERS_PER_PACKET),
  );
}

function arrivalOf({ retain, properties }: IPublishPacket): ReceivedMessage {
  const { responseTopic: topic, correlationData: correlation } = properties ?? {};
  const hasNoReply = topic === undefined && correlation === undefined;
  return { retained: retain, replyTo: hasNoReply ? undefined : { topic, correlation } };
}

/** The URL without user name and password, for logs. */
export function redactUrl(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}
