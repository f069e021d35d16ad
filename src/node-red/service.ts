import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import type { ForwardedClient } from "./headers.js";
import { createProxy } from "./proxy.js";
import type { EditorSignIn } from "./sign-in.js";
import { Supervisor } from "./supervisor.js";
import { prepareUserFolder } from "./user-folder.js";

export interface NodeRedOptions {
  /** `node_red.path` of the configuration. */
  path: string;
  dataFolder: string;
  /** Local time of its flows where the machine does not say one. */
  timezone: string;
  signIn: EditorSignIn;
  /** Who asks: the address as the quotas count it. */
  caller: (req: IncomingMessage) => ForwardedClient;
  components: Pick<HealthRegistry, "report">;
  log: Log;
}

/** The Node-RED in the box: a process of its own behind a path of the gateway's HTTP server. */
export interface NodeRedService {
  /** Starts the process and does not wait for it. */
  start(): Promise<void>;
  /** Resolves when the process is gone; takes two seconds at most. */
  stop(): Promise<void>;
  /** Answers requests below the path; `next` takes all others. */
  handle(req: IncomingMessage & { originalUrl?: string }, res: ServerResponse, next: () => void): void;
  /** Takes connection upgrades below the path. */
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The process that runs now, if one does. */
  readonly pid: number | undefined;
}

/** The palette, beside `src` and `dist` alike. */
const PALETTE_FOLDER = fileURLToPath(new URL("../../node-red-nodes", import.meta.url));

export function createNodeRed(options: NodeRedOptions): NodeRedService {
  const { path, dataFolder, timezone, signIn, caller, components, log } = options;
  const userFolder = join(dataFolder, "node-red");
  const supervisor = new Supervisor({
    prepare: async () => ({
      ...(await prepareUserFolder(userFolder)),
      userFolder,
      path,
      paletteFolder: PALETTE_FOLDER,
    }),
    timezone,
    signIn,
    components,
    log,
  });
  const proxy = createProxy({ port: () => supervisor.port, caller });
  return {
    start: () => supervisor.start(),
    stop: async () => {
      await supervisor.stop();
      proxy.close();
    },
    handle(req, res, next) {
      const asked = (req.originalUrl ?? req.url ?? "").split("?", 1)[0]!;
      if (asked === path || asked.startsWith(`${path}/`)) proxy.handle(req, res);
      else next();
    },
    upgrade: proxy.upgrade,
    get pid() {
      return supervisor.pid;
    },
  };
}
