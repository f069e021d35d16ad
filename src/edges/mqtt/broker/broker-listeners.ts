import type { IncomingHttpHeaders } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import type { MqttSettings } from "../../../config/settings.js";
import type { BrokerPorts } from "../../../core/domain/component-sentence.js";
import type { Log } from "../../../core/log.js";
import { type HostNames, isSameHost } from "../../../core/net/host-names.js";
import { type TlsContext, TlsFileWatcher } from "../../../core/net/tls-files.js";
import { GuardedSocket } from "./guarded-socket.js";
import { listenTcp } from "./listen.js";
import { encodePacket } from "./message.js";
import { PacketError, PacketFilter, ProtocolVersionError } from "./packet-guard.js";
import { refusalOf } from "./protocol-engine.js";
import type { BrokerUser } from "./sign-in.js";
import { WebSocketListener } from "./websocket.js";

interface AdmissionLimits {
  /** Connections that have not signed in yet. */
  unauthenticated: number;
  unauthenticated_per_address: number;
}

/**
 * Limits connections without sign-in, in total and per address. When a limit is reached the oldest of them is closed, so
 * that idle connections never keep a device out: a device signs in within milliseconds.
 */
class ConnectionAdmission {
  readonly #limits: AdmissionLimits;
  /** Oldest first. */
  readonly #waiting = new Map<string, Socket>();
  readonly #onRefused: (address: string) => void;

  constructor(limits: AdmissionLimits, onRefused: (address: string) => void) {
    this.#limits = limits;
    this.#onRefused = onRefused;
  }

  /** Takes a new connection; it counts until it signs in or closes. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    const address = socket.remoteAddress ?? "";
    this.#waiting.set(key, socket);
    socket.once("close", () => this.#waiting.delete(key));
    const ofAddress = [...this.#waiting].filter(([, other]) => other.remoteAddress === address);
    const isFull = ofAddress.length > this.#limits.unauthenticated_per_address;
    const [oldest] = isFull ? ofAddress : this.#waiting;
    if ((isFull || this.#waiting.size > this.#limits.unauthenticated) && oldest !== undefined) {
      this.#waiting.delete(oldest[0]);
      this.#onRefused(oldest[1].remoteAddress ?? "");
      oldest[1].destroy();
    }
  }

  /** The connection has signed in; of a TLS connection this is called with the TLS socket. */
  signedIn(socket: Socket): void {
    this.#waiting.delete(keyOf(socket));
  }
}

/** The same for a TLS socket and the TCP socket below it. */
function keyOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}

/** `mqtt.broker` of the configuration, as far as the broker itself uses it; port 0 takes any free one. */
export type BrokerSettings = Pick<
  MqttSettings["broker"],
  "host" | "port" | "ws_port" | "anonymous" | "tls"
> & {
  users: readonly BrokerUser[];
};

export interface BrokerListenersOptions {
  settings: BrokerSettings;
  connections: AdmissionLimits;
  hosts: Pick<HostNames, "accepts">;
  /** Serves a connection, whose packets are checked. */
  serve(stream: GuardedSocket): void;
  /** A client was refused because of the version of its protocol. */
  onProtocolRefused(address: string, level: number): void;
  log: Log;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const TCP_KEEPALIVE_MS = 60_000;
/** Time that clients have to close their connections when the broker stops. */
const GOODBYE_MS = 100;

/** The ports of the broker: TCP, TLS, and WebSocket with and without TLS. */
export class BrokerListeners {
  readonly #options: BrokerListenersOptions;
  readonly #admission: ConnectionAdmission;
  readonly #sockets = new Set<Socket>();
  readonly #servers: (Server | TlsServer)[] = [];
  readonly #webSockets: WebSocketListener[] = [];
  #tlsFiles: TlsFileWatcher | undefined;
  #closed: Promise<unknown> = Promise.resolve();
  /** Open ports; undefined for listeners that are off. */
  readonly ports: BrokerPorts = {};

  constructor(options: BrokerListenersOptions) {
    this.#options = options;
    this.#admission = new ConnectionAdmission(options.connections, (address) =>
      options.log.debug({ address }, "An MQTT connection without sign-in was closed: there are too many."),
    );
  }

  /** Resolves when all ports are open. Throws BrokerError. */
  async start(): Promise<void> {
    const { host, port, ws_port, tls } = this.#options.settings;
    const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS };
    const plain = createServer(options);
    plain.on("connection", (socket) => {
      this.#accept(socket);
      this.#serve(socket, socket);
    });
    this.#servers.push(plain);
    await listenTcp(plain, { host, port });
    this.ports.tcp = (plain.address() as AddressInfo).port;
    if (ws_port !== null)
      this.ports.ws = await this.#listenWebSocket({ port: ws_port, key: "mqtt.broker.ws_port" });
    if (tls === null) return;
    this.#tlsFiles = new TlsFileWatcher(tls, { section: "mqtt.broker.tls", log: this.#options.log });
    let secure: TlsServer | undefined;
    const context = await this.#tlsFiles.start((changed) => {
      secure?.setSecureContext(changed);
      for (const listener of this.#webSockets) listener.setTls(changed);
    });
    secure = createTlsServer({ ...options, ...context, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
    secure.on("connection", (socket: Socket) => this.#accept(socket));
    secure.on("secureConnection", (socket) => this.#serve(socket, socket));
    this.#servers.push(secure);
    await listenTcp(secure, { host, port: tls.port }, "mqtt.broker.tls.port");
    this.ports.tls = (secure.address() as AddressInfo).port;
    if (tls.ws_port !== null)
      this.ports.wss = await this.#listenWebSocket({
        port: tls.ws_port,
        key: "mqtt.broker.tls.ws_port",
        tls: context,
      });
  }

  /** Accepts no new connections. */
  close(): void {
    this.#tlsFiles?.stop();
    this.#closed = Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
  }

  /** Resolves when all connections are closed; what the broker has told the clients before arrives. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, GOODBYE_MS);
    for (const listener of this.#webSockets) await listener.stop();
    await this.#closed;
    clearTimeout(timer);
  }

  async #listenWebSocket(listener: { port: number; key: string; tls?: TlsContext }): Promise<number> {
    const webSocket = new WebSocketListener({
      host: this.#options.settings.host,
      ...listener,
      accepts: ({ headers }) => this.#isOwnPage(headers),
      onSocket: (socket) => this.#accept(socket),
      onConnection: (stream, socket) => this.#serve(stream, socket),
    });
    await webSocket.start();
    this.#webSockets.push(webSocket);
    return webSocket.port;
  }

  /** Without sign-in any page that the browser of the household shows could speak to the broker. */
  #isOwnPage({ origin, host }: IncomingHttpHeaders): boolean {
    const { settings, hosts } = this.#options;
    return !settings.anonymous || (hosts.accepts(host) && isSameHost(origin, host));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    this.#admission.add(socket);
  }

  #serve(stream: Duplex, socket: Socket): void {
    const filter = new PacketFilter();
    const address = socket.remoteAddress ?? "";
    const connection = new GuardedSocket(stream, {
      filter,
      address,
      onSignedIn: () => this.#admission.signedIn(socket),
      answerError: (error) => this.#answerError(error, { address, version: filter.version }),
    });
    this.#options.serve(connection);
  }

  /** What a client is told whose packets end its connection. */
  #answerError(error: Error, { address, version }: { address: string; version: number | undefined }) {
    if (!(error instanceof PacketError)) return undefined;
    const { code, message } = error;
    if (error instanceof ProtocolVersionError) {
      this.#options.onProtocolRefused(address, error.level);
      return refusalOf({ code, reason: message }, error.level < 5 ? 4 : 5);
    }
    if (version !== 5) return undefined;
    return encodePacket(
      { cmd: "disconnect", reasonCode: code, properties: { reasonString: message } },
      version,
    );
  }
}
