import { connectAsync, type MqttClient } from "mqtt";
import { sandbox, startGateway, TEST_KEY } from "../../e2e/gateway-process.js";
import { processFigures } from "../../soak/process-figures.js";
import type { Flood } from "./flood.js";
import { connectionFlood } from "./mqtt-connections.js";
import { passwordFlood } from "./mqtt-passwords.js";
import { storageFlood } from "./mqtt-storage.js";
import { subscribeFlood } from "./mqtt-subscribe.js";

const FLOODS: readonly Flood[] = [subscribeFlood, storageFlood, passwordFlood, connectionFlood];
const HEAP = { NODE_OPTIONS: "--max-old-space-size=384" };
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
    for (const flood of FLOODS) {
      const target = {
        httpPort: Number(new URL(gateway.http).port),
        mqttPort: gateway.mqttPort,
        tenant: TENANT,
        household,
      };
      const slowestMs = await slowestAnswer(household, flood.run(target), (error) =>
        failures.push(`${flood.name}: ${error}`),
      );
      const { rssMb, peakRssMb } = processFigures(pid);
      console.log(
        `${flood.name}: slowest answer ${slowestMs.toFixed(0)} ms, ${rssMb.toFixed(0)} MB, peak ${peakRssMb.toFixed(0)} MB`,
      );
      if (slowestMs > flood.answerMs)
        failures.push(`${flood.name}: an answer took ${slowestMs.toFixed(0)} ms`);
      if (peakRssMb > MEMORY_LIMIT_MB) failures.push(`${flood.name}: ${peakRssMb.toFixed(0)} MB`);
    }
    await household.endAsync(true);
    const code = await gateway.end("SIGTERM");
    if (code !== 0) failures.push(`the gateway ended with ${code} after the floods`);
    const again = await startGateway(box.config, HEAP);
    const after = await householdOf(again.mqttPort);
    console.log(`restart after the floods: ${again.readyMs.toFixed(0)} ms`);
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

/** The longest time from a reading to its acknowledgement while the attack runs, milliseconds. */
async function slowestAnswer(
  household: MqttClient,
  attack: Promise<void>,
  onError: (error: unknown) => void,
): Promise<number> {
  let isOver = false;
  const end = attack.catch(onError).finally(() => {
    isOver = true;
  });
  let slowestMs = 0;
  for (let id = 0; !isOver; id++) {
    const started = performance.now();
    const mark = `flood-${started}-${id}`;
    await new Promise<void>((resolve) => {
      const listener = (_topic: string, payload: Buffer) => {
        if (JSON.parse(payload.toString()).id !== mark) return;
        household.off("message", listener);
        resolve();
      };
      household.on("message", listener);
      household.publish("hourgate/home/telemetry", JSON.stringify({ soc_pct: 50, id: mark }), { qos: 1 });
    });
    slowestMs = Math.max(slowestMs, performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await end;
  return slowestMs;
}
