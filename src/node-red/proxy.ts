import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type ForwardedClient, forwardedHeaders, withoutHops } from "./headers.js";
import { answerUnavailable } from "./unavailable.js";

export interface ProxyOptions {
  /** Where Node-RED serves on the loopback address; undefined while it does not. */
  port: () => number | undefined;
  caller: (req: IncomingMessage) => ForwardedClient;
}

/** Passes requests and WebSockets on to Node-RED, as they are, streaming both ways. */
export interface Proxy {
  handle(req: IncomingMessage, res: ServerResponse): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends what is open. */
  close(): void;
}

export function createProxy({ port, caller }: ProxyOptions): Proxy {
  // No connection is kept: over loopback a new one costs nothing, and a kept one may be of a process that is gone.
  const agent = new Agent({ keepAlive: false });
  const open = new Set<Duplex>();

  /** The same request to Node-RED; undefined while it is not there. */
  const pass = (req: IncomingMessage, path: string, more: Record<string, string> = {}) => {
    const to = port();
    if (to === undefined) return undefined;
    const headers = { ...forwardedHeaders(req, caller(req)), ...more };
    return request({ host: "127.0.0.1", port: to, method: req.method, path, headers, agent });
  };

  return {
    handle(req, res) {
      // A body of unknown length is told as one, whatever the method: Node would send that of a GET or DELETE unframed.
      const framing: Record<string, string> =
        req.headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" };
      const upstream = pass(req, pathOf(req), framing);
      if (upstream === undefined) return answerUnavailable(req, res);
      let answered: IncomingMessage | undefined;
      upstream.once("response", (answer) => {
        answered = answer;
        prepareHeaders(res);
        try {
          for (const [name, value] of Object.entries(withoutHops(answer.headers))) res.setHeader(name, value);
          res.writeHead(answer.statusCode!, answer.statusMessage);
        } catch {
          // A node that writes to its socket by itself may send what Node does not pass on, such as a status of 99.
          upstream.destroy();
          res.destroy();
          return;
        }
        // What streams, such as server-sent events, shall not wait for its first byte.
        res.flushHeaders();
        answer.pipe(res);
        // It ended half way: the caller must not take what came for the whole.
        answer.once("error", () => res.destroy());
      });
      upstream.on("error", () => {
        if (answered === undefined && !res.destroyed) answerUnavailable(req, res);
        // An upload that is refused half way breaks off too, with its whole answer there.
        else if (!answered?.complete) res.destroy();
      });
      res.once("close", () => upstream.destroy());
      req.pipe(upstream);
    },

    upgrade(req, socket, head) {
      const upstream = pass(req, pathOf(req), {
        connection: "Upgrade",
        upgrade: req.headers.upgrade ?? "websocket",
      });
      if (upstream === undefined) {
        socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        upstream.destroy();
      });
      upstream.once("upgrade", (answer, other, otherHead) => {
        socket.write(`${headOf(answer)}\r\n`);
        if (otherHead.length > 0) socket.write(otherHead);
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
    },

    close() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** The path as it was asked for: routers cut theirs off. */
function pathOf(req: IncomingMessage & { originalUrl?: string }): string {
  return req.originalUrl ?? req.url ?? "/";
}

/**
 * Takes away what the gateway's own pages are sent with: the editor needs scripts that evaluate, styles in line and
 * workers, and a page of a flow what its author chose. What stays keeps foreign pages from framing them.
 */
function prepareHeaders(res: ServerResponse): void {
  for (const name of ["Cache-Control", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"])
    res.removeHeader(name);
  res.setHeader("Content-Security-Policy", "frame-ancestors 'self'");
}

/** The answer's first line and headers, as they came. */
function headOf(answer: IncomingMessage): string {
  const { rawHeaders } = answer;
  let head = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2)
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  return head;
}
