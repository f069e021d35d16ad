import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer, type TlsOptions, type Server as TlsServer } from "node:tls";
import { ApiError } from "../../api/errors.js";
import type { HostNames } from "../../core/net/host-names.js";
import type { TrustedProxies } from "../../core/net/trusted-proxies.js";
import { ConnectionLimiter, type HttpLimits, type HttpUsage } from "./connection-limiter.js";
import { close, listenHttp } from "./listen.js";
import { answerMalformed, answerRefused, misdirected } from "./malformed.js";

/** What a worker of a fleet answers without its router: the checks and measurements of its own network. */
const WITHOUT_ROUTER = /^\/(health|metrics)(\?|$)/;

/** The shard that a fleet's router looks for. A worker of another one answers 421. */
export const SHARD_HEADER = "x-hourgate-shard";

/** First byte of a TLS connection. */
const TLS_HANDSHAKE = 22;

const TWO_HOSTS = new ApiError("malformed_request", "The request has more than one header Host; send one.");
const UNKNOWN_EXPECTATION = new ApiError(
  "expectation_failed",
  "The header Expect may only be 100-continue; leave it out.",
);

/** What identifies the server: certificate and key, which can change while it runs, or the secret of a fleet. */
export interface TlsIdentity {
  context: TlsOptions;
  onChange(listener: (context: TlsOptions) => void): void;
}

export type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface ListenerOptions {
  /** With a shard of a fleet, TLS is that of the fleet: only its routers can use it. */
  settings: { host: string; port: number; shard?: number | undefined };
  /** In a fleet: whether the key or link of a request belongs to an account that was moved to another shard. */
  hasDeparted?: ((req: IncomingMessage) => boolean) | undefined;
  /** Configuration key of the port, for error messages. */
  name: string;
  limits: HttpLimits;
  proxies: TrustedProxies;
  hosts: HostNames;
  /** Whether a request carries a valid key, controller link or portal session. */
  isAuthenticated: (req: IncomingMessage) => boolean;
  onRequest: (req: IncomingMessage, res: ServerResponse) => void;
  /** TLS on the same port; undefined: none. */
  tls?: TlsIdentity | undefined;
}

/**
 * A node:http server with the limits and checks that every port of the gateway has: connections per address and in total,
 * time-outs, host names, and the origin of upgrades.
 */
export class HttpListener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #limiter: ConnectionLimiter;
  readonly #lastAnswers = new WeakMap<Duplex, ServerResponse>();
  readonly #upgrades = new Map<string, UpgradeHandler>();
  /** Passes a connection to the HTTP parser; Node's own listener of "connection". */
  readonly #parse: (socket: Duplex) => void;
  #secure: TlsServer | undefined;
  #isStopping = false;

  constructor(options: ListenerOptions) {
    const { limits, proxies, isAuthenticated } = options;
    this.#options = options;
    this.#limiter = new ConnectionLimiter({
      limits,
      isAuthenticated,
      isProxy: (address) => proxies.has(address),
    });
    this.#server = createServer(
      {
        requestTimeout: 30_000,
        headersTimeout: limits.header_timeout_seconds * 1000,
        // Node checks the two limits above only every 30 s by default.
        connectionsCheckingInterval: 5_000,
        // Simple controllers send HTTP/1.1 without Host.
        requireHostHeader: false,
      },
      (req, res) => this.#answer(req, res),
    );
    this.#server.on("checkExpectation", (req, res) => this.#answer(req, res, UNKNOWN_EXPECTATION));
    // Closes the connection of a client that does not read its answers. Event streams send data more often than that.
    this.#server.setTimeout(limits.idle_timeout_seconds * 1000);
    this.#server.on("clientError", (error, socket) =>
      answerMalformed(error, socket, this.#lastAnswers.get(socket)),
    );
    const [parse] = this.#server.listeners("connection");
    this.#parse = (socket) => parse!.call(this.#server, socket);
    this.#server.removeAllListeners("connection");
    this.#server.on("connection", (socket: Socket) => {
      if (!this.#limiter.admit(socket)) return;
      if (this.#secure === undefined) this.#parse(socket);
      else this.#detectTls(socket, this.#secure);
    });
  }

  /** Connections in use. */
  get usage(): HttpUsage {
    return this.#limiter.usage;
  }

  /** Listens and returns the actual port; throws an Error that says what to do if the port is not available. */
  start(): Promise<{ port: number }> {
    const { tls, limits } = this.#options;
    if (tls !== undefined) {
      const secure = createTlsServer(
        { ...tls.context, handshakeTimeout: limits.header_timeout_seconds * 1000 },
        (socket) => this.#parse(socket),
      );
      secure.on("tlsClientError", (_error, socket) => socket.destroy());
      tls.onChange((context) => secure.setSecureContext(context));
      this.#secure = secure;
    }
    return listenHttp(this.#server, this.#options.settings, this.#options.name);
  }

  /** Accepts no more requests, lets running ones end, and is closed within 3 seconds. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#limiter.closeIdle();
    await close(this.#server);
  }

  /**
   * Passes connection upgrades below `pathPrefix` to the handler; other paths get 404. Requests that only offer h2c, as Java
   * clients do with every call, are served as plain HTTP.
   */
  onUpgrade(pathPrefix: string, handler: UpgradeHandler): void {
    if (this.#upgrades.size === 0)
      this.#server.on("upgrade", (req, socket, head) => this.#upgrade(req, socket, head));
    this.#upgrades.set(pathPrefix, handler);
  }

  /** Passes a connection on by its first byte: 22 starts a TLS handshake (RFC 8446, 5.1), HTTP starts with a letter. */
  #detectTls(socket: Socket, secure: TlsServer): void {
    const onError = () => socket.destroy();
    socket.on("error", onError);
    socket.setTimeout(this.#options.limits.header_timeout_seconds * 1000, onError);
    socket.once("data", (chunk: Buffer) => {
      socket.pause();
      socket.setTimeout(0);
      socket.off("error", onError).off("timeout", onError);
      socket.unshift(chunk);
      if (chunk[0] === TLS_HANDSHAKE) secure.emit("connection", socket);
      else this.#parse(socket);
      process.nextTick(() => socket.resume());
    });
  }

  #answer(req: IncomingMessage, res: ServerResponse, refusal = this.#refusal(req)): void {
    this.#lastAnswers.set(req.socket, res);
    this.#limiter.begin(req, res);
    if (this.#isStopping) res.setHeader("Connection", "close");
    if (refusal === undefined) this.#options.onRequest(req, res);
    else answerRefused(req, res, refusal);
  }

  #refusal(req: IncomingMessage): ApiError | undefined {
    // RFC 9112, 3.2: a proxy before the gateway may have looked at the other one.
    if ((req.headersDistinct.host?.length ?? 0) > 1) return TWO_HOSTS;
    if (!this.#isOwnShard(req)) return misdirected(req, { isWorker: true });
    return this.#isOwnHost(req) ? undefined : misdirected(req, { isWorker: false });
  }

  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    // The server no longer handles the socket: an error without a listener would end the process.
    socket.on("error", () => socket.destroy());
    if (isOfferOnly(req)) {
      // Node has detached the connection, so it is passed to the parser again.
      socket.unshift(plainRequest(req, head));
      this.#parse(socket);
      return;
    }
    const path = (req.url ?? "").split("?")[0]!;
    const found = [...this.#upgrades].find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
    if (found === undefined) refuseUpgrade(socket, "404 Not Found");
    else if (!this.#isOwnShard(req) || !this.#isOwnHost(req))
      refuseUpgrade(socket, "421 Misdirected Request");
    else if (!this.#isOwnOrigin(req)) refuseUpgrade(socket, "403 Forbidden");
    else if (!this.#limiter.upgrade(req)) refuseUpgrade(socket, "503 Service Unavailable");
    else found[1](req, socket, head);
  }

  /** In a fleet: whether a router sends the request to this shard, or it is one that needs no router. */
  #isOwnShard(req: IncomingMessage): boolean {
    const { shard } = this.#options.settings;
    if (shard === undefined) return true;
    const isFromRouter = "encrypted" in req.socket && req.socket.encrypted === true;
    if (!isFromRouter) return WITHOUT_ROUTER.test(req.url ?? "");
    const meant = req.headers[SHARD_HEADER];
    if (meant !== undefined && meant !== String(shard)) return false;
    return this.#options.hasDeparted?.(req) !== true;
  }

  /** Home Assistant has checked its own name and its own session before it passes a request on. */
  #isOwnHost(req: IncomingMessage): boolean {
    const { hosts, proxies } = this.#options;
    return hosts.accepts(req.headers.host) || proxies.isIngress(req);
  }

  /** Browsers send the origin of the page that opens a WebSocket; programs send none. */
  #isOwnOrigin(req: IncomingMessage): boolean {
    const { origin, host } = req.headers;
    if (origin === undefined) return true;
    if (!URL.canParse(origin)) return false;
    const { host: originHost, protocol } = new URL(origin);
    const standardPort = protocol === "https:" ? ":443" : ":80";
    const own = host?.trim().toLowerCase();
    return own === originHost || own === originHost + standardPort;
  }
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Whether a request only offers HTTP/2 (Java clients do so with every call) and is to be answered as HTTP/1.1. */
function isOfferOnly(req: IncomingMessage): boolean {
  return (req.headers.upgrade ?? "")
    .toLowerCase()
    .split(",")
    .every((protocol) => /^\s*h2c\s*$/.test(protocol));
}

/** The bytes of a request without its upgrade offer, which is to be ignored (RFC 9110, 7.8), followed by `head`. */
function plainRequest(req: IncomingMessage, head: Buffer): Buffer {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]!;
    if (/^(connection|upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${req.rawHeaders[index + 1]}`);
  }
  if (/\bclose\b/i.test(req.headers.connection ?? "")) lines.push("Connection: close");
  // Header values were decoded as Latin-1.
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]);
}
