import { createRequire } from "node:module";
import helper, { type Install, type TestNode } from "node-red-node-test-helper";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type BrokerDouble, KEY, startBroker } from "./doubles.js";
import { load, manifest } from "./palette.js";

helper.init(createRequire(import.meta.url).resolve("node-red"), {
  logging: { console: { level: "off" } },
});

export type Message = Record<string, unknown> & { payload?: unknown };

export interface Status {
  fill?: string;
  shape?: string;
  text?: string;
}

const install = (type: string) => load<Install>(manifest["node-red"].nodes[type]!);

/** `until` resolves as soon as the condition is true; it is checked at each call of `changed` and every 20 ms. */
function watcher() {
  const watchers = new Set<() => void>();
  return {
    changed: () => {
      for (const look of [...watchers]) look();
    },
    until: (condition: () => boolean, what: () => string) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`Not within 10 s. ${what()}`)), 10_000);
        // The doubles do not call `changed`.
        const looking = setInterval(() => look(), 20);
        const look = () => {
          if (!condition()) return;
          clearTimeout(timer);
          clearInterval(looking);
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

export interface Running {
  node: TestNode;
  messages: Message[][];
  errors: { message: string; code?: string; cause?: Record<string, unknown> }[];
  statuses: Status[];
  status(): Status | undefined;
  /** Resolves with the nth message of an output. */
  message(nth?: number, output?: number): Promise<Message>;
  error(nth?: number): Promise<Running["errors"][number]>;
  until(condition: () => boolean): Promise<void>;
}

/** Runs one node of the palette in Node-RED with a config node, a catch node and a status node. */
export async function run(
  type: string,
  settings: Record<string, unknown>,
  gateway: { url?: string; mqttUrl?: string; plant?: string } | undefined,
  { wrap = (given: Install) => given, credentials = {}, nodeId = "node" } = {},
): Promise<Running> {
  const flow = [
    { id: "tab", type: "tab", label: "test" },
    ...(gateway ? [{ id: "gateway", type: "hourgate-config", ...gateway }] : []),
    { id: nodeId, z: "tab", type, gateway: "gateway", ...settings, wires: [["out0"], ["out1"], ["out2"]] },
    { id: "out0", z: "tab", type: "helper" },
    { id: "out1", z: "tab", type: "helper" },
    { id: "out2", z: "tab", type: "helper" },
    { id: "catch-node", z: "tab", type: "catch", wires: [["errors"]] },
    { id: "errors", z: "tab", type: "helper" },
    { id: "status-node", z: "tab", type: "status", wires: [["statuses"]] },
    { id: "statuses", z: "tab", type: "helper" },
  ];
  const { changed, until } = watcher();
  const running: Running = {
    node: undefined as never,
    messages: [[], [], []],
    errors: [],
    statuses: [],
    status: () => running.statuses.at(-1),
    message: async (nth = 0, output = 0) => {
      await running.until(() => running.messages[output]!.length > nth);
      return running.messages[output]![nth]!;
    },
    error: async (nth = 0) => {
      await running.until(() => running.errors.length > nth);
      return running.errors[nth]!;
    },
    until: (condition) =>
      until(
        condition,
        () =>
          `${condition} Got ${JSON.stringify([running.messages, running.errors, running.statuses]).slice(0, 1500)}`,
      ),
  };
  // The listener nodes exist before the node sends its first message.
  const listen: Install = (red) => {
    const nodes = red as unknown as {
      nodes: {
        registerType(type: string, made: unknown): void;
        createNode(node: unknown, settings: unknown): void;
      };
    };
    nodes.nodes.registerType("listener", function (this: TestNode, own: { id: string }) {
      nodes.nodes.createNode(this, own);
      this.on("input", (message: Message) => {
        if (own.id === "errors") running.errors.push(message.error as Running["errors"][number]);
        else if (own.id === "statuses") running.statuses.push(message.status as Status);
        else running.messages[Number(own.id.slice(3))]!.push(message);
        changed();
      });
    });
  };
  await helper.load(
    [listen, install("hourgate-config"), ...(type === "hourgate-config" ? [] : [wrap(install(type))])],
    flow.map((entry) => (entry.type === "helper" ? { ...entry, type: "listener" } : entry)),
    { gateway: { apiKey: KEY }, ...credentials },
  );
  running.node = helper.getNode(nodeId);
  return running;
}

export const unload = () => helper.unload();
export const startServer = () => helper.startServer();
export const stopServer = () => helper.stopServer();
export const useSettings = (settings: Record<string, unknown>) => helper.settings(settings);

/** Starts Node-RED's server for the tests of a file, and a broker for each. A test may replace the broker. */
export function brokerTests() {
  const tests = {
    broker: undefined as unknown as BrokerDouble,
    /** Runs a node that is connected to the broker. */
    follow: (type: string, settings = {}) => run(type, settings, { mqttUrl: tests.broker.url }),
    publishTopic: (name: string, text: string) => tests.broker.publish(`hourgate/home/${name}`, text),
  };
  beforeAll(startServer);
  afterAll(stopServer);
  beforeEach(async () => {
    tests.broker = await startBroker();
  });
  afterEach(async () => {
    await unload();
    await tests.broker.stop();
  });
  return tests;
}
