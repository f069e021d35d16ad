import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connectAsync } from "mqtt";
import { BENCH_KEY, benchFolder, startBenchGateway } from "./process.js";
import type { BenchLine } from "./table.js";

const CONNECTIONS = 1900;
/** Connections whose request is never complete, of each of two kinds. */
const SLOW = 60;
const MQTT_CLIENTS = 50;

/** Measures responses and the stop of a gateway whose clients are slow, and the stop of one with Node-RED. */
export async function benchStops(): Promise<BenchLine[]> {
  return [...(await benchSlowClients()), await benchNodeRed()];
}

async function benchSlowClients(): Promise<BenchLine[]> {
  const folder = benchFolder();
  const gateway = await startBenchGateway(folder.config);
  const sockets: Socket[] = [];
  try {
    const { port } = new URL(gateway.url);
    for (let index = 0; index < CONNECTIONS; index++) {
      const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      await once(socket, "connect");
    }
    // The oldest ones have been replaced by then; the rest waits for a request.
    for (const socket of sockets.slice(-SLOW)) socket.write("GET /health HTTP/1.1\r\nX-Slow: ");
    for (const socket of sockets.slice(-2 * SLOW, -SLOW))
      socket.write(
        `POST /v1/plant/telemetry HTTP/1.1\r\nContent-Length: 100\r\nX-API-Key: ${BENCH_KEY}\r\n\r\n{"soc_`,
      );
    const answeredMs = await msOf(async () => {
      // On a connection of its own: one that is kept open for reuse may just be closed.
      const [response] = (await once(get(`${gateway.url}/health`, { agent: false }), "response")) as [
        IncomingMessage,
      ];
      response.resume();
      if (response.statusCode !== 200) throw new Error(`/health answers ${response.statusCode}.`);
    });
    for (let index = 0; index < MQTT_CLIENTS; index++) {
      const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
        username: "bench",
        password: BENCH_KEY,
        reconnectPeriod: 0,
      });
      client.on("error", () => {});
      await client.subscribeAsync("hourgate/#", { qos: 1 });
      // It neither reads nor answers any more.
      (client.stream as Socket).pause();
    }
    const stoppedMs = await msOf(() => gateway.stop());
    return [
      {
        name: `response of /health beside ${CONNECTIONS} connections`,
        value: answeredMs,
        unit: "ms",
        goal: "below 2000",
      },
      {
        name: `stop with ${CONNECTIONS} connections and ${MQTT_CLIENTS} silent MQTT clients`,
        value: stoppedMs,
        unit: "ms",
        goal: "below 5000",
      },
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
    await gateway.stop();
    folder.remove();
  }
}

async function benchNodeRed(): Promise<BenchLine> {
  const folder = benchFolder({ node_red: { enabled: true, port: 0 } });
  const gateway = await startBenchGateway(folder.config);
  try {
    for (let isRunning = false; !isRunning; await pause(100)) {
      const { components } = (await (
        await fetch(`${gateway.url}/v1/status`, { headers: { "X-API-Key": BENCH_KEY } })
      ).json()) as { components: { name: string; state: string }[] };
      const state = components.find(({ name }) => name === "node_red")?.state;
      if (state === "down") throw new Error("Node-RED does not start.");
      isRunning = state === "ok";
    }
    return {
      name: "stop with Node-RED running",
      value: await msOf(() => gateway.stop()),
      unit: "ms",
      goal: "below 5000",
    };
  } finally {
    await gateway.stop();
    folder.remove();
  }
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
