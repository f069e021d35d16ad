import mqtt, { type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { filterMatches } from "../../src/core/domain/mqtt-filter.js";
import { createTopics } from "../../src/edges/mqtt/topics/topics.js";
import { Portal } from "../../src/portal/portal.js";
import { Browser } from "../portal/form-browser.js";
import { belowPath } from "./below-path.js";
import {
  type Cast,
  emailOf,
  expectTable,
  PASSWORD,
  ROLES,
  type Role,
  startCast,
  triedIn,
  ZONES,
} from "./cast.js";
import { LINKS, OPERATIONS, PAGES, PUBLISH, SUBSCRIBE } from "./tables.js";

let cast: Cast;
let portal: Portal;
beforeAll(async () => {
  const started = vi.spyOn(Portal.prototype, "start");
  cast = await startCast();
  portal = started.mock.contexts[0] as Portal;
});
afterAll(() => cast.stop());

const INPUT: Record<string, object> = {
  "/v1/decision/windows": { duration_hours: 2, slot_id: 3 },
  "/v1/plant/load": { part: "evening", days: "workdays" },
  "/v1/plant/presence": { presence: "usual" },
  "/v1/plant/device-overrides": { override: "auto", slot_id: "3" },
  "/mcp": { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "status" } },
  "/v1/plant/what-if": { remove: "none" },
};

describe("/v1", () => {
  const socOf = (role: Role) => 30 + ROLES.indexOf(role);

  const ask = async (operation: string, role: Role): Promise<string> => {
    const [method = "", path = ""] = operation.split(" ");
    const input = path === "/v1/plant/telemetry" ? { soc_pct: socOf(role) } : (INPUT[path] ?? {});
    const query = method === "GET" ? `?${new URLSearchParams(Object.entries(input))}` : "";
    const key = cast.keys[role];
    const response = await fetch(cast.url + path + query, {
      method,
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(key !== undefined &&
          (path === "/mcp" ? { Authorization: `Bearer ${key}` } : { "X-API-Key": key })),
      },
      ...(method === "POST" && { body: JSON.stringify(input) }),
    });
    const text = await response.text();
    if (path === "/mcp" && key === undefined) return String(response.status);
    expect(response.status, `${operation} of ${role}: ${text}`).toBe(200);
    // Nothing of another one's site, whatever the answer is.
    for (const one of ROLES) {
      if (one === role || path === "/metrics") continue;
      for (const theirs of [`boiler of ${one}`, `meter of ${one}`, ZONES[one], cast.sites[one], emailOf(one)])
        if (theirs !== undefined) expect(text, `${operation} of ${role}`).not.toContain(`"${theirs}"`);
    }
    if (path === "/metrics") return "public";
    const answer = JSON.parse(text);
    if (path === "/mcp")
      return answer.result.structuredContent.devices[0].name === `boiler of ${role}` ? "own" : "public";
    if (path === "/v1/status") return detailIn(answer.components);
    if (answer.error !== undefined) return answer.error.code === "not_available" ? "none" : answer.error.code;
    const isOwn =
      answer.timezone === ZONES[role] ||
      (answer.site !== undefined && answer.site === cast.sites[role]) ||
      answer.latest?.soc_pct === socOf(role) ||
      answer.recipes?.[0]?.label === `boiler of ${role}` ||
      answer.devices?.[0]?.name === `meter of ${role}`;
    if (path === "/v1/plant/devices" && answer.devices.length === 0) return "none";
    return role !== "nobody" && isOwn ? "own" : "public";
  };

  it("has a row for each operation", async () => {
    const { paths } = await (await fetch(`${cast.url}/openapi.json`)).json();
    const served = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(triedIn(OPERATIONS)).toEqual(expect.arrayContaining(served));
  });

  it("answers each caller about its own site only", () =>
    expectTable(OPERATIONS, (operation, role) => ask(operation, role as Role)));
});

function detailIn(components: { detail?: string }[]): string {
  const details = components.flatMap(({ detail }) => (detail === undefined ? [] : [detail]));
  if (details.length === 0) return "public";
  return details.some((detail) => /\/tmp\/|\/var\//.test(detail)) ? "paths" : "details";
}

it("links open what their scope says, and nothing with the key of another site", async () => {
  const tokens: Record<string, string> = { ...cast.links, "no link": cast.links.read.slice(1) };
  await expectTable(LINKS, async (what, kind) => {
    const [method = "", page = ""] = what.split(" ");
    const url = `${cast.url}/c/${tokens[kind]}${page}`;
    const response = await fetch(url, { method, headers: { "X-API-Key": cast.keys.other! } });
    const text = await response.text();
    if (text.includes("unknown link")) return "404";
    return response.status === 403 ? "403" : "yes";
  });
});

describe("MQTT", () => {
  const topicOf = (what: string) =>
    what.replace("hourgate_…", `hourgate_${cast.sites.tenant}`).replace("…", `hourgate/${cast.sites.tenant}`);
  const seen: { topic: string; text: string }[] = [];
  const clients = new Map<string, MqttClient>();
  let onMessage = () => {};
  beforeAll(async () => {
    for (const role of ROLES) {
      const password = cast.keys[role];
      const client = mqtt.connect(cast.mqttUrl, {
        reconnectPeriod: 0,
        ...(password !== undefined && { username: role, password }),
      });
      await new Promise<void>((settle) => {
        client.once("connect", () => settle(void clients.set(role, client)));
        client.once("error", () => settle());
      });
    }
    const observer = await mqtt.connectAsync(cast.mqttUrl, {
      username: "observer",
      password: cast.keys.admin!,
    });
    clients.set("observer", observer);
    observer.on("message", (topic, payload) => {
      seen.push({ topic, text: payload.toString() });
      onMessage();
    });
    await observer.subscribeAsync(["#", "$SYS/#"], { qos: 1 });
  });
  afterAll(() => Promise.all([...clients.values()].map((client) => client.endAsync(true))));

  const isSeen = (topic: string, mark: string) =>
    new Promise<void>((resolve) => {
      onMessage = () => {
        if (seen.some((one) => one.topic === topic && one.text.includes(mark))) resolve();
      };
      onMessage();
    });

  it("refuses a client without a key", () =>
    expect([...clients.keys()]).toEqual([...ROLES.slice(1), "observer"]));

  it("has a row for each class of topics", async () => {
    const site = `hourgate/${cast.sites.tenant}/`;
    await isSeen(`${site}plan`, "");
    const rows = triedIn(PUBLISH).map(topicOf);
    for (const filter of createTopics("hourgate").inboundFilters)
      expect(
        rows.some((topic) => filterMatches(filter, topic)),
        filter,
      ).toBe(true);
    // The rows name slot 3 for all slots.
    const parentOf = (topic: string) =>
      topic.slice(0, topic.lastIndexOf("/")).replace(/\/slots\/\d/, "/slots/3");
    for (const { topic } of seen)
      if (topic.startsWith(site)) expect(rows.map(parentOf), topic).toContain(parentOf(topic));
  });

  it("lets clients publish to the inbound topics of their own site only", () =>
    expectTable(PUBLISH, async (what, role) => {
      const client = clients.get(role);
      if (client === undefined) return "no";
      const mark = JSON.stringify({ id: `${role} ${what}`, soc_pct: 50 });
      await client.publishAsync(topicOf(what), mark, { qos: 1 });
      // Messages of a client are handled in order: when its own telemetry is seen, the one before has been handled.
      const own = `hourgate/${cast.sites[role as Role]}/telemetry`;
      await client.publishAsync(own, JSON.stringify({ soc_pct: 50, id: `after ${mark}` }), { qos: 1 });
      await isSeen(own, `after ${JSON.stringify(mark).slice(1, -1)}`);
      return seen.some(({ topic, text }) => topic === topicOf(what) && text === mark) ? "yes" : "no";
    }));

  it("lets clients subscribe to the topics of their own site only", () =>
    expectTable(SUBSCRIBE, async (what, role) => {
      const client = clients.get(role);
      if (client === undefined) return "no";
      const granted = await new Promise<number | undefined>((resolve) => {
        client.subscribe(topicOf(what), { qos: 1 }, (_error, _granted, packet) =>
          resolve((packet as { granted?: number[] } | undefined)?.granted?.[0]),
        );
      });
      return granted === 128 ? "no" : "yes";
    }));
});

// Before the table of pages, whose forms remove sites.
describe("the portal below a path of a proxy", () => belowPath(() => cast));

describe("the portal", () => {
  const browsers = new Map<string, Browser>();
  beforeAll(async () => {
    for (const role of ROLES) {
      const browser = new Browser(cast.url, {});
      await browser.get("/login");
      if (role !== "nobody") await browser.post("/login", { email: emailOf(role), password: PASSWORD });
      // The forms need the token of the new session.
      await browser.get("/logout");
      browsers.set(role, browser);
    }
  });

  it("has a row for each page", () => {
    // The pages of the documentation are alike: one stands for all.
    const pages = portal.pages.filter(({ path }) => !/^\/help\/(?!mqtt$)/.test(path));
    const served = pages.map(({ method, path }) => `${method} ${path}`);
    expect(triedIn(PAGES).sort()).toEqual([...served, "GET /portal/portal.css"].sort());
  });

  it("shows each account its own sites, and the administration to administrators only", () =>
    expectTable(PAGES, async (what, role) => {
      const [method = "", path = ""] = what.split(" ");
      const browser = browsers.get(role)!;
      const site = path.startsWith("/admin") ? {} : { site: cast.sites.tenant! };
      const asked = `${path}?${new URLSearchParams(site)}`;
      const { status, location } =
        path === "/portal/events"
          ? await headOf(asked, browser)
          : method === "POST"
            ? await browser.post(path, site)
            : await browser.get(asked);
      if (location?.startsWith("/login?") === true) return "sign in";
      return status === 403 || status === 404 ? String(status) : "yes";
    }));
});

/** The head of an answer that does not end. */
async function headOf(path: string, { cookies }: Browser) {
  const ended = new AbortController();
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { status, headers } = await fetch(cast.url + path, {
    redirect: "manual",
    headers: { cookie },
    signal: ended.signal,
  });
  ended.abort();
  return { status, location: headers.get("location") };
}
