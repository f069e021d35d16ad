import { join } from "node:path";
import { expect, it } from "vitest";
import { LevelSeries } from "../../src/store/level-series.js";
import { SampleArchive } from "../../src/store/sample-archive.js";
import { call, type GatewayProcess } from "../e2e/gateway-process.js";
import { device, started, testSite } from "./support/gateway.js";

const firstMs = Date.parse("2026-01-14T00:00:00Z");
/** What a meter can count in a second. */
const kwhOf = (index: number) => index / 1000;
const timestamp = (second: number) => new Date(firstMs + second * 1000).toISOString();

/** Collects acknowledged values; `until` waits for a number of them. */
function tally() {
  let enough: (() => void) | undefined;
  const values = new Set<number>();
  return {
    values,
    add(value: number) {
      values.add(value);
      enough?.();
    },
    until: (count: number) =>
      new Promise<void>((resolve) => {
        enough = () => values.size >= count && resolve();
        enough();
      }),
  };
}

/** Sends in sequence until the gateway has exited. */
async function burst(send: (index: number) => Promise<void>, lane: number, lanes: number): Promise<void> {
  try {
    for (let index = lane; ; index += lanes) await send(index);
  } catch {
    // After the kill, requests without a response may or may not be stored.
  }
}

/** All stored values of a reading in a data folder. */
async function heldIn(data: string, reading: "import_kwh" | "export_kwh"): Promise<Set<number>> {
  const database = await LevelSeries.open(join(data, "series"));
  const samples = await SampleArchive.open(database);
  const held = await samples.range("home", reading, new Date(0), new Date(1e13));
  await samples.close();
  await database.close();
  return new Set(held.map(({ value }) => value));
}

async function killedAmidBursts(gateway: GatewayProcess) {
  const http = tally();
  const mqtt = tally();
  const slots = tally();
  const client = await device(gateway);
  const answers = new Map<number, () => void>();
  client.on("message", (_topic, payload) => {
    const { ok, id } = JSON.parse(payload.toString()) as { ok: boolean; id: number };
    if (ok) mqtt.add(id);
    answers.get(id)?.();
  });
  await client.subscribeAsync("hourgate/home/ack", { qos: 1 });
  const sendMqtt = async (index: number) => {
    const acknowledged = new Promise<void>((resolve) => answers.set(index, resolve));
    const sample = { timestamp: timestamp(index), export_kwh: kwhOf(index), id: index };
    await client.publishAsync("hourgate/home/telemetry", JSON.stringify(sample), { qos: 1 });
    await acknowledged;
  };
  const sendHttp = async (index: number) => {
    const { status } = await call(gateway, "/v1/plant/telemetry", {
      body: { timestamp: timestamp(index), import_kwh: kwhOf(index) },
    });
    if (status === 200) http.add(index);
  };
  const sendSlot = async (index: number) => {
    // The energy identifies the request.
    const body = { slot_id: "1", energy_kwh: 1 + index / 100, window_start_hour: 20, window_end_hour: 6 };
    const { status } = await call(gateway, "/v1/decision/windows", { body });
    if (status === 200) slots.add(index);
  };
  void burst(sendSlot, 0, 1);
  for (const lane of [0, 1, 2]) {
    void burst(sendHttp, lane, 3);
    // A message interrupted by the kill is never acknowledged: this lane ends with the test.
    void burst(sendMqtt, lane, 3);
  }
  await Promise.all([http.until(120), mqtt.until(60), slots.until(15)]);
  await gateway.end("SIGKILL");
  return { http: http.values, mqtt: mqtt.values, slots: slots.values };
}

it("kill -9 during bursts over HTTP and MQTT: every acknowledged sample and slot request is kept", async () => {
  const { config, data } = testSite({ quotas: { professional: { decision: 100_000, telemetry: 100_000 } } });
  const gateway = await started(config);
  const acknowledged = await killedAmidBursts(gateway);

  const again = await started(config);
  const { json } = await call(again, "/v1/plant/device-schedules");
  const recipe = json.recipes.find(({ slot_id }: { slot_id: unknown }) => String(slot_id) === "1");
  expect(recipe.origin).toBe("request");
  // Requests are sequential: the stored one is the last acknowledged one or the one in progress.
  const lastSlot = Math.max(...acknowledged.slots);
  const planned = recipe.windows.reduce(
    (sum: number, window: { energy_kwh: number }) => sum + window.energy_kwh,
    0,
  );
  expect([1 + lastSlot / 100, 1 + (lastSlot + 1) / 100].some((kwh) => Math.abs(kwh - planned) < 1e-6)).toBe(
    true,
  );
  const { latest } = (await call(again, "/v1/plant/telemetry", { body: { soc_pct: 50 } })).json;
  expect(latest.import_kwh).toBeGreaterThanOrEqual(kwhOf(Math.max(...acknowledged.http)));
  expect(latest.export_kwh).toBeGreaterThanOrEqual(kwhOf(Math.max(...acknowledged.mqtt)));
  await again.end("SIGKILL");

  const [imports, exports] = [await heldIn(data, "import_kwh"), await heldIn(data, "export_kwh")];
  expect([...acknowledged.http].filter((index) => !imports.has(kwhOf(index)))).toEqual([]);
  // One MQTT sample per 10 s is stored: each window with an acknowledged sample has one.
  const windows = new Set([...exports].map((kwh) => Math.floor((kwh * 1000 + 1e-6) / 10)));
  expect([...acknowledged.mqtt].filter((index) => !windows.has(Math.floor(index / 10)))).toEqual([]);
});
