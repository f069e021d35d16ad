import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectAsync } from "mqtt";
import { chromium } from "playwright-core";
import { WebSocket } from "ws";
import { call, type GatewayProcess, TEST_KEY } from "../e2e/gateway-process.js";
import { examples, type FlowNode, germanExamples, manifest } from "../edges/node-red/palette.js";
import {
  counterpartEnvironment,
  eventually,
  expectEqual,
  freePort,
  gatewayOnRecordedPrices,
  npmInstall,
  npmPack,
  programPath,
  runUntilEnd,
  type Trial,
  trial,
} from "./support.js";

/**
 * Plain Node-RED 4 and 5 from npm with the packed palette: all examples are deployed against a running gateway, values and
 * answers are compared with the API, and the dialogs of all nodes are opened in Chromium.
 */
const VERSIONS = ["4", "5"];
const TYPES = Object.keys(manifest["node-red"].nodes);
const QUERIES = ["hourgate-windows", "hourgate-hours-demand", "hourgate-forecast"];

interface DebugMessage {
  id: string;
  msg: unknown;
}

/** All examples as one flow with the gateway's address and key. */
function allExamples(gateway: GatewayProcess): FlowNode[] {
  const nodes = new Map<string, FlowNode>();
  for (const { flow } of [...examples, ...germanExamples]) for (const node of flow) nodes.set(node.id, node);
  return [...nodes.values()].map((node) =>
    node.type === "hourgate-config"
      ? {
          ...node,
          url: gateway.http,
          plant: "home",
          mqttUrl: `mqtt://127.0.0.1:${gateway.mqttPort}`,
          credentials: { apiKey: TEST_KEY },
        }
      : node,
  );
}

/** What Node-RED tells its editor: debug messages, and the last status of each node. */
function listen(trial: Trial, url: string) {
  const debug: DebugMessage[] = [];
  const status = new Map<string, { fill?: string; text?: string }>();
  const socket = new WebSocket(`${url.replace("http", "ws")}/comms`);
  trial.atEnd(() => socket.terminate());
  socket.on("message", (data) => {
    const received = JSON.parse(data.toString()) as unknown;
    for (const { topic, data: about } of [received].flat() as { topic: string; data: never }[]) {
      if (topic === "debug") debug.push(about);
      if (topic?.startsWith("status/")) status.set(topic.slice("status/".length), about);
    }
  });
  const opened = new Promise<void>((open, fail) => {
    socket.on("error", fail);
    socket.on("open", () => {
      for (const subscribe of ["debug", "status/#"]) socket.send(JSON.stringify({ subscribe }));
      open();
    });
  });
  return { debug, status, opened };
}

/** A flow that is a Shelly Gen2 relay on Node-RED's port, as hourgate's template uses it. */
function shellyFlow(): FlowNode[] {
  const z = "shelly";
  const answers = {
    "post /rpc/Switch.Set": "flow.set('on', msg.payload.on); msg.payload = { was_on: !msg.payload.on };",
    "get /rpc/Switch.GetStatus": "msg.payload = { id: 0, output: flow.get('on') === true };",
    "get /rpc/Sys.GetStatus": "msg.payload = { uptime: Math.round(Date.now() / 1000) };",
  };
  const nodes = Object.entries(answers).flatMap(([request, code], index) => {
    const [method, url] = request.split(" ");
    return [
      { id: `in${index}`, type: "http in", z, method, url, wires: [[`fn${index}`]] },
      { id: `fn${index}`, type: "function", z, func: `${code} return msg;`, outputs: 1, wires: [["out"]] },
    ];
  });
  return [
    { id: z, type: "tab", label: "Shelly" },
    ...nodes,
    { id: "out", type: "http response", z, wires: [] },
  ];
}

async function ask(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}

/** Nodes that a node feeds, directly or over others. */
function fedBy(flow: readonly FlowNode[], id: string): FlowNode[] {
  const next = flow.find((node) => node.id === id)?.wires?.flat() ?? [];
  return next.flatMap((one) => [flow.find((node) => node.id === one)!, ...fedBy(flow, one)]);
}

/** Opens the dialog of a node of each type in the editor; returns the errors of the page. */
async function openDialogs(url: string, flow: readonly FlowNode[]): Promise<string[]> {
  const executablePath = programPath("chromium");
  if (executablePath === undefined) throw new Error("Chromium is missing; install the package chromium.");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("console", (message) => {
      // Without Internet the catalogue of Node-RED's palette manager cannot be loaded.
      const isOfEditor = message.location().url.startsWith(url);
      if (message.type() === "error" && isOfEditor)
        errors.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(url);
    await page.waitForFunction("window.RED && RED.nodes && RED.nodes.filterNodes({}).length > 50");
    for (const type of TYPES) {
      const { id } = flow.find((node) => node.type === type)!;
      const open =
        type === "hourgate-config"
          ? `RED.editor.editConfig("", "${type}", "${id}")`
          : `RED.editor.edit(RED.nodes.node("${id}"))`;
      await page.evaluate(open);
      await page.locator(".red-ui-tray .red-ui-tray-body form .form-row:visible").first().waitFor();
      await page.locator("#node-dialog-cancel, #node-config-dialog-cancel").last().click();
      await page.locator(".red-ui-tray").waitFor({ state: "detached" });
    }
    return errors;
  } finally {
    await browser.close();
  }
}

async function tryVersion(
  of: Trial,
  version: string,
  { packed, node, env }: { packed: string; node: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const program = await npmInstall(of, `node-red-${version}`, [`node-red@${version}`], { env });
  const user = await npmInstall(of, `user-${version}`, [packed], { env });
  const port = await freePort();
  const shelly = `127.0.0.1:${port}`;
  const relay = { id: "boiler", controls: "slot 2", template: "shelly-gen2", with: { host: shelly } };
  const gateway = await gatewayOnRecordedPrices(of, {
    plants: [
      {
        id: "home",
        battery: { capacity_kwh: 10 },
        slots: [
          { slot: 1, kind: "wallbox", label: "Garage" },
          { slot: 2, kind: "boiler", power_kw: 2 },
        ],
        actuators: [{ ...relay, enabled: true, dry_run: false }],
      },
    ],
  });
  await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 20 } });
  const { json: plan } = await call(gateway, "/v1/decision/hours-demand", { body: {} });

  // Without the first start's tour and its question about update checks, which cover the editor.
  const settings = "module.exports = { editorTheme: { tours: false }, telemetry: { enabled: false } };\n";
  writeFileSync(join(user, "settings.js"), settings);
  const red = join(program, "node_modules/node-red/red.js");
  const running = runUntilEnd(of, [node, red, "--userDir", user, "--port", `${port}`], { env });
  const url = `http://127.0.0.1:${port}`;
  const sets = await eventually("the palette in Node-RED", async () => {
    if (running.hasEnded()) throw new Error(running.output());
    const response = await ask(`${url}/nodes`, { headers: { Accept: "application/json" } });
    const nodes = (await response.json()) as { module: string; types: string[]; err?: string }[];
    const own = nodes.filter(({ module }) => module === manifest.name);
    return own.length > 0 && own;
  });
  const faults = sets.flatMap(({ err, types }) => (err === undefined ? [] : [`${types}: ${err}`]));
  expectEqual("nodes that do not load", faults, []);
  expectEqual("types", sets.flatMap(({ types }) => types).sort(), [...TYPES].sort());
  of.step(`Node-RED ${version} has loaded the ${TYPES.length} node types`);

  const { debug, status, opened } = listen(of, url);
  await opened;
  const flow = [...allExamples(gateway), ...shellyFlow()];
  await ask(`${url}/flows`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Node-RED-Deployment-Type": "full" },
    body: JSON.stringify(flow),
  });
  const first = (type: string) => flow.find((one) => one.type === type)!;
  const messagesOf = (id: string) => {
    const ids = new Set(fedBy(flow, id).map((one) => one.id));
    return debug.filter((message) => ids.has(message.id)).map(({ msg }) => msg);
  };
  for (const [type, value] of [
    ["hourgate-charge-now", plan.charge_now],
    ["hourgate-output", plan.outputs.O1],
  ] as const)
    await eventually(`${value} from ${type}`, () => messagesOf(first(type).id).includes(`${value}`));
  await eventually("the discharge cap", () =>
    messagesOf(first("hourgate-discharge-cap").id).some((text) =>
      `${text}`.includes(`"discharge_power_kw":${plan.discharge_power_kw}`),
    ),
  );
  const live = flow.filter(({ type }) => /-(charge-now|discharge-cap|output|plan|slot|vehicle)$/.test(type));
  await eventually("the status of all live nodes", () => live.every(({ id }) => status.has(id)));
  const broken = live
    .filter(({ id }) => status.get(id)!.fill === "red")
    .map(({ id, type }) => [type, status.get(id)]);
  expectEqual("live nodes with an error", broken, []);
  of.step(
    `${live.length} live nodes are connected; charge now ${plan.charge_now}, O1 and discharge cap as in the API`,
  );

  const inject = (id: string) => ask(`${url}/inject/${id}`, { method: "POST" });
  for (const type of QUERIES) {
    const query = first(type);
    const trigger = flow.find((one) => one.type === "inject" && one.wires!.flat().includes(query.id))!;
    const before = messagesOf(query.id).length;
    await inject(trigger.id);
    await eventually(`an answer of ${type}`, () => messagesOf(query.id).length > before);
  }
  const charge = first("hourgate-charge-now");
  const on = flow.find((one) => one.type === "inject" && one.z === charge.z && /^off/.test(one.name ?? ""))!;
  await inject(on.id);
  await eventually("the override of charge now", () => messagesOf(charge.id).at(-1) === "0");
  of.step(`${QUERIES.length} queries are answered; an override by message changes the output`);

  const isOn = async () =>
    ((await (await ask(`http://${shelly}/rpc/Switch.GetStatus?id=0`)).json()) as { output: boolean }).output;
  let state = "";
  const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
    username: "x",
    password: TEST_KEY,
  });
  of.atEnd(() => client.endAsync(true));
  client.on("message", (_, payload) => {
    state = payload.toString();
  });
  await client.subscribeAsync("hourgate/home/actuators/boiler/state");
  await call(gateway, "/v1/plant/device-overrides", { body: { slot_id: "2", override: "run" } });
  await eventually("the relay is on", isOn);
  await eventually("the state of the actuator", () => state === "confirmed");
  of.step("a flow that is a Shelly Gen2 is switched on by the gateway's actuator and confirmed");

  expectEqual("errors in the editor", await openDialogs(url, flow), []);
  of.step(`the dialogs of ${TYPES.length} node types open in Chromium without an error in the console`);
  await gateway.end("SIGTERM");
  const isStale = ({ id }: FlowNode) => `${status.get(id)?.text}`.includes("stale");
  await eventually("stale values after the end of the gateway", () => isStale(charge));
  expectEqual("the relay after the end of the gateway", await isOn(), false);
  of.step("after the end of the gateway the values are marked as stale, and the relay is off");
  await running.stop();
}

await trial("Node-RED", async (of) => {
  const packed = await npmPack(of, resolve(import.meta.dirname, "../../node-red-nodes"));
  const environment = await counterpartEnvironment(of);
  for (const version of VERSIONS) await tryVersion(of, version, { packed, ...environment });
});
