import { connectAsync, type MqttClient } from "mqtt";
import { type GatewayProcess, sandbox, startGateway, TEST_KEY } from "../../e2e/gateway-process.js";
import { processFigures } from "../../soak/process-figures.js";
import type { Flood } from "./flood.js";
import { idleHttpFlood, upgradeFlood } from "./http-connections.js";
import { connectionFlood } from "./mqtt-connections.js";
import { passwordFlood } from "./mqtt-passwords.js";
import { publishFlood } from "./mqtt-publishes.js";
import { storageFlood } from "./mqtt-storage.js";
import { subscribeFlood } from "./mqtt-subscribe.js";

const FLOODS: readonly Flood[] = [
  subscribeFlood,
  publishFlood,
  storageFlood,
  passwordFlood,
  connectionFlood,
  idleHttpFlood,
  upgradeFlood,
];
const HEAP_MB = 384;
const HEAP = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
const MEMORY_LIMIT_MB = 512;
const TENANT = { username: "tenant", password: "the password of the tenant" };

/**
 * Runs all floods against a gateway with a small heap and restarts it afterwards. Prints memory and answer times; returns
 * the violated bounds.
 */
export async function runFloods(): Promise<string[]> {
  const failures: string[] = [];
  const plant = { timezone: "Europe/Vienna", latitude: 48.2, longitude: 16.4 };
  const box = sandbox({
    market: { sources: [] },
    weather: { sources: [] },
    node_red: { enabled: true, port: 0 },
    plants: [
      { ...plant, id: "home" },
      { ...plant, id: "cabin" },
    ],
    mqtt: { broker: { host: "127.0.0.1", port: 0, users: [{ ...TENANT, plant: "cabin" }] } },
  });
  try {
    const gateway = await startGateway(box.config, HEAP);
    const pid = Number(/"pid":(\d+)/.exec(gateway.output())?.[1]);
    const household = await householdOf(gateway.mqttPort);
    const editorPort = await editorPortOf(gateway);
    for (const flood of FLOODS) {
      const target = {
        editorPort,
        httpPort: Number(new URL(gateway.http).port),
        mqttPort: gateway.mqttPort,
        tenant: TENANT,
        household,
      };
      const attack = { isOver: false };
      const running = flood
        .run(target)
        .catch((error) => failures.push(`${flood.name}: ${error}`))
        .finally(() => {
          attack.isOver = true;
        });
      const [mqttMs, httpMs] = await Promise.all([
        slowestAnswer(attack, (mark) => acknowledged(household, mark)),
        slowestAnswer(attack, () => answered(gateway.http)),
      ]);
      await running;
      const { rssMb, peakRssMb } = processFigures(pid);
      console.log(
        `${flood.name}: slowest answer by MQTT ${mqttMs.toFixed(0)} ms, by HTTP ${httpMs.toFixed(0)} ms, ${rssMb.toFixed(0)} MB, peak ${peakRssMb.toFixed(0)} MB`,
      );
      for (const slowestMs of [mqttMs, httpMs])
        if (slowestMs > flood.answerMs)
          failures.push(`${flood.name}: an answer took ${slowestMs.toFixed(0)} ms`);
      if (peakRssMb > MEMORY_LIMIT_MB) failures.push(`${flood.name}: ${peakRssMb.toFixed(0)} MB`);
    }
    await household.endAsync(true);
    const code = await gateway.end("SIGTERM");
    if (code !== 0) failures.push(`the gateway ended with ${code} after the floods`);
    const again = await startGateway(box.config, HEAP);
    const after = await householdOf(again.mqttPort);
    const restarted = processFigures(Number(/"pid":(\d+)/.exec(again.output())?.[1])).peakRssMb;
    console.log(
      `restart after the floods: ${again.readyMs.toFixed(0)} ms, peak ${restarted.toFixed(0)} MB with a heap of ${HEAP_MB} MB`,
    );
    if (restarted > MEMORY_LIMIT_MB) failures.push(`restart after the floods: ${restarted.toFixed(0)} MB`);
    await after.endAsync(true);
    await again.end("SIGTERM");
  } catch (error) {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  box.remove();
  return failures;
}

async function householdOf(port: number): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { username: "home", password: TEST_KEY });
  client.on("error", () => {});
  await client.subscribeAsync("hourgate/home/ack");
  return client;
}

/** The longest time of an answer while the attack runs, milliseconds. */
async function slowestAnswer(
  attack: { isOver: boolean },
  ask: (mark: string) => Promise<void>,
): Promise<number> {
  let slowestMs = 0;
  for (let id = 0; !attack.isOver; id++) {
    const started = performance.now();
    await ask(`flood-${started}-${id}`);
    slowestMs = Math.max(slowestMs, performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return slowestMs;
}

/** Sends a reading and waits for its acknowledgement. */
function acknowledged(household: MqttClient, mark: string): Promise<void> {
  return new Promise((resolve) => {
    const listener = (_topic: string, payload: Buffer) => {
      if (JSON.parse(payload.toString()).id !== mark) return;
      household.off("message", listener);
      resolve();
    };
    household.on("message", listener);
    household.publish("hourgate/home/telemetry", JSON.stringify({ soc_pct: 50, id: mark }), { qos: 1 });
  });
}

/** Asks for the plan on a connection of its own. */
async function answered(base: string): Promise<void> {
  const headers = { "X-API-Key": TEST_KEY, Connection: "close" };
  // A connection that is replaced before its request is read is repeated, as by any client; that counts as waiting.
  for (;;) {
    const response = await fetch(`${base}/v1/status`, { headers }).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
  }
}

/** The port of the editor once Node-RED is running. */
async function editorPortOf(gateway: GatewayProcess): Promise<number> {
  while (!gateway.output().includes('"Node-RED is running."'))
    await new Promise((next) => setTimeout(next, 50));
  const line = gateway
    .output()
    .split("\n")
    .find((one) => one.includes("The port of the Node-RED editor is open."))!;
  return (JSON.parse(line) as { port: number }).port;
}
