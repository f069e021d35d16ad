import type { Socket } from "node:net";
import mqtt, { type IPublishPacket } from "mqtt";
import type { Log } from "../log.js";

export interface ClientOptions {
  /** `mqtt://host:port`; `mqtts`, `ws` and `wss` too. */
  url: string;
  username: string | undefined;
  password: string | undefined;
  /** The same at each start of an installation: a broker knows its session and its last will by it. */
  clientId: string;
  /**
   * True for a broker that outlives the gateway: it keeps a session, in which messages wait while the gateway is away,
   * and gets its PUBACK only when `onMessage` has resolved. MQTT 5 is spoken where the broker knows it.
   */
  persistentSession: boolean;
  /** Published, retained, by the broker when this client is lost. */
  will: { topic: string; payload: string };
  /** Filters subscribed to with QoS 1 at each connect. */
  subscriptions: readonly string[];
  /** Connected, and subscribed; `refused` are the filters that the broker does not let the client have. */
  onConnect(refused: readonly string[]): void;
  /** The filters were changed meanwhile; `refused` are all that it does not have now. */
  onSubscribed?(refused: readonly string[]): void;
  onDisconnect(): void;
  /** What keeps the client away from the broker, one sentence; told once for each new reason. */
  onProblem?(problem: string): void;
  /** Resolves when the message may be acknowledged to the broker. */
  onMessage(topic: string, payload: Buffer, arrival: ReceivedMessage): Promise<void>;
  log: Log;
}

export interface ReceivedMessage {
  /** It was there before the subscription. */
  retained: boolean;
  /** Where a client of MQTT 5 wants the answer, and with which mark; without a topic: at the usual place. */
  replyTo: { topic: string | undefined; correlation: Buffer | undefined } | undefined;
}

/** The gateway's own connection to a broker; it reconnects by itself for as long as it is not stopped. */
export interface MqttLink {
  /** Publishes with QoS 1; resolves when the broker has acknowledged, rejects when the link is stopped before. */
  publish(
    topic: string,
    payload: string,
    options: { retain: boolean; correlation?: Buffer | undefined },
  ): Promise<void>;
  /** Takes these filters in place of those before, now and at each connect. */
  subscribeTo(filters: readonly string[]): void;
  /** Ends. Says goodbye to the broker, which then forgets the last will; `leaveWill` has the broker publish it. */
  stop(options: { leaveWill: boolean }): Promise<void>;
}

const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
/** The largest of MQTT 5: the session does not end by itself, as in MQTT 3.1.1. */
const SESSION_NEVER_EXPIRES_S = 0xffffffff;
/** CONNACK codes of a broker that knows no MQTT 5: that of 5 itself, and that of 3.1.1. */
const VERSION_REFUSED = [132, 1];
const REFUSED = 128;

/** Connects and stays connected. */
export function connectMqtt(options: ClientOptions): MqttLink {
  const { log, persistentSession } = options;
  const client = mqtt.connect(options.url, {
    clientId: options.clientId,
    ...(options.username === undefined ? {} : { username: options.username }),
    ...(options.password === undefined ? {} : { password: options.password }),
    clean: !persistentSession,
    protocolVersion: persistentSession ? 5 : 4,
    ...(persistentSession ? { properties: { sessionExpiryInterval: SESSION_NEVER_EXPIRES_S } } : {}),
    will: { topic: options.will.topic, payload: Buffer.from(options.will.payload), qos: 1, retain: true },
    keepalive: KEEPALIVE_S,
    reconnectPeriod: RECONNECT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectOnConnackError: true,
    queueQoSZero: false,
    resubscribe: false,
  });
  let filters = [...options.subscriptions];
  const refused = new Set<string>();
  let connected = false;
  let announced = false;
  let connection = 0;
  let lastProblem = "";
  const report = (problem: string) => {
    // The same problem comes back with every attempt; once is enough.
    if (problem === lastProblem) return;
    lastProblem = problem;
    log.warn({ url: redactUrl(options.url) }, `The MQTT connection has a problem: ${problem}`);
    options.onProblem?.(problem);
  };
  /** What is refused is no fault of the connection, which goes on: it is logged, and told with the others. */
  const subscribe = (wanted: string[], done: () => void) => {
    const current = connection;
    if (wanted.length === 0) return done();
    client.subscribe(wanted, { qos: 1 }, (error, _granted, packet) => {
      if (!connected || current !== connection) return;
      const codes = packet?.granted ?? [];
      const byCode = wanted.filter((_filter, index) => Number(codes[index]) >= REFUSED);
      const lost = error && byCode.length === 0 ? wanted : byCode;
      if (lost.length > 0)
        log.warn(
          { url: redactUrl(options.url) },
          `The MQTT broker refuses the subscription to ${lost.join(", ")}.`,
        );
      for (const filter of lost) if (filters.includes(filter)) refused.add(filter);
      done();
    });
  };

  client.on("connect", () => {
    (client.stream as Partial<Socket>).setNoDelay?.(true);
    lastProblem = "";
    connected = true;
    connection++;
    // Only then: who sees the gateway come online and sends something at once must be heard.
    refused.clear();
    subscribe(filters, () => {
      announced = true;
      options.onConnect([...refused]);
    });
  });
  client.on("close", () => {
    connected = false;
    if (announced) options.onDisconnect();
    announced = false;
  });
  client.on("error", (error) => {
    const code = (error as { code?: number | string }).code;
    if (client.options.protocolVersion === 5 && VERSION_REFUSED.includes(Number(code))) {
      // The next attempt reads the version from here.
      client.options.protocolVersion = 4;
      delete client.options.properties;
      log.info({}, "The MQTT broker does not know MQTT 5; the gateway speaks 3.1.1 with it.");
      return;
    }
    report(error.message || String(code));
  });
  // The library reads on, and sends the PUBACK, when `done` is called. Until then nothing more of the broker is read, so
  // that a slow disk slows the broker down and nothing piles up here.
  client.handleMessage = (packet, done) => {
    const stream = client.stream;
    const taken = options
      .onMessage(packet.topic, Buffer.from(packet.payload), arrivalOf(packet))
      .catch((error: unknown) =>
        log.error({ topic: packet.topic, err: error }, "An MQTT message could not be handled."),
      );
    if (!persistentSession || packet.qos === 0) return done();
    // An acknowledgement belongs to the connection that brought the message: on a new one it could name another.
    void taken.then(() => client.stream === stream && done());
  };

  return {
    publish: (topic, payload, { retain, correlation }) =>
      new Promise((resolve, reject) => {
        const properties =
          correlation !== undefined && client.options.protocolVersion === 5
            ? { properties: { correlationData: correlation } }
            : {};
        client.publish(topic, payload, { qos: 1, retain, ...properties }, (error) =>
          error ? reject(error) : resolve(),
        );
      }),
    subscribeTo: (wanted) => {
      const before = filters;
      filters = [...wanted];
      if (!connected) return;
      const gone = before.filter((filter) => !filters.includes(filter));
      for (const filter of gone) refused.delete(filter);
      if (gone.length > 0) client.unsubscribe(gone, () => {});
      subscribe(
        filters.filter((filter) => !before.includes(filter)),
        () => {
          if (announced) options.onSubscribed?.([...refused]);
        },
      );
    },
    stop: ({ leaveWill }) => {
      if (leaveWill) client.stream?.destroy();
      return new Promise((resolve) => client.end(leaveWill || !connected, {}, () => resolve()));
    },
  };
}

function arrivalOf({ retain, properties }: IPublishPacket): ReceivedMessage {
  const { responseTopic: topic, correlationData: correlation } = properties ?? {};
  const asksNothing = topic === undefined && correlation === undefined;
  return { retained: retain, replyTo: asksNothing ? undefined : { topic, correlation } };
}

/** An address may carry a user name and a password; they have no place in a log. */
export function redactUrl(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}
