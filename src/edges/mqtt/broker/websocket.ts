import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { TlsContext } from "../../../core/net/tls-files.js";
import { listenTcp } from "./listen.js";
import { MAX_PACKET_BYTES } from "./packet-guard.js";

/** A frame may hold several packets; the broker limits the packets. */
const MAX_FRAME_BYTES = 16 * MAX_PACKET_BYTES;
/** Bytes of frames that have begun and are not complete, of all connections together. */
const MAX_BEGUN_BYTES = 8 * MAX_FRAME_BYTES;
/** Time limit of the HTTP upgrade. */
const UPGRADE_MS = 5_000;

export interface WebSocketListenerOptions {
  host: string;
  port: number;
  /** Key of the configuration that sets the port. */
  key: string;
  /** With a certificate the listener uses TLS. */
  tls?: TlsContext | undefined;
  /** False: the upgrade is refused. */
  accepts(request: IncomingMessage): boolean;
  /** A new TCP connection, before TLS and HTTP. */
  onSocket(socket: Socket): void;
  /** A WebSocket connection as a stream of bytes, with the TCP or TLS socket of its request. */
  onConnection(stream: Duplex, socket: Socket): void;
}

/** Listener for MQTT over WebSocket (subprotocol `mqtt`, any path). */
export class WebSocketListener {
  readonly #options: WebSocketListenerOptions;
  readonly #server: Server | TlsServer;
  /** The open connections with the bytes of the frame that each has begun. */
  readonly #open = new Map<WebSocket, number>();
  #begunBytes = 0;

  constructor(options: WebSocketListenerOptions) {
    this.#options = options;
    const limits = {
      headersTimeout: UPGRADE_MS,
      requestTimeout: UPGRADE_MS,
      keepAliveTimeout: 1,
      connectionsCheckingInterval: 1_000,
    };
    this.#server =
      options.tls === undefined ? createServer(limits) : createTlsServer({ ...limits, ...options.tls });
    this.#server.on("connection", (socket: Socket) => options.onSocket(socket));
    this.#server.on("request", (_request, response) => {
      response.writeHead(426, { "content-type": "text/plain", upgrade: "websocket" });
      response.end("This port only accepts MQTT over WebSocket.\n");
    });
    const sockets = new WebSocketServer({
      server: this.#server,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      verifyClient: ({ req }: { req: IncomingMessage }) => options.accepts(req),
      handleProtocols: (offered) => (offered.has("mqtt") ? "mqtt" : false),
    });
    // Errors of the HTTP server are emitted here again; `start` reports them.
    sockets.on("error", () => {});
    sockets.on("connection", (socket, request) => {
      this.#begun(socket, 0);
      request.socket.prependListener("data", (chunk: Buffer) =>
        this.#begun(socket, (this.#open.get(socket) ?? 0) + chunk.length),
      );
      socket.on("message", () => this.#begun(socket, 0));
      socket.on("close", () => {
        this.#begun(socket, 0);
        this.#open.delete(socket);
      });
      options.onConnection(createWebSocketStream(socket), request.socket);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resolves when the port is open. Throws BrokerError. */
  start(): Promise<void> {
    const { host, port, key } = this.#options;
    return listenTcp(this.#server, { host, port }, key);
  }

  setTls(context: TlsContext): void {
    if ("setSecureContext" in this.#server) this.#server.setSecureContext(context);
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#open.keys()) socket.terminate();
    this.#server.closeAllConnections();
    await closed;
  }

  /** A frame is kept in memory until it is complete. Beyond the budget, the connection with the largest unfinished frame is closed. */
  #begun(socket: WebSocket, bytes: number): void {
    this.#begunBytes += bytes - (this.#open.get(socket) ?? 0);
    this.#open.set(socket, bytes);
    if (this.#begunBytes <= MAX_BEGUN_BYTES) return;
    const [largest] = [...this.#open].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.#begun(largest, 0);
    largest.terminate();
  }
}
