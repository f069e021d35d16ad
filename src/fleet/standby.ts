import { createServer, type Server } from "node:http";
import { close, listenHttp } from "../http/listen.js";
import { SHARD_HEADER } from "../http/listener.js";
import { answerDocument, answerRefusal } from "./answers.js";

/** HTTP of a worker that waits for a shard: /health answers 200, because the process works; all else 503. */
export class Standby {
  readonly #address: { host: string; port: number };
  #server: Server | undefined;

  constructor(address: { host: string; port: number }) {
    this.#address = address;
  }

  /** Listens; throws an Error that says what to do if the port is not available. */
  async start(): Promise<void> {
    this.#server = createServer((req, res) => {
      if (req.url?.split("?", 1)[0] === "/health") answerDocument(req, res, { status: "waiting" });
      // A router takes this worker for the former one at the same address.
      else if (req.headers[SHARD_HEADER] !== undefined) res.writeHead(421, { Connection: "close" }).end();
      else answerRefusal(req, res, { code: "not_ready", text: "waiting" });
    });
    await listenHttp(this.#server, this.#address);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await close(server);
  }
}
