import type { EventEmitter } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "aedes";
import type { Access } from "../accounts/access.js";
import type { Log } from "../log.js";
import { createBrokerAuthorizer, KEEPALIVE_LIMIT_S } from "./authorizer.js";
import { openPersistence } from "./broker-folder.js";
import { listenTcp, loopbackUrl } from "./listen.js";
import { OrderedAedes } from "./ordered-aedes.js";
import { GuardedSocket, PacketFilter } from "./packet-guard.js";
import { hardenPersistence } from "./persistence.js";
import type { IsMapped } from "./rights.js";
import { type BrokerUser, createBrokerSignIn } from "./sign-in.js";
import type { Topics } from "./topics.js";
import { listenWebSocket, type WebSocketListener } from "./websocket.js";

/** `mqtt.broker` of the configuration, as far as the broker itself goes. */
export interface BrokerSettings {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Port for MQTT over WebSocket; null: none. */
  wsPort: number | null;
  anonymous: boolean;
  users: readonly BrokerUser[];
}

export interface BrokerOptions {
  settings: BrokerSettings;
  /** Retained messages and sessions are kept in `broker` below it. */
  dataFolder: string;
  topics: Topics;
  access(key: string): Access;
  /** What a plant's sign-in may publish besides its own topics. */
  isMapped: IsMapped;
  /** The plants whose maps take something from the topic. */
  mappedSites(topic: string): readonly string[];
  log: Log;
}

export interface Broker {
  readonly port: number;
  /** Port of the WebSocket listener; undefined without one. */
  readonly wsPort: number | undefined;
  /** The retained messages as they are now, text by topic. */
  retained(): ReadonlyMap<string, string>;
  /** Where and as whom the gateway's own client signs in. */
  readonly loopback: { url: string; username: string; password: string };
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const DRAIN_TIMEOUT_MS = 20_000;
const TCP_KEEPALIVE_MS = 60_000;
/** How often the rights of connected clients are looked at again: a revoked key's connection ends within this time. */
const RECHECK_MS = 5_000;
const MAX_CONNECTIONS = 1000;
/** What the end waits at most for messages under way. */
const SETTLE_MS = 300;

/** Starts the embedded broker. Throws BrokerError when it can't listen or its folder can't be used. */
export async function startBroker({
  settings,
  dataFolder,
  topics,
  access,
  isMapped,
  mappedSites,
  log,
}: BrokerOptions): Promise<Broker> {
  const signIn = createBrokerSignIn({ access, users: settings.users, anonymous: settings.anonymous });
  const connected = new Map<string, Client>();
  const persistence = await openPersistence(join(dataFolder, "broker"), log);
  const hardened = await hardenPersistence(persistence, { log, isConnected: (id) => connected.has(id) });
  const gatekeeper = createBrokerAuthorizer({
    signIn,
    topics,
    isMapped,
    mappedSites,
    publish: (packet) => aedes.publish(packet, () => {}),
    log,
  });
  const aedes = new OrderedAedes({
    persistence,
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: DRAIN_TIMEOUT_MS,
    keepaliveLimit: KEEPALIVE_LIMIT_S,
    maxClientsIdLength: 128,
    ...gatekeeper.handlers,
  });
  // Its types leave this event out; without a listener a fault of the disk would end the process.
  (aedes as EventEmitter).on("error", (error: Error) =>
    log.error({ err: error }, "The MQTT broker reports a fault."),
  );
  aedes.on("client", (client) => {
    connected.set(client.id, client);
    hardened.clientCameBack(client.id);
  });
  aedes.on("subscribe", (_subscriptions, client) => gatekeeper.subscribed(client));
  aedes.on("clientDisconnect", (client) => {
    gatekeeper.disconnected(client);
    if (connected.get(client.id) === client) connected.delete(client.id);
  });
  aedes.on("clientError", (client, error) =>
    log.debug({ client: client.id, err: error }, "An MQTT client failed."),
  );
  aedes.on("connectionError", (_client, error) => log.debug({ err: error }, "An MQTT connection failed."));
  await aedes.listen();

  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS });
  server.maxConnections = MAX_CONNECTIONS;
  const serve = (stream: Duplex) => void aedes.handle(new GuardedSocket(stream, new PacketFilter()));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket);
  });
  let webSocket: WebSocketListener | undefined;
  const recheck = setInterval(() => {
    for (const client of connected.values()) if (!gatekeeper.isSignedIn(client)) client.close();
  }, RECHECK_MS).unref();

  const stop = async () => {
    clearInterval(recheck);
    gatekeeper.stop();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A message is acknowledged before it is stored and delivered; one client that does not read must not hold us up.
    await Promise.race([aedes.settled(), wait(SETTLE_MS)]);
    await new Promise<void>((resolve) => aedes.close(resolve));
    for (const socket of sockets) socket.destroy();
    await webSocket?.stop();
    await closed;
    await persistence.destroy();
  };
  try {
    await listenTcp(server, settings);
    if (settings.wsPort !== null)
      webSocket = await listenWebSocket({ host: settings.host, port: settings.wsPort }, serve);
  } catch (error) {
    await stop();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const wsPort = webSocket?.port;
  log.info({ host: settings.host, port, wsPort }, "The MQTT broker is listening.");
  return {
    port,
    wsPort,
    retained: hardened.retained,
    loopback: { url: loopbackUrl(settings.host, port), ...signIn.loopback },
    stop,
  };
}
