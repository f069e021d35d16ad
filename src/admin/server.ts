import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import type { AdminServices } from "./operation.js";
import { type AdminRequest, type AdminResponse, administer } from "./operations.js";
import { SOCKET_NAME, withShortPath } from "./socket-path.js";

/** Longest request taken, in characters. */
const LONGEST_REQUEST = 64 * 1024;
/** How long stopping waits for commands under way, wall time, ms; a webhook or a mail can take longer. */
const FAREWELL_MS = 1_000;
/** How long a client may say nothing, wall time, ms. */
const SILENCE_MS = 30_000;

/**
 * The socket in the data folder through which the command line speaks to the running gateway: one request and one
 * response a connection, each a line of JSON. Whoever may open the socket (its owner alone) is an administrator.
 */
export class AdminServer {
  readonly #folder: string;
  readonly #services: AdminServices;
  readonly #log: Pick<Log, "info" | "warn" | "error">;
  readonly #connections = new Set<Socket>();
  readonly #underWay = new Set<Promise<void>>();
  #server: Server | undefined;

  constructor(options: {
    /** The data folder, which the caller has locked: a socket that is there belongs to nobody any more. */
    folder: string;
    services: AdminServices;
    log: Pick<Log, "info" | "warn" | "error">;
  }) {
    this.#folder = options.folder;
    this.#services = options.services;
    this.#log = options.log;
  }

  /** Resolves when it listens. A gateway without it still runs: what stands in the way is logged, not thrown. */
  async start(): Promise<void> {
    // A client that has sent its line may end its side; the answer still goes out.
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    try {
      await withShortPath(this.#folder, (folder) => listen(server, folder));
      this.#server = server;
    } catch (error) {
      server.close();
      const reason = errorMessage(error);
      this.#log.warn(
        { reason },
        "The administration socket cannot be opened; commands need the gateway stopped.",
      );
    }
  }

  /** Takes the socket away and gives what is under way a second. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await rm(join(this.#folder, SOCKET_NAME), { force: true });
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const late = new AbortController();
    await Promise.race([
      Promise.allSettled(this.#underWay).finally(() => late.abort()),
      wait(FAREWELL_MS, undefined, { signal: late.signal }).catch(() => {}),
    ]);
    for (const socket of this.#connections) socket.destroySoon();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#connections.add(socket);
    socket.setEncoding("utf8");
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#connections.delete(socket));
    let heard = "";
    let isDone = false;
    const answer = (response: AdminResponse) => {
      socket.setTimeout(SILENCE_MS);
      socket.end(`${JSON.stringify(response)}\n`);
    };
    socket.on("data", (chunk: string) => {
      if (isDone) return;
      heard += chunk;
      const end = heard.indexOf("\n");
      if (end < 0 && heard.length <= LONGEST_REQUEST) return;
      isDone = true;
      const request = end < 0 ? undefined : parseRequest(heard.slice(0, end));
      if (request === undefined) {
        answer({ ok: false, error: "A request is one line of JSON: { command, arguments }." });
        return;
      }
      // A test of a webhook or a mail may well take longer than a silent client is borne.
      socket.setTimeout(0);
      const work = administer(this.#services, request, (error) =>
        this.#log.error({ err: error, command: request.command }, "A command failed."),
      ).then((response) => {
        this.#log.info({ command: request.command, ok: response.ok }, "A command came through the socket.");
        answer(response);
      });
      this.#underWay.add(work);
      void work.finally(() => this.#underWay.delete(work));
    });
    socket.on("end", () => {
      if (!isDone) socket.destroy();
    });
  }
}

/**
 * Listens in a new folder that only this user enters and moves the socket to its place, over the one that a killed gateway
 * left: at no instant can anybody else open it.
 */
async function listen(server: Server, folder: string): Promise<void> {
  const closed = await mkdtemp(join(folder, ".admin-"));
  try {
    const path = join(closed, "socket");
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => {
        server.off("error", reject);
        resolve();
      });
    });
    await chmod(path, 0o600);
    await rename(path, join(folder, SOCKET_NAME));
  } finally {
    await rm(closed, { recursive: true, force: true });
  }
}

function parseRequest(line: string): AdminRequest | undefined {
  try {
    const { command, arguments: given } = JSON.parse(line) as Partial<AdminRequest>;
    const fits = typeof command === "string" && typeof given === "object" && given !== null;
    return fits ? { command, arguments: given } : undefined;
  } catch {
    return undefined;
  }
}
