import type { Socket } from "node:net";
import mqtt from "mqtt";
import type { Log } from "./log.js";

export interface ClientOptions {
  /** `mqtt://host:port`. */
  url: string;
  username: string | undefined;
  password: string | undefined;
  /** The same at each start of an installation: a broker knows its session and its last will by it. */
  clientId: string;
  /** True keeps a session on the broker, so that it holds messages while the gateway is away. */
  persistentSession: boolean;
  /** Published, retained, by the broker when this client is lost. */
  will: { topic: string; payload: string };
  /** Filters subscribed to with QoS 1 at each connect. */
  subscriptions: readonly string[];
  /** Connected, and subscribed. */
  onConnect(): void;
  onDisconnect(): void;
  onMessage(topic: string, payload: Buffer, retained: boolean): void;
  log: Log;
}

/** The gateway's own connection to a broker; it reconnects by itself for as long as it is not stopped. */
export interface MqttLink {
  /** Publishes with QoS 1; resolves when the broker has acknowledged, rejects when the link is stopped before. */
  publish(topic: string, payload: string, options: { retain: boolean }): Promise<void>;
  /** Ends. Says goodbye to the broker, which then forgets the last will; `leaveWill` has the broker publish it. */
  stop(options: { leaveWill: boolean }): Promise<void>;
}

const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;

/** Connects and stays connected. */
export function connectMqtt(options: ClientOptions): MqttLink {
  const { log } = options;
  const client = mqtt.connect(options.url, {
    clientId: options.clientId,
    ...(options.username === undefined ? {} : { username: options.username }),
    ...(options.password === undefined ? {} : { password: options.password }),
    clean: !options.persistentSession,
    will: { topic: options.will.topic, payload: Buffer.from(options.will.payload), qos: 1, retain: true },
    keepalive: KEEPALIVE_S,
    reconnectPeriod: RECONNECT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectOnConnackError: true,
    queueQoSZero: false,
    resubscribe: false,
  });
  let connected = false;
  let announced = false;
  let connection = 0;
  let lastProblem = "";
  const report = (problem: string) => {
    // The same problem comes back with every attempt; once is enough.
    if (problem !== lastProblem)
      log.warn({ url: options.url }, `The MQTT connection has a problem: ${problem}`);
    lastProblem = problem;
  };

  client.on("connect", () => {
    (client.stream as Partial<Socket>).setNoDelay?.(true);
    lastProblem = "";
    connected = true;
    const current = ++connection;
    client.subscribe([...options.subscriptions], { qos: 1 }, (error, granted = []) => {
      if (!connected || current !== connection) return;
      const refused = granted.filter(({ qos }) => qos > 2).map(({ topic }) => topic);
      if (error !== null) report(error.message);
      if (refused.length > 0) report(`the broker refuses the subscription to ${refused.join(", ")}`);
      // Only now: who sees the gateway come online and sends something at once must be heard.
      announced = true;
      options.onConnect();
    });
  });
  client.on("close", () => {
    connected = false;
    if (announced) options.onDisconnect();
    announced = false;
  });
  client.on("error", (error) => report(error.message || String((error as { code?: string }).code)));
  client.on("message", (topic, payload, packet) => options.onMessage(topic, payload, packet.retain));

  return {
    publish: (topic, payload, { retain }) =>
      new Promise((resolve, reject) => {
        client.publish(topic, payload, { qos: 1, retain }, (error) => (error ? reject(error) : resolve()));
      }),
    stop: ({ leaveWill }) => {
      if (leaveWill) client.stream?.destroy();
      return new Promise((resolve) => client.end(leaveWill || !connected, {}, () => resolve()));
    },
  };
}
