import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import {
  bodyFraming,
  type ForwardedClient,
  forwardedHeaders,
  relayAnswer,
  withoutHops,
} from "../../core/net/forwarding.js";
import { answerUnavailable } from "./unavailable.js";

export interface ProxyOptions {
  /** `node_red.path`. */
  path: string;
  /** Port of Node-RED on the loopback address; undefined while it is not running. */
  port: () => number | undefined;
  client: (req: IncomingMessage) => ForwardedClient;
  /** Whether the browser of a request is signed in to the portal. */
  isSignedIn: (req: IncomingMessage) => boolean;
}

/** Time for an editor's WebSocket to authenticate. */
const AUTHENTICATE_WITHIN_MS = 5_000;
/** Node-RED's message to an authenticated editor; its frames are neither masked nor compressed. */
const AUTHENTICATED = '"auth":"ok"';

/** Forwards requests and WebSockets to Node-RED unchanged, streaming in both directions. */
export class NodeRedProxy {
  readonly #options: ProxyOptions;
  // Connections are not kept: over loopback a new one is cheap, and a kept one may belong to a process that has ended.
  readonly #agent = new Agent({ keepAlive: false });
  readonly #upgraded = new Set<Duplex>();

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  handle(req: IncomingMessage, res: ServerResponse): void {
    const upstream = this.#forward(req, bodyFraming(req));
    if (upstream === undefined) {
      answerUnavailable(req, res);
      return;
    }
    let answered: IncomingMessage | undefined;
    upstream.once("response", (answer) => {
      answered = answer;
      // Keeps foreign pages from framing the editor and the flows' pages.
      const policy = { "content-security-policy": "frame-ancestors 'self'" };
      // A node that writes to its socket directly may send what Node does not accept, such as a status of 99.
      if (!relayAnswer(answer, res, { ...answerHeaders(answer.headers), ...policy })) upstream.destroy();
    });
    upstream.on("error", () => {
      if (answered === undefined && !res.destroyed) answerUnavailable(req, res);
      // A refused upload fails too, although its answer is complete.
      else if (!answered?.complete) res.destroy();
    });
    res.once("close", () => upstream.destroy());
    req.pipe(upstream);
  }

  /**
   * Forwards a WebSocket. That of the editor must authenticate with the editor's token within five seconds; those of flows
   * need a portal session.
   */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const isEditor = pathOf(req) === `${this.#options.path}/comms`;
    if (!isEditor && !this.#options.isSignedIn(req)) {
      refuseUpgrade(socket, "401 Unauthorized");
      return;
    }
    const upstream = this.#forward(req, {
      connection: "Upgrade",
      upgrade: req.headers.upgrade ?? "websocket",
    });
    if (upstream === undefined) {
      refuseUpgrade(socket, "503 Service Unavailable");
      return;
    }
    this.#upgraded.add(socket);
    socket.once("close", () => {
      this.#upgraded.delete(socket);
      upstream.destroy();
    });
    if (isEditor) {
      const timer = setTimeout(() => socket.destroy(), AUTHENTICATE_WITHIN_MS);
      socket.once("close", () => clearTimeout(timer));
      upstream.once("upgrade", (_answer, other: Duplex) => onAuthenticated(other, () => clearTimeout(timer)));
    }
    upstream.once("upgrade", (answer, other, otherHead) => {
      socket.write(Buffer.concat([Buffer.from(`${headOf(answer)}\r\n`, "latin1"), otherHead]));
      if (head.length > 0) other.write(head);
      other.on("error", () => socket.destroy());
      other.once("close", () => socket.destroy());
      socket.once("close", () => other.destroy());
      other.pipe(socket).pipe(other);
    });
    upstream.once("response", (answer) => {
      socket.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nConnection: close\r\n\r\n`);
      answer.once("error", () => socket.destroy());
      answer.pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    upstream.end();
  }

  /** Closes all WebSockets; editors reconnect and authenticate again. */
  closeUpgraded(): void {
    for (const socket of this.#upgraded) socket.destroy();
  }

  /** The same request to Node-RED; undefined while it is not running. */
  #forward(req: IncomingMessage, more: OutgoingHttpHeaders) {
    const port = this.#options.port();
    if (port === undefined) return undefined;
    const headers = { ...requestHeaders(req, this.#options.client(req)), ...more };
    const { method } = req;
    return request({ host: "127.0.0.1", port, method, path: req.url ?? "/", headers, agent: this.#agent });
  }
}

/** Calls `done` once Node-RED has confirmed the editor's token. */
function onAuthenticated(upstream: Duplex, done: () => void): void {
  let received = "";
  const read = (chunk: Buffer) => {
    received = (received + chunk.toString("latin1")).slice(-1000);
    if (!received.includes(AUTHENTICATED)) return;
    upstream.off("data", read);
    done();
  };
  upstream.on("data", read);
}

function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function pathOf(req: IncomingMessage): string {
  return (req.url ?? "/").split("?", 1)[0]!;
}

/** Status line and headers of an answer, unchanged. */
function headOf(answer: IncomingMessage): string {
  const { rawHeaders } = answer;
  let head = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2)
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  return head;
}

/**
 * Cookies of the portal, with any prefix of browsers (`__Host-`, `__Secure-`), which flows must neither read nor set: browsers
 * share cookies between the ports of a host. A leading `=` is a cookie without a name, which comes back as its value.
 */
const OWN_COOKIE = /^[\s=]*(__[a-z-]+-)?hourgate_/i;

/** The headers of a request for Node-RED: forwarded, without the portal's cookies. */
export function requestHeaders(req: IncomingMessage, client: ForwardedClient): OutgoingHttpHeaders {
  const headers = forwardedHeaders(req, client);
  const cookies = req.headers.cookie?.split(";").filter((cookie) => !OWN_COOKIE.test(cookie));
  delete headers.cookie;
  if (cookies !== undefined && cookies.length > 0) headers.cookie = cookies.join(";").trim();
  return headers;
}

/** The headers of Node-RED's answer for the client: without hop-by-hop headers and cookies with names of the portal. */
function answerHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = withoutHops(headers);
  const cookies = headers["set-cookie"]?.filter((cookie) => !OWN_COOKIE.test(cookie));
  delete kept["set-cookie"];
  if (cookies !== undefined && cookies.length > 0) kept["set-cookie"] = cookies;
  return kept;
}
