import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { ComponentSentence } from "../../core/domain/component-sentence.js";
import { errorMessage } from "../../core/error-message.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import { shippedPath } from "../../core/installation.js";
import type { Log } from "../../core/log.js";
import type { ForwardedClient } from "../../core/net/forwarding.js";
import { componentText } from "../../texts/index.js";
import { childProgram, isNodeRedInstalled } from "./child.js";
import { NodeRedProxy } from "./proxy.js";
import type { EditorSignIn } from "./sign-in.js";
import { Supervisor } from "./supervisor.js";
import { answerUnavailable } from "./unavailable.js";
import { prepareUserFolder } from "./user-folder.js";

/** The HTTP server of the editor's own port. */
export interface EditorListener {
  start(): Promise<{ port: number }>;
  stop(): Promise<void>;
  onUpgrade(pathPrefix: string, handler: (req: IncomingMessage, socket: Duplex, head: Buffer) => void): void;
}

export interface NodeRedOptions {
  settings: { path: string; base_url: string | null; uid: number };
  dataFolder: string;
  /** Time zone of its flows if the machine has none set. */
  timezone: string;
  signIn: EditorSignIn;
  /** Address and protocol of a request's client. */
  client: (req: IncomingMessage) => ForwardedClient;
  /** Whether the browser of a request is signed in to the portal. */
  isSignedIn: (req: IncomingMessage) => boolean;
  /** Whether the package is there; replaced in tests. */
  isInstalled?: () => boolean;
  /** Creates the server of the editor's port, which is separate from the portal's: each port is an origin of its own. */
  listen: (onRequest: (req: IncomingMessage, res: ServerResponse) => void) => EditorListener;
  components: Pick<HealthRegistry, "report">;
  log: Log;
}

const PALETTE_FOLDER = shippedPath("node-red-nodes");

/** The embedded Node-RED: a separate process, and a port that forwards to it. */
export class NodeRedService {
  readonly #options: NodeRedOptions;
  readonly #supervisor: Supervisor;
  readonly #proxy: NodeRedProxy;
  readonly #listener: EditorListener;
  readonly #isInstalled: boolean;
  #port: number | undefined;

  constructor(options: NodeRedOptions) {
    this.#options = options;
    this.#isInstalled = (options.isInstalled ?? isNodeRedInstalled)();
    const { settings, dataFolder, timezone, signIn, client, isSignedIn, components, log } = options;
    const userFolder = join(dataFolder, "node-red");
    const { uid } = settings;
    const user = process.geteuid?.() === 0 ? { uid, gid: uid } : undefined;
    this.#supervisor = new Supervisor({
      prepare: async () => ({
        ...(await prepareUserFolder({
          dataFolder,
          userFolder,
          user,
          programs: [process.execPath, childProgram().file, PALETTE_FOLDER],
        })),
        userFolder,
        path: settings.path,
        paletteFolder: PALETTE_FOLDER,
      }),
      timezone,
      user,
      signIn,
      components,
      log,
    });
    this.#proxy = new NodeRedProxy({
      path: settings.path,
      port: () => this.#supervisor.port,
      client,
      isSignedIn,
    });
    this.#listener = options.listen((req, res) => this.#handle(req, res));
    this.#listener.onUpgrade(settings.path, (req, socket, head) => this.#proxy.upgrade(req, socket, head));
  }

  /** The editor's port, while it listens. */
  get port(): number | undefined {
    return this.#port;
  }

  /** The running process, if any. */
  get pid(): number | undefined {
    return this.#supervisor.pid;
  }

  /** Starts the process without waiting for it. A missing package or a port in use is reported and does not affect the gateway. */
  async start(): Promise<void> {
    const { components, log } = this.#options;
    if (!this.#isInstalled) {
      const sentences: ComponentSentence[] = [{ code: "node_red_missing" }];
      components.report("node_red", "down", sentences);
      log.warn({ component: "node_red" }, componentText(sentences, "en"));
      return;
    }
    try {
      this.#port = (await this.#listener.start()).port;
    } catch (error) {
      components.report("node_red", "down", [{ code: "node_red_failed", message: errorMessage(error) }]);
      log.warn({ component: "node_red" }, errorMessage(error));
      return;
    }
    log.info({ component: "node_red", port: this.#port }, "The port of the Node-RED editor is open.");
    await this.#supervisor.start();
  }

  /** Resolves when the process has ended, within two seconds. */
  async stop(): Promise<void> {
    await this.#supervisor.stop();
    this.closeEditors();
    await this.#listener.stop();
  }

  /** Closes the editors' WebSockets, which then have to authenticate again. */
  closeEditors(): void {
    this.#proxy.closeUpgraded();
  }

  /** Redirects requests below the path, on the gateway's own port, to the editor's; `next` handles all others. */
  redirect(req: IncomingMessage & { originalUrl?: string }, res: ServerResponse, next: () => void): void {
    const url = req.originalUrl ?? req.url ?? "";
    if (!isBelow(this.#options.settings.path, url)) {
      next();
      return;
    }
    const base = this.#baseUrl(req);
    if (base === undefined || !this.#isInstalled) {
      answerUnavailable(req, res, this.#isInstalled ? "unavailable" : "missing");
      return;
    }
    // 307 keeps the method, for devices that post to a flow.
    res.writeHead(307, { Location: base + url, "Content-Length": 0 }).end();
  }

  #handle(req: IncomingMessage, res: ServerResponse): void {
    const { path } = this.#options.settings;
    res.setHeader("X-Content-Type-Options", "nosniff");
    if (isBelow(path, req.url ?? "")) this.#proxy.handle(req, res);
    else if (req.url === "/") res.writeHead(307, { Location: `${path}/`, "Content-Length": 0 }).end();
    else res.writeHead(404, { "Content-Type": "text/plain" }).end("Not found.\n");
  }

  #baseUrl(req: IncomingMessage): string | undefined {
    const { settings, client } = this.#options;
    if (settings.base_url !== null) return settings.base_url.replace(/\/+$/, "");
    if (this.#port === undefined) return undefined;
    const protocol = client(req).protocol;
    const host = (req.headers.host ?? req.socket.localAddress ?? "localhost").replace(/:\d*$/, "");
    const url = `${protocol}://${host}:${this.#port}`;
    return URL.canParse(url) ? url : undefined;
  }
}

function isBelow(path: string, url: string): boolean {
  const asked = url.split("?", 1)[0]!;
  return asked === path || asked.startsWith(`${path}/`);
}
