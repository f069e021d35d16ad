import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type IClientOptions } from "mqtt";
import { freePort, hasMosquitto, Mosquitto } from "../edges/mqtt/mosquitto.js";
import { BENCH_KEY, benchFolder, startBenchGateway } from "./process.js";

const MESSAGES = 10_000;
const PAYLOAD_BYTES = 100;
const TOPIC = "bench/messages";
/** Publishes that are not acknowledged yet. */
const IN_FLIGHT = 50;
/** Time without a message after which the rest counts as lost. */
const QUIET_MS = 5_000;
const MANY = 1_000_000_000;

interface Throughput {
  broker: string;
  version: number;
  qos: number;
  "messages/s": number;
  lost: number;
  /** Messages that came after a later one. */
  disordered: number;
  repeated: number;
}

/** Messages per second from one client to another through the gateway's own broker, beside Mosquitto where there is one. */
export async function benchBroker(): Promise<Throughput[]> {
  const rows: Throughput[] = [];
  const folder = benchFolder({
    limits: { mqtt: { publishes_per_second: { total: MANY, per_sign_in: MANY } } },
  });
  const gateway = await startBenchGateway(folder.config);
  try {
    rows.push(...(await measured("hourgate", gateway.mqttPort, { username: "bench", password: BENCH_KEY })));
  } finally {
    await gateway.stop();
    folder.remove();
  }
  if (!hasMosquitto()) return rows;
  const store = await mkdtemp(join(tmpdir(), "hourgate-bench-"));
  const mosquitto = new Mosquitto(store, await freePort());
  await mosquitto.start();
  try {
    rows.push(...(await measured("Mosquitto", mosquitto.port, {})));
  } finally {
    await mosquitto.stop();
    await rm(store, { recursive: true });
  }
  return rows;
}

async function measured(broker: string, port: number, access: IClientOptions): Promise<Throughput[]> {
  const rows: Throughput[] = [];
  for (const version of [4, 5] as const)
    for (const qos of [0, 1, 2] as const) {
      const options = { ...access, protocolVersion: version };
      const [from, to] = await Promise.all([
        connectAsync(`mqtt://127.0.0.1:${port}`, options),
        connectAsync(`mqtt://127.0.0.1:${port}`, options),
      ]);
      await to.subscribeAsync(TOPIC, { qos });
      const seen: number[] = [];
      let lastMs = performance.now();
      to.on("message", (_topic, payload) => {
        seen.push(payload.readUInt32BE());
        lastMs = performance.now();
      });
      const beganMs = performance.now();
      const refusals = new Set<string>();
      await publishAll((payload) =>
        from.publishAsync(TOPIC, payload, { qos }).catch((error: Error) => refusals.add(error.message)),
      );
      for (const refusal of refusals) console.log(`${broker}, MQTT ${version}, QoS ${qos}: ${refusal}`);
      while (seen.length < MESSAGES && performance.now() - lastMs < QUIET_MS)
        await new Promise((resolve) => setTimeout(resolve, 5));
      const disordered = seen.filter((number, index) => index > 0 && number < seen[index - 1]!).length;
      const different = new Set(seen).size;
      rows.push({
        broker,
        version: version === 4 ? 3.1 : 5,
        qos,
        "messages/s": Math.round((different / (lastMs - beganMs)) * 1000),
        lost: MESSAGES - different,
        disordered,
        repeated: seen.length - different,
      });
      await Promise.all([from.endAsync(), to.endAsync()]);
    }
  return rows;
}

async function publishAll(publish: (payload: Buffer) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < MESSAGES) {
      const payload = Buffer.alloc(PAYLOAD_BYTES);
      payload.writeUInt32BE(next++);
      await publish(payload);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}
