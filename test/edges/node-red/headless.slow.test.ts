import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BrokerDouble, type HttpDouble, KEY, startBroker, startHttp, topics } from "./doubles.js";
import { examples, type FlowNode, manifest, PALETTE } from "./palette.js";

const require = createRequire(import.meta.url);
const SECRET = "whsec_test";

let folder: string;
let gateway: HttpDouble;
let broker: BrokerDouble;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hourgate-node-red-"));
  [gateway, broker] = await Promise.all([startHttp(), startBroker()]);
});

afterAll(async () => {
  await Promise.all([gateway.stop(), broker.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Installs the packed palette and links its only dependency. */
function install(): void {
  const packed = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
      cwd: PALETTE,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  ) as { filename: string }[];
  const target = join(folder, "node_modules", manifest.name);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, packed[0]!.filename), "--strip-components=1", "-C", target]);
  const mqtt = dirname(
    createRequire(join(realpathSync(PALETTE), "package.json")).resolve("mqtt/package.json"),
  );
  symlinkSync(mqtt, join(folder, "node_modules/mqtt"));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "user-dir", version: "0.0.1", dependencies: { [manifest.name]: "*" } }),
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface NodeRed {
  url: string;
  output(): string;
  until(condition: () => boolean, what: () => string): Promise<void>;
  end(): Promise<void>;
}

async function startNodeRed(): Promise<NodeRed> {
  const port = await freePort();
  const settings = {
    uiHost: "127.0.0.1",
    uiPort: port,
    userDir: folder,
    flowFile: "flows.json",
    credentialSecret: "test",
    contextStorage: { default: { module: "localfilesystem" } },
    telemetry: { enabled: false },
    logging: { console: { level: "info" } },
  };
  writeFileSync(join(folder, "settings.js"), `module.exports = ${JSON.stringify(settings)};`);
  const program = join(dirname(require.resolve("node-red/package.json")), "red.js");
  const child: ChildProcess = spawn(process.execPath, [program, "--settings", join(folder, "settings.js")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const looking = new Set<() => void>();
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    for (const look of [...looking]) look();
  };
  child.stdout!.on("data", take);
  child.stderr!.on("data", take);
  const nodeRed: NodeRed = {
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    until: (condition, what) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${what()}\n${output.slice(-4000)}`)), 20_000);
        const look = () => {
          if (!condition()) return;
          clearTimeout(timer);
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        look();
      }),
    async end() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
  await nodeRed.until(
    () => output.includes("Server now running"),
    () => "Node-RED did not start.",
  );
  return nodeRed;
}

/** An example from Node-RED's library, configured for the doubles, with debug output in the log. */
async function importExample(nodeRed: NodeRed, name: string): Promise<FlowNode[]> {
  const file = name.replace(/\.json$/, "");
  const response = await fetch(`${nodeRed.url}/library/examples/flows/${manifest.name}/${file}`);
  expect(response.status, name).toBe(200);
  const flow = (await response.json()) as FlowNode[];
  return flow.map((node) => {
    if (node.type === "hourgate-config")
      return { ...node, url: gateway.url, mqttUrl: broker.url, credentials: { apiKey: KEY } };
    if (node.type === "hourgate-webhook-in") return { ...node, credentials: { secret: SECRET } };
    if (node.type === "hourgate-slot") return { ...node, slot: 3 };
    if (node.type === "hourgate-vehicle") return { ...node, slot: 4 };
    if (node.type === "debug") return { ...node, name: `${file}: ${node.name}`, console: true };
    return node;
  });
}

/** The device that a user connects to a function node. */
function deviceOf({ id, z }: FlowNode): FlowNode {
  const message = { props: [{ p: "payload" }], payloadType: "json", payload: '{"soc":55,"pv_power_w":2100}' };
  return { id: "device", type: "inject", ...(z !== undefined && { z }), ...message, wires: [[id]] };
}

async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
  });
  await response.text();
  return response.status;
}

it("loads the packed palette, deploys every example with messages at every debug node, and restores an override after a restart", async () => {
  install();
  let nodeRed = await startNodeRed();
  try {
    const list = await fetch(`${nodeRed.url}/nodes`, { headers: { Accept: "application/json" } });
    const sets = ((await list.json()) as { module: string; err?: string; types: string[] }[]).filter(
      ({ module }) => module === manifest.name,
    );
    expect(sets.filter(({ err }) => err !== undefined)).toEqual([]);
    expect(sets.flatMap(({ types }) => types).sort()).toEqual(Object.keys(manifest["node-red"].nodes).sort());

    const imported = (await Promise.all(examples.map(({ name }) => importExample(nodeRed, name)))).flat();
    // All examples share one gateway, as the editor keeps the one that it has.
    const flows = [...new Map(imported.map((node) => [node.id, node])).values()];
    expect(flows.filter(({ type }) => type === "hourgate-config")).toHaveLength(1);
    const readings = flows.find(({ name }) => name === "readings of your devices")!;
    flows.push(deviceOf(readings));
    expect(
      await post(`${nodeRed.url}/flows`, JSON.stringify({ flows }), { "Node-RED-API-Version": "v2" }),
    ).toBe(200);

    const ends = flows.filter(({ type, name }) => type === "debug" && !name!.endsWith(": problem"));
    const silent = () =>
      ends.filter(({ name }) => !nodeRed.output().includes(`[debug:${name}]`)).map(({ name }) => name);
    // Live nodes send without input; the connection must be open before commands are sent over it.
    await nodeRed.until(
      () =>
        nodeRed.output().includes("[debug:slot: 0 or 1]") &&
        nodeRed.output().includes("[debug:plan: all charge runs]"),
      () => "Live nodes sent no message.",
    );
    for (const { id, type } of flows) if (type === "inject") await post(`${nodeRed.url}/inject/${id}`, "{}");
    for (const event of ["plant.plan_updated", "forecast.updated", "webhook.test"]) {
      const body = JSON.stringify({ event, issued_at: "2026-01-15T09:20:00+01:00" });
      const seconds = Math.floor(Date.now() / 1000);
      const v1 = createHmac("sha256", SECRET).update(`${seconds}.${body}`).digest("hex");
      const signature = { "X-Service-Signature": `t=${seconds},v1=${v1}` };
      expect(await post(`${nodeRed.url}/hourgate`, body, signature)).toBe(200);
    }
    const plan = JSON.parse(topics["hourgate/home/plan"]!) as object;
    await broker.publish("hourgate/home/plan", JSON.stringify({ ...plan, discharge_power_kw: 0 }));
    await nodeRed.until(
      () => silent().length === 0,
      () => `No message arrived at: ${silent().join("; ")}`,
    );
    expect(nodeRed.output()).not.toMatch(/: problem\]|\[error\]/);

    // The inject nodes of all examples have run, the last one with "auto". The override to be restored is set separately.
    const button = flows.find(({ name }) => name === "on for 30 minutes")!;
    const before = nodeRed.output().length;
    await post(`${nodeRed.url}/inject/${button.id}`, "{}");
    await nodeRed.until(
      () => /\[debug:charge-now: charge now: 0 or 1\]\s+1\b/.test(nodeRed.output().slice(before)),
      () => "The override had no effect.",
    );
    await nodeRed.end();
    nodeRed = await startNodeRed();
    await nodeRed.until(
      () => /\[debug:charge-now: charge now: 0 or 1\]\s+1\b/.test(nodeRed.output()),
      () => "The override was not restored.",
    );
    expect(JSON.parse(readFileSync(join(folder, "flows.json"), "utf8"))).toBeInstanceOf(Array);
  } finally {
    await nodeRed.end();
  }
}, 60_000);
