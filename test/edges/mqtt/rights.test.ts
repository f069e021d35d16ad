import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MqttApprovals } from "../../../src/accounts/mqtt-approvals.js";
import { silentLog } from "../../../src/core/log.js";
import { StateFile } from "../../../src/store/state.js";
import type { TopicMapEntry } from "../../../src/telemetry/topic-map.js";
import { componentOf } from "../../support/components.js";
import { manualClock } from "../../support/manual-clock.js";
import { KEYS, NOW, SITES, withGateway } from "./harness.js";

const map = (topic: string): TopicMapEntry => ({ topic, path: "", field: "soc_pct", scale: 1, offset: 0 });

/** Approvals of sites that belong to tenants, except those of the administrator. */
async function tenantApprovals(administrator: string | undefined = undefined): Promise<MqttApprovals> {
  const folder = mkdtempSync(join(tmpdir(), "hourgate-approvals-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const state = await StateFile.open(join(folder, "state.json"), silentLog);
  const account = {
    email: "a@example.com",
    passwordHash: "x",
    plan: "professional" as const,
    createdAt: "x",
  };
  await state.update((draft) => {
    draft.accounts.push(
      { ...account, id: "tenant", administrator: false },
      { ...account, id: "owner", administrator: true },
    );
  });
  const sites = {
    get: (id: string) => {
      const site = SITES.find((one) => one.id === id);
      return site && { ...site, accountId: id === administrator ? "owner" : "tenant" };
    },
  };
  return new MqttApprovals({ state, clock: manualClock(NOW), sites });
}

describe("telemetry maps of tenants", () => {
  it("grant no rights: topics of others can neither be published to nor read", async () => {
    const approvals = await tenantApprovals();
    await withGateway(
      async ({ service, stored, components }, device) => {
        const owner = await device(KEYS.owner);
        await owner.subscribe("#");
        const tenant = await device(KEYS.cabin);
        await tenant.subscribe("hourgate/cabin/ack");
        const topics = [
          "hourgate/home/telemetry/soc_pct",
          "homeassistant/sensor/x/config",
          "relays/1/set",
          "prices/day-ahead",
        ];
        for (const topic of topics) await tenant.publish(topic, "1", 1, true);
        await tenant.until(() => tenant.acks("cabin").length === topics.length);
        expect(tenant.acks("cabin").map(({ ok }) => ok)).toEqual([false, false, false, false]);
        await owner.publish("private/meter", "42");
        await owner.until(() => owner.texts("private/meter").length === 1);
        await owner.settled();
        for (const topic of topics) expect(owner.texts(topic), topic).toEqual([]);
        expect(service.lastPayloads("cabin")).toEqual([]);
        expect(stored.filter(({ siteId }) => siteId === "cabin")).toEqual([]);
        expect(componentOf(components, "mqtt_maps")).toMatchObject({
          state: "degraded",
          detail: expect.stringContaining("# of cabin"),
        });
      },
      {},
      { approvals, telemetryMap: (siteId) => (siteId === "cabin" ? [map("#")] : []) },
    );
  });

  it("may read and publish below an approved prefix until it is revoked", async () => {
    const approvals = await tenantApprovals();
    await approvals.approve("cabin", "meters/#", { access: "publish" });
    await approvals.approve("cabin", "shared/+", { access: "read" });
    await withGateway(
      async ({ service, stored }, device) => {
        const tenant = await device(KEYS.cabin);
        await tenant.subscribe("hourgate/cabin/ack");
        await tenant.publish("meters/1", "55");
        await tenant.until(() => tenant.acks("cabin").length === 1);
        await tenant.publish("shared/x", "1");
        await tenant.until(() => tenant.acks("cabin").length === 2);
        expect(tenant.acks("cabin").map(({ ok }) => ok)).toEqual([true, false]);
        expect(stored.map(({ siteId, sample }) => [siteId, sample.values])).toEqual([
          ["cabin", { soc_pct: 55 }],
        ]);
        expect(service.lastPayloads("cabin").map(({ topic }) => topic)).toEqual(["meters/1"]);
        await approvals.revoke("cabin", "meters/#");
        expect(service.lastPayloads("cabin")).toEqual([]);
        await tenant.publish("meters/1", "56");
        await tenant.until(() => tenant.acks("cabin").length === 3);
        expect(tenant.acks("cabin").at(-1)?.ok).toBe(false);
      },
      {},
      { approvals, telemetryMap: (siteId) => (siteId === "cabin" ? [map("meters/+"), map("#")] : []) },
    );
  });

  it("of the administrator need no approval, also for a user of the configuration", async () => {
    const approvals = await tenantApprovals("home");
    await withGateway(
      async ({ stored }, device) => {
        const meter = await device("secret", { username: "meter" });
        await meter.subscribe("hourgate/home/ack");
        await meter.publish("meters/1", "55");
        await meter.until(() => meter.acks().some(({ ok }) => ok));
        expect(stored).toHaveLength(1);
      },
      { users: [{ username: "meter", password: "secret", plant: "home", publish: [], subscribe: [] }] },
      { approvals, telemetryMap: (siteId) => (siteId === "home" ? [map("meters/+")] : []) },
    );
  });
});

it("a price topic cannot be set by a tenant, even with an approval, but by a user of the configuration", async () => {
  const approvals = await tenantApprovals();
  await approvals.approve("cabin", "prices/#", { access: "publish" });
  const prices: string[] = [];
  await withGateway(
    async (_gateway, device) => {
      const tenant = await device(KEYS.cabin);
      await tenant.subscribe("hourgate/cabin/ack");
      await tenant.publish("prices/day-ahead", "evil");
      await tenant.until(() => tenant.acks("cabin").length === 1);
      const publisher = await device("secret", { username: "prices" });
      await publisher.publish("prices/day-ahead", "good");
      await publisher.settled("cabin");
      expect(prices).toEqual(["good"]);
    },
    {
      users: [
        {
          username: "prices",
          password: "secret",
          plant: "cabin",
          publish: ["prices/day-ahead"],
          subscribe: [],
        },
      ],
    },
    {
      approvals,
      listeners: [{ topic: "prices/day-ahead", receive: (payload) => void prices.push(payload) }],
    },
  );
});

it("a user's filters extend its rights, and nothing else", () =>
  withGateway(
    async (_gateway, device) => {
      const owner = await device(KEYS.owner);
      const user = await device("secret", { username: "node-red" });
      expect(await user.subscribe("zigbee2mqtt/+/state")).toBe(1);
      expect(await user.subscribe("zigbee2mqtt/#")).toBe(128);
      expect(await owner.subscribe("#")).toBe(1);
      await user.publish("zigbee2mqtt/lamp/set", "ON");
      await user.publish("zigbee2mqtt/bridge/request", "x");
      await owner.publish("zigbee2mqtt/lamp/state", "1");
      await user.until(() => user.last("zigbee2mqtt/lamp/state") === "1");
      await owner.settled();
      expect(owner.texts("zigbee2mqtt/lamp/set")).toEqual(["ON"]);
      expect(owner.texts("zigbee2mqtt/bridge/request")).toEqual([]);
    },
    {
      users: [
        {
          username: "node-red",
          password: "secret",
          plant: "home",
          publish: ["zigbee2mqtt/+/set"],
          subscribe: ["zigbee2mqtt/+/state"],
        },
      ],
    },
  ));

it("anonymous clients may only publish telemetry of existing plants, which is never retained", () =>
  withGateway(
    async ({ service, stored }, device) => {
      const guest = await device();
      await guest.subscribe("hourgate/+/ack");
      for (let index = 0; index < 20; index++)
        await guest.publish(`hourgate/unknown-${index}/telemetry/soc_pct`, "5", 1, true);
      await guest.publish("hourgate/home/telemetry/soc_pct", "55", 1, true);
      await guest.until(() => guest.acks().length === 1);
      expect(stored.map(({ siteId }) => siteId)).toEqual(["home"]);
      expect(service.usage().find(({ resource }) => resource === "retained_messages")?.used).toBe(0);
      const late = await device();
      await late.subscribe("hourgate/+/telemetry/#");
      await late.subscribe("hourgate/status");
      await late.until(() => late.last("hourgate/status") === "online");
      expect(late.messages.filter(({ topic }) => topic.includes("telemetry"))).toEqual([]);
    },
    { anonymous: true },
  ));

it("a refused command of a slot says what to do", () =>
  withGateway(
    async (_gateway, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      const cases = [
        ["home/slots/3/override", "; send run, skip or auto to hourgate/home/slots/3/override/set."],
        ["home/slots/3/charge_now", "; send run, skip or auto to hourgate/home/slots/3/override/set."],
        ["home/slots/3/plugged", "; send 1 or 0 to hourgate/home/slots/3/plugged/set."],
        ["home/slots/3/soc_pct", "; send the state of charge to hourgate/home/slots/3/telemetry/soc_pct."],
        ["home/slots/3/override/get", "presence/set and presence/until/set below hourgate/home/ and"],
        ["cabin/slots/3/override/set", "; sign in with the key of the other plant."],
      ] as const;
      for (const [topic] of cases) await home.publish(`hourgate/${topic}`, "run");
      await home.until(() => home.acks().length === cases.length);
      for (const [index, [topic, sentence]] of cases.entries()) {
        expect(home.acks()[index]).toMatchObject({ topic: `hourgate/${topic}`, ok: false });
        expect(home.acks()[index]!.error).toContain(sentence);
      }
      const guest = await device();
      await guest.subscribe("hourgate/home/ack");
      await guest.publish("hourgate/home/slots/3/override/set", "run");
      await guest.until(() => guest.acks().length > 0);
      expect(guest.acks()[0]?.error).toMatch(/; sign in with an API key as the password\.$/);
    },
    { anonymous: true },
  ));
