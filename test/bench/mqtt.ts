import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Aedes } from "aedes";
import { connectAsync, type MqttClient } from "mqtt";
import { BENCH_KEY, type BenchGateway } from "./process.js";
import type { BenchLine } from "./table.js";

const ROUNDS = 50;
/** Rounds before, until the code that plans is compiled; the first of them is a figure of its own. */
const WARM_UP = 30;
/** More than a battery does in a second, but within the tolerance for which a reading still counts. */
const SOCS_PCT = [9, 12] as const;
/** Plans are computed at most once per second: shorter pauses would measure that limit. */
const PAUSE_MS = 1_100;

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
}

/** Publishes a message and waits for the resulting one; returns the duration of each round, ms. */
async function roundTrips(
  client: MqttClient,
  { send, isResult }: { send: (round: number) => [string, string]; isResult: (topic: string) => boolean },
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    await new Promise((over) => setTimeout(over, PAUSE_MS));
    const arrived = new Promise<number>((found, fail) => {
      const limit = setTimeout(() => fail(new Error("No message was received within 10 s.")), 10_000);
      const listener = (topic: string) => {
        if (!isResult(topic)) return;
        clearTimeout(limit);
        client.off("message", listener);
        found(performance.now());
      };
      client.on("message", listener);
    });
    const began = performance.now();
    client.publish(...send(round));
    times.push((await arrived) - began);
  }
  return times;
}

/** Time from a reading on MQTT to the resulting outputs, compared with the round trip of a plain broker. */
export async function benchMqtt(gateway: BenchGateway): Promise<BenchLine[]> {
  const ours = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
    username: "bench",
    password: BENCH_KEY,
  });
  await ours.subscribeAsync("hourgate/home/outputs");
  const broker = await Aedes.createBroker();
  const server = createServer({ noDelay: true }, broker.handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bare = await connectAsync(`mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await bare.subscribeAsync("bench/back");
  const [all, messages] = await Promise.all([
    roundTrips(ours, {
      send: (round) => ["hourgate/home/telemetry", JSON.stringify({ soc_pct: SOCS_PCT[round % 2] })],
      isResult: (topic) => topic === "hourgate/home/outputs",
    }),
    roundTrips(bare, { send: () => ["bench/back", "1"], isResult: (topic) => topic === "bench/back" }),
  ]);
  const outputs = all.slice(WARM_UP);
  await Promise.all([ours.endAsync(true), bare.endAsync(true)]);
  await new Promise<void>((closed) => broker.close(closed));
  server.close();
  return [
    { name: "telemetry to outputs on MQTT, median", value: percentile(outputs, 0.5), unit: "ms", goal: "" },
    {
      name: "telemetry to outputs on MQTT, p99 (slowest of 50)",
      value: percentile(outputs, 0.99),
      unit: "ms",
      goal: "",
    },
    {
      name: "… p99 / p99 of a plain broker's round trip",
      value: percentile(outputs, 0.99) / percentile(messages.slice(WARM_UP), 0.99),
      unit: "×",
      goal: "",
    },
    { name: "… of the first telemetry after a start", value: all[0]!, unit: "ms", goal: "" },
  ];
}
