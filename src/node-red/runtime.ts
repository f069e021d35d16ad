/**
 * The Node-RED process: started by the gateway with an IPC channel, it is told what to serve by its first message, and
 * ends when the channel does. What throws in here ends this process and nothing else.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import { volunteerForOutOfMemory } from "../memory.js";
import type { AnswerMessage, MessageFromNodeRed, MessageToNodeRed, StartMessage } from "./messages.js";
import { type NodeRedLogLine, type NodeRedUser, nodeRedSettings } from "./settings.js";

/** What is used of the `node-red` package, which brings no types. */
interface NodeRed {
  init(server: object, settings: object): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  httpAdmin: RequestListener;
  httpNode: RequestListener;
  events: { on(event: string, listener: () => void): void };
}

const ALIVE_EVERY_MS = 5_000;
/** A question that the gateway does not answer is answered with no. */
const ANSWER_WITHIN_MS = 15_000;
/** Nodes get this long to let go when the gateway is gone. */
const STOP_WITHIN_MS = 2_000;
/** Less than that of a training, which is tried again the next day: flows switch things. */
const OUT_OF_MEMORY_SCORE = 500;
/** Longer log lines are cut here, so that no flow fills the channel. */
const LONGEST_LOG_TEXT = 4_000;

const clientAddress = new AsyncLocalStorage<string>();

function say(message: MessageFromNodeRed): void {
  if (process.connected) process.send!(message);
}

/** Asks the gateway a question with yes or no for an answer; never rejects. */
function createAsking() {
  const waiting = new Map<number, (yes: boolean) => void>();
  let lastId = 0;
  return {
    take({ id, yes }: AnswerMessage): void {
      waiting.get(id)?.(yes);
      waiting.delete(id);
    },
    ask(question: (id: number) => MessageFromNodeRed): Promise<boolean> {
      lastId++;
      const id = lastId;
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.delete(id);
          resolve(false);
        }, ANSWER_WITHIN_MS);
        waiting.set(id, (yes) => {
          clearTimeout(timer);
          resolve(yes);
        });
        say(question(id));
      });
    },
  };
}

/**
 * A flow that never yields would outlive a gateway that was killed: the end of the channel is an event, and events wait
 * for the flow. A thread of its own sees that the parent changed.
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
  const require = createRequire(import.meta.url);
  // Node-RED's own Express: under a newer one its routes hang.
  const fromNodeRed = createRequire(require.resolve("node-red/package.json"));
  const express = fromNodeRed("express") as () => RequestListener & {
    use(path: string, handler: RequestListener): void;
    disable(setting: string): void;
  };
  const nodeRed = require("node-red") as NodeRed;
  const user = (username: string): NodeRedUser => ({ username, permissions: "*" });

  const settings = nodeRedSettings(start, {
    authenticate: async (email, password) => {
      if (typeof email !== "string" || typeof password !== "string") return null;
      const address = clientAddress.getStore() ?? "";
      const yes = await asking.ask((id) => ({ type: "sign_in", id, email, password, address }));
      return yes ? user(email) : null;
    },
    users: async (email) =>
      (await asking.ask((id) => ({ type: "is_administrator", id, email }))) ? user(email) : null,
    middleware: (req, res, next) => {
      // Node-RED lets pages of every origin read its answers, also those of flows; a flow that wants that says so itself.
      res.removeHeader("Access-Control-Allow-Origin");
      // The proxy writes this header; whoever asks past it sits on this machine.
      clientAddress.run(String(req.headers["x-forwarded-for"] ?? ""), next);
    },
    log: (line) => say({ type: "log", level: line.level, text: logText(line) }),
  });

  const app = express();
  app.disable("x-powered-by");
  const server = createServer(app);
  // Every "websocket in" node adds a listener of its own.
  server.setMaxListeners(0);
  nodeRed.init(server, settings);
  app.use(settings.httpAdminRoot, nodeRed.httpAdmin);
  app.use(settings.httpNodeRoot, nodeRed.httpNode);
  nodeRed.events.on("flows:started", () => say({ type: "flows_started" }));

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
  setInterval(() => say({ type: "alive" }), ALIVE_EVERY_MS);

  await nodeRed.start();
  server.listen(0, settings.uiHost, () =>
    say({ type: "ready", port: (server.address() as AddressInfo).port }),
  );
}

process.title = "hourgate-node-red";
// Ctrl-C reaches the whole group; the gateway says when it is time to stop.
process.on("SIGINT", () => {});
volunteerForOutOfMemory(OUT_OF_MEMORY_SCORE);
endWithParent();
const asking = createAsking();
process.on("message", (message: MessageToNodeRed) => {
  if (message.type === "answer") asking.take(message);
  else void run(message, asking);
});
// Until it is told what to serve, the end of the channel is the end.
process.once("disconnect", () => setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref());
