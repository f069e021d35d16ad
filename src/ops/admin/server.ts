import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { errorMessage } from "../../core/error-message.js";
import type { Log } from "../../core/log.js";
import type { AdminServices } from "./operation.js";
import { type AdminRequest, type AdminResponse, administer, isReadOnly } from "./operations.js";
import { SOCKET_NAME, withShortPath } from "./socket-path.js";

/** Longest request taken, in characters; the import of some years of meter data has about 10 million. */
const LONGEST_REQUEST = 24 * 1024 * 1024;
/** Time for running commands to end on stop, ms of wall time; a webhook or a mail can take longer. */
const STOP_GRACE_MS = 1_000;
/** Idle timeout of a client, ms of wall time. */
const IDLE_MS = 30_000;

/**
 * The socket in the data folder through which the command line controls the running gateway: one request and one response
 * per connection, each a line of JSON. Only the user who runs the gateway can open it; every client is an administrator.
 */
export class AdminServer {
  readonly #folder: string;
  readonly #services: AdminServices;
  readonly #log: Pick<Log, "debug" | "info" | "warn" | "error">;
  readonly #connections = new Set<Socket>();
  readonly #running = new Set<Promise<void>>();
  #server: Server | undefined;

  constructor(options: {
    /** The data folder, locked by the caller: an existing socket is stale. */
    folder: string;
    services: AdminServices;
    log: Pick<Log, "debug" | "info" | "warn" | "error">;
  }) {
    this.#folder = options.folder;
    this.#services = options.services;
    this.#log = options.log;
  }

  /** Resolves when it listens. The gateway also runs without it: errors are logged, not thrown. */
  async start(): Promise<void> {
    // A client may close its side after its line; it still gets the answer.
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    try {
      await withShortPath(this.#folder, (folder) => listen(server, folder));
      this.#server = server;
    } catch (error) {
      server.close();
      const reason = errorMessage(error);
      this.#log.warn(
        { reason },
        "The administration socket cannot be opened; commands work only while the gateway is stopped.",
      );
    }
  }

  /** Removes the socket and waits up to one second for running commands. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await rm(join(this.#folder, SOCKET_NAME), { force: true });
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const late = new AbortController();
    await Promise.race([
      Promise.allSettled(this.#running).finally(() => late.abort()),
      wait(STOP_GRACE_MS, undefined, { signal: late.signal }).catch(() => {}),
    ]);
    for (const socket of this.#connections) socket.destroySoon();
    await closed;
  }

  #accept(socket: Socket): void {
    this.#connections.add(socket);
    socket.setEncoding("utf8");
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#connections.delete(socket));
    let received = "";
    let isDone = false;
    const answer = (response: AdminResponse) => {
      socket.setTimeout(IDLE_MS);
      socket.end(`${JSON.stringify(response)}\n`);
    };
    socket.on("data", (chunk: string) => {
      if (isDone) return;
      const newline = chunk.indexOf("\n");
      const end = newline < 0 ? -1 : received.length + newline;
      received += chunk;
      if (end < 0 && received.length <= LONGEST_REQUEST) return;
      isDone = true;
      const request = end < 0 ? undefined : parseRequest(received.slice(0, end));
      if (request === undefined) {
        answer({ ok: false, error: "A request is one line of JSON: { command, arguments }." });
        return;
      }
      // A webhook test or a mail can take longer than the idle timeout.
      socket.setTimeout(0);
      const gone = new AbortController();
      for (const event of ["end", "close"]) socket.once(event, () => gone.abort());
      const work = administer(this.#services, request, {
        onFault: (error) => this.#log.error({ err: error, command: request.command }, "A command failed."),
        signal: gone.signal,
      }).then((response) => {
        // A long export has thousands of requests.
        this.#log[isReadOnly(request.command) ? "debug" : "info"](
          { command: request.command, ok: response.ok },
          "A command was received on the administration socket.",
        );
        answer(response);
      });
      this.#running.add(work);
      void work.finally(() => this.#running.delete(work));
    });
    socket.on("end", () => {
      if (!isDone) socket.destroy();
    });
  }
}

/**
 * Listens in a new folder that only this user can enter, then moves the socket to its place, replacing a stale one: no
 * other user can open it at any time.
 */
async function listen(server: Server, folder: string): Promise<void> {
  const privateFolder = await mkdtemp(join(folder, ".admin-"));
  try {
    const path = join(privateFolder, "socket");
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
    await rm(privateFolder, { recursive: true, force: true });
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
