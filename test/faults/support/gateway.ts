import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { onTestFinished } from "vitest";
import { call, type GatewayProcess, sandbox, startGateway, TEST_KEY } from "../../e2e/gateway-process.js";

/** A plant with flex slots. With two days of generated prices the price model is not trained, which keeps tests fast. */
const PLANT = {
  id: "home",
  timezone: "Europe/Vienna",
  battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
  slots: [1, 2, 3].map((slot) => ({ slot, kind: "wallbox", power_kw: 11 })),
};

/** A temporary folder, removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-faults-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A gateway's folder and configuration, removed at the end of the test; `settings` override the defaults. */
export function testSite(settings: Record<string, unknown> = {}) {
  const prices = join(temporaryFolder(), "prices.csv");
  const hours = Array.from({ length: 48 }, (_, hour) => {
    const start = new Date(Date.parse("2026-01-14T23:00:00Z") + hour * 3_600_000);
    return `${start.toISOString()},${60 + 40 * Math.sin(hour)}`;
  });
  writeFileSync(prices, `start_utc,eur_per_mwh\n${hours.join("\n")}\n`);
  const box = sandbox({
    clock: { start: "2026-01-15T02:30:00+01:00", speed: 0 },
    market: { sources: [{ type: "file", path: prices }] },
    weather: { sources: [] },
    plants: [PLANT],
    ...settings,
  });
  onTestFinished(box.remove);
  return { ...box, data: join(box.folder, "data") };
}

/** Starts a gateway that is killed at the end of the test; `environment` extends that of the test. */
export async function started(
  config: string,
  environment: Record<string, string> = {},
): Promise<GatewayProcess> {
  const gateway = await startGateway(config, environment);
  onTestFinished(async () => void (await gateway.end("SIGKILL")));
  return gateway;
}

/** The output of a gateway that refuses to start. Throws an Error if it starts. */
export async function refusalOf(config: string): Promise<string> {
  const gateway = await startGateway(config).catch((error: Error) => error.message);
  if (typeof gateway === "string") return gateway;
  await gateway.end("SIGKILL");
  throw new Error(`The gateway started:\n${gateway.output()}`);
}

/** The state of a component in `/v1/status`. */
export async function stateOf(gateway: GatewayProcess, component: string): Promise<string | undefined> {
  const { components } = (await call(gateway, "/v1/status")).json;
  return components.find(({ name }: { name: string }) => name === component)?.state;
}

/** An MQTT client with the owner's key, closed at the end of the test. */
export async function device(gateway: GatewayProcess, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
    username: "device",
    password: TEST_KEY,
    reconnectPeriod: 0,
    ...options,
  });
  client.on("error", () => {});
  onTestFinished(() => void client.end(true));
  return client;
}

/** Sends raw bytes on a new connection and resolves with all data received until it is closed. */
export function raw(gateway: GatewayProcess, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(gateway.http).port), "127.0.0.1");
    let received = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}
