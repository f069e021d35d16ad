/**
 * The Node-RED process. The gateway starts it with an IPC channel, whose first message contains the settings; it ends when
 * the channel closes. An uncaught error ends only this process.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import { requirePackage } from "../../core/installation.js";
import { volunteerForOutOfMemory } from "../../core/memory.js";
import type { AnswerMessage, MessageFromNodeRed, MessageToNodeRed, StartMessage } from "./messages.js";
import { type NodeRedLogLine, type NodeRedUser, nodeRedSettings } from "./settings.js";

/** The used part of the `node-red` package, which has no types. */
interface NodeRed {
  init(server: object, settings: object): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  httpAdmin: RequestListener;
  httpNode: RequestListener;
  events: { on(event: string, listener: () => void): void };
}

const ALIVE_EVERY_MS = 5_000;
/** A question without an answer of the gateway counts as refused. */
const ANSWER_WITHIN_MS = 15_000;
/** Time for nodes to close when the gateway has ended. */
const STOP_WITHIN_MS = 2_000;
/** Lower than that of a model training, which can be repeated. */
const OUT_OF_MEMORY_SCORE = 500;
/** Longer log lines are cut, so that flows cannot fill the channel. */
const LONGEST_LOG_TEXT = 4_000;

const clientAddress = new AsyncLocalStorage<string>();

function send(message: MessageFromNodeRed): void {
  if (process.connected) process.send!(message);
}

/** Asks the gateway questions; never rejects. */
function createAsking() {
  const waiting = new Map<number, (text: string | undefined) => void>();
  let lastId = 0;
  return {
    take({ id, text }: AnswerMessage): void {
      waiting.get(id)?.(text);
      waiting.delete(id);
    },
    ask(question: (id: number) => MessageFromNodeRed): Promise<string | undefined> {
      lastId++;
      const id = lastId;
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          resolve(undefined);
        }, ANSWER_WITHIN_MS);
        waiting.set(id, (text) => {
          clearTimeout(timer);
          resolve(text);
        });
        send(question(id));
      });
    },
  };
}

/**
 * Ends this process when the gateway was killed while a flow blocks the event loop, so that the end of the channel is not
 * processed. A separate thread checks the parent process.
 */
function endWithParent(): void {
  const code = `const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, "SIGKILL"); }, 1000);`;
  const limits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 };
  const guard = new Worker(code, { eval: true, env: {}, execArgv: [], resourceLimits: limits });
  guard.unref();
}

function logText({ msg, type, name, id }: NodeRedLogLine): string {
  const { message } = (typeof msg === "object" && msg !== null ? msg : {}) as { message?: unknown };
  const text = typeof msg === "string" ? msg : typeof message === "string" ? message : inspect(msg);
  const origin = type === undefined ? "" : `[${type}:${name || id}] `;
  return `${origin}${text}`.slice(0, LONGEST_LOG_TEXT);
}

async function run(start: StartMessage, asking: ReturnType<typeof createAsking>): Promise<void> {
  // Node-RED's own Express: its routes hang with a newer version.
  const fromNodeRed = createRequire(requirePackage.resolve("node-red/package.json"));
  const express = fromNodeRed("express") as () => RequestListener & {
    use(path: string, handler: RequestListener): void;
    disable(setting: string): void;
  };
  const nodeRed = requirePackage("node-red") as NodeRed;
  const user = (username: string): NodeRedUser => ({ username, permissions: "*" });

  const settings = nodeRedSettings(start, {
    authenticate: async (email, password) => {
      if (typeof email !== "string" || typeof password !== "string") return null;
      const address = clientAddress.getStore() ?? "";
      const token = await asking.ask((id) => ({ type: "sign_in", id, email, password, address }));
      return token === undefined ? null : { ...user(email), token };
    },
    // Tokens are the gateway's own: Node-RED keeps no sessions.
    users: async () => null,
    tokens: async (token) => {
      const email = await asking.ask((id) => ({ type: "token", id, token }));
      return email === undefined ? null : user(email);
    },
    middleware: (req, res, next) => {
      // Node-RED permits every origin to read its answers, including those of flows; a flow can set the header itself.
      res.removeHeader("Access-Control-Allow-Origin");
      // Node-RED revokes only tokens that it keeps itself.
      const token = /^Bearer (\S+)$/.exec(req.headers.authorization ?? "")?.[1];
      if (token !== undefined && req.method === "POST" && req.url === "/auth/revoke")
        send({ type: "sign_out", token });
      // Written by the proxy; only programs on this machine can bypass it.
      clientAddress.run(String(req.headers["x-forwarded-for"] ?? ""), next);
    },
    log: (line) => send({ type: "log", level: line.level, text: logText(line) }),
  });

  const app = express();
  app.disable("x-powered-by");
  const server = createServer(app);
  // Every "websocket in" node adds a listener.
  server.setMaxListeners(0);
  nodeRed.init(server, settings);
  app.use(settings.httpAdminRoot, nodeRed.httpAdmin);
  app.use(settings.httpNodeRoot, nodeRed.httpNode);
  nodeRed.events.on("flows:started", () => send({ type: "flows_started" }));

  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), STOP_WITHIN_MS);
    nodeRed.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", stop);
  process.on("disconnect", stop);
  setInterval(() => send({ type: "alive" }), ALIVE_EVERY_MS);

  await nodeRed.start();
  server.listen(0, settings.uiHost, () =>
    send({ type: "ready", port: (server.address() as AddressInfo).port }),
  );
}

process.title = "hourgate-node-red";
// Ctrl-C reaches the whole process group; the gateway decides when to stop.
process.on("SIGINT", () => {});
volunteerForOutOfMemory(OUT_OF_MEMORY_SCORE);
endWithParent();
const asking = createAsking();
process.on("message", (message: MessageToNodeRed) => {
  if (message.type === "answer") asking.take(message);
  else void run(message, asking);
});
// Before the first message, the end of the channel ends the process.
process.once("disconnect", () => setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref());
