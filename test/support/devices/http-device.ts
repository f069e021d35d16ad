import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Device } from "./device.js";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingHttpHeaders;
  /** Path with query, as digest authentication signs it. */
  url: string;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  text?: string;
}

export const json = (value: unknown): Answer => ({
  headers: { "content-type": "application/json" },
  text: JSON.stringify(value),
});

/** A device with an HTTP server on loopback. */
export abstract class HttpDevice extends Device {
  #server: Server | undefined;
  #port = 0;

  /** The answer of the healthy device; undefined: there is no such path. */
  protected abstract answer(asked: Asked): Answer | undefined;

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const url = request.url ?? "/";
      const { pathname, searchParams } = new URL(url, "http://device");
      const { method = "GET", headers } = request;
      this.#respond(response, { method, path: decodeURI(pathname), query: searchParams, body, headers, url });
    });
    this.#server = server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  #respond(response: ServerResponse, asked: Asked): void {
    const { status, silent, lateMs } = this.faults;
    if (silent) return;
    const answer = status === null ? (this.answer(asked) ?? { status: 404 }) : { status, text: "refused" };
    const send = () => response.writeHead(answer.status ?? 200, answer.headers).end(answer.text ?? "");
    if (lateMs > 0) this.after(lateMs, send);
    else send();
  }
}
