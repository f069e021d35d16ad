import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import mqtt from "mqtt";
import { expect, it } from "vitest";
import { askGateway } from "../../src/ops/admin/client.js";
import { eventually } from "../support/eventually.js";
import { APPROVED_TOPIC, type Cast, emailOf, startCast } from "./cast.js";

/** Keys and values of a closed database as text. */
async function contentOf(folder: string): Promise<string> {
  const database = new ClassicLevel(folder);
  await database.open();
  const entries = await database.iterator().all();
  await database.close();
  return entries.flat().join("\n");
}

/** Everything that the gateway keeps, except the audit log. */
async function keptBy({ dataFolder }: Cast): Promise<string> {
  const state = ["state.json", "state.json.backup"].map((name) =>
    readFileSync(join(dataFolder, name), "utf8"),
  );
  const databases = await Promise.all(
    ["series", "broker/broker"].map((name) => contentOf(join(dataFolder, name))),
  );
  return [...state, ...databases].join("\n");
}

it("a deleted account leaves no data: settings, history, documents, MQTT sessions and retained messages", async () => {
  const cast = await startCast();
  const site = cast.sites.tenant!;
  const key = { "X-API-Key": cast.keys.tenant!, "Content-Type": "application/json" };
  const post = (path: string, body: object) =>
    fetch(cast.url + path, { method: "POST", headers: key, body: JSON.stringify(body) });
  await post("/v1/plant/telemetry", { soc_pct: 50, pv_power_kw: 1 });
  await post("/v1/decision/windows", { duration_hours: 2, slot_id: 3 });
  expect((await post("/v1/decision/hours-demand", {})).status).toBe(200);
  const device = await mqtt.connectAsync(cast.mqttUrl, {
    username: "meter",
    password: cast.keys.tenant!,
    clientId: "meter",
    clean: false,
    reconnectPeriod: 0,
  });
  await device.subscribeAsync(`hourgate/${site}/#`, { qos: 1 });
  await device.publishAsync(APPROVED_TOPIC, "its own message", { qos: 1, retain: true });
  const observer = await mqtt.connectAsync(cast.mqttUrl, { username: "me", password: cast.keys.admin! });
  const retained = new Map<string, string>();
  observer.on("message", (topic, payload) => {
    if (!/\/(heartbeat|ack)$/.test(topic)) retained.set(topic, payload.toString());
  });
  await observer.subscribeAsync([`hourgate/${site}/#`, APPROVED_TOPIC], { qos: 1 });
  await eventually(() =>
    expect([...retained.keys()]).toEqual(expect.arrayContaining([APPROVED_TOPIC, `hourgate/${site}/plan`])),
  );

  const answer = await askGateway(cast.dataFolder, {
    command: "account delete",
    arguments: { email: emailOf("tenant") },
  });
  expect(answer).toMatchObject({ ok: true });
  await eventually(() => expect([...retained].filter(([, text]) => text !== "")).toEqual([]));
  await eventually(() => expect(device.connected).toBe(false));
  expect(await (await fetch(`${cast.url}/c/${cast.links.telemetry}/line`)).text()).toContain("unknown link");
  await Promise.all([device.endAsync(true), observer.endAsync(true)]);
  await cast.halt();
  // What was in progress at the deletion is deleted at the next start.
  await cast.again();
  const kept = await keptBy(cast);
  for (const trace of [site, emailOf("tenant"), "its own message", "boiler of tenant"])
    expect(kept, trace).not.toContain(trace);
  // The others are still there, and what the gateway has retained.
  expect(kept).toContain("retained:hourgate");
  for (const trace of [cast.sites.partner!, emailOf("other")]) expect(kept).toContain(trace);
  await cast.stop();
});
