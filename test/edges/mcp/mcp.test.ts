import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { h } from "preact";
import { render } from "preact-render-to-string";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOperations } from "../../../src/api/catalogue.js";
import { silentLog } from "../../../src/core/log.js";
import { createHttpServer } from "../../../src/edges/http/server.js";
import { createMcp } from "../../../src/edges/mcp/router.js";
import { unknownDay } from "../../../src/money/ledger/day-figures.js";
import { DeviceToday } from "../../../src/portal/dashboard/device-card.js";
import { viewOf } from "../../../src/portal/dashboard/view.js";
import { formatOf } from "../../../src/texts/format.js";
import { fakeServices, KEYS, NOW, samplePlan } from "../../api/fake-services.js";
import { listening } from "../../support/listening.js";
import { PLAIN_BATTERY } from "../../support/plain-battery.js";
import { WALLBOX } from "../http/windows-calls.js";

let url: string;
let wallMs = 0;
const audited: object[] = [];
const services = fakeServices({
  slots: [WALLBOX],
  battery: PLAIN_BATTERY,
  table: { community: { decision: 2, telemetry: 2, pv: 2, weather: 2 } },
});
const keys = new Map([
  [KEYS.owner, services.accounts.access(KEYS.owner)],
  [KEYS.community, services.accounts.access(KEYS.community)],
]);
const nothing = services.accounts.access(undefined);
services.accounts.access = (key) => keys.get(key ?? "") ?? nothing;
services.plans.current = (siteId) => (siteId === "home" ? samplePlan() : undefined);

const server = createHttpServer({
  operations: createOperations(services),
  services,
  settings: { host: "127.0.0.1", port: 0 },
  ...listening(),
  log: silentLog,
});

beforeAll(async () => {
  server.routes.use(
    createMcp({
      services,
      operations: createOperations(services),
      ledger: {
        days: async () => [saved("2026-01-01", 114.9), saved("2026-01-14", 4.26), saved("2026-01-15", 0.84)],
        months: async () => [],
        firstDate: async () => "2026-01-01",
      },
      savings: { now: (siteId) => (siteId === "home" ? SAVED : undefined) },
      proxies: listening().proxies,
      accountBook: { get: (id) => ({ email: `${id}@example.org` }) as never },
      audit: { record: (entry) => void audited.push(entry) },
      log: silentLog,
      nowMs: () => wallMs,
    }),
  );
  await services.flex.start();
  const { port } = await server.start();
  url = `http://127.0.0.1:${port}/mcp`;
  await services.telemetry.ingest("home", [{ at: NOW, values: { soc_pct: 62.5, pv_power_kw: 1.2 } }]);
});
afterAll(() => Promise.all([services.flex.stop(), server.stop()]));

const saved = (date: string, savedEur: number) => ({ ...unknownDay(date), complete: true, savedEur });
const SAVED = {
  date: "2026-01-15",
  today: {} as never,
  todayEur: 0.84,
  weekEur: 5.1,
  monthEur: 9.2,
  totalEur: 120,
};

/** A client of the SDK with the key, connected. */
async function connected(key = KEYS.owner): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return client;
}

interface Answered {
  text: string;
  // The tests look at many shapes of documents; each reads what it expects.
  document: ReturnType<typeof JSON.parse>;
  isError: boolean;
}

async function ask(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Answered> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  return { text: first!.text, document: structuredContent, isError: isError === true };
}

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    body,
    headers: {
      Authorization: `Bearer ${KEYS.owner}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
  });

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

describe("a client of the SDK", () => {
  it("finds tools with descriptions and schemas of their arguments", async () => {
    const client = await connected();
    expect(client.getServerVersion()).toMatchObject({ name: "hourgate", version: services.version });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "status",
      "why",
      "plan",
      "prices",
      "savings",
      "what_if",
      "overrides",
      "set_override",
      "end_override",
    ]);
    for (const { name, description, inputSchema, annotations } of tools) {
      expect(description!.length, name).toBeGreaterThan(40);
      expect(inputSchema.type, name).toBe("object");
      expect(annotations?.readOnlyHint, name).toBe(!/^(set|end)_/.test(name));
    }
  });

  it("gets the state of charge, what was saved, and why the car is not charging: as the page says it", async () => {
    const client = await connected();
    const status = await ask(client, "status");
    expect(status.document).toMatchObject({
      soc_pct: 62.5,
      soc_at: "2026-01-15T09:20:00+01:00",
      readings: { pv_power_kw: { value: 1.2 } },
      saved: { today_eur: 0.84, week_eur: 5.1 },
      devices: [{ name: "Garage", kind: "wallbox", doing: "waiting" }],
    });
    expect(status.text).toMatch(
      /^The battery is at 63 %\..*Garage: starts.*Saved today 0\.84 €, this week 5\.10 €\.$/,
    );

    const why = await ask(client, "why", { device: "car" });
    const [garage] = why.document.devices;
    expect(why.document).toMatchObject({ battery: null, devices: [{ doing: "waiting", unmet_hours: 0 }] });
    const house = viewOf(services, keys.get(KEYS.owner)!.site!);
    const page = render(
      h(DeviceToday, { house, plan: house.slots[0]!, format: formatOf("en", house.site.plant.timezone) }),
    )
      .replace(/<form.*/s, "")
      .replace(/<[^>]+>/g, " · ");
    // The same time and amount, in the words of the card.
    const figures = garage.sentence.match(/\d+[.:]\d\d/g)!;
    expect(figures).not.toHaveLength(0);
    for (const figure of figures) expect(page).toContain(figure);
    const cost = services.flex.sites.of("home").tryOverride(3, {
      action: "run",
      until: new Date("2026-01-15T10:20:00Z"),
    }).cost!;
    expect(garage.cost_of_running_now.cost_eur).toBeCloseTo(cost.override.costEur, 4);
    // From 9:20 to 11:30, the next quarter-hour.
    expect(why.text).toContain(`Switched on now, 23.8 kWh would cost ${cost.override.costEur.toFixed(2)} €`);

    const battery = await ask(client, "why", { device: "battery" });
    expect(battery.document.battery.sentence).not.toBe("");
    expect(battery.document.devices).toEqual([]);
    expect((await ask(client, "why", { device: "sauna" })).text).toBe(
      "There is no device of that name: device must be one of battery, Garage.",
    );
  });

  it("gets what was known, decided and came of a past hour", async () => {
    const client = await connected();
    const asked: Date[] = [];
    services.why.at = async (_site, at) => {
      asked.push(at);
      const [start, end] = [new Date("2026-01-15T06:00:00Z"), new Date("2026-01-15T07:00:00Z")];
      return {
        start,
        end,
        decision: undefined,
        outcome: undefined,
        laterCtKwh: undefined,
        firstDate: undefined,
      };
    };
    const { document, text } = await ask(client, "why", { at: "2026-01-15T07:30:00+01:00" });
    expect(asked).toEqual([new Date("2026-01-15T06:30:00Z")]);
    expect(document).toMatchObject({ start: "2026-01-15T07:00:00+01:00", recorded: false, sentence: text });
  });

  it("gets plan, prices and savings as /v1 and the portal have them", async () => {
    const client = await connected();
    const v1 = async (path: string, init: RequestInit = {}) =>
      (await fetch(url.replace("/mcp", path), { ...init, headers: { "X-API-Key": KEYS.owner } })).json();
    const plan = await ask(client, "plan", { hours: 1 });
    const { day_plan, savings_eur } = await v1("/v1/decision/hours-demand", { method: "POST" });
    expect(plan.document.hours).toEqual([day_plan[0].hours[0]]);
    expect(plan.document.savings_eur).toBe(savings_eur);
    expect(plan.text).toContain(
      `from ${day_plan[0].soc_start_pct} % state of charge. The battery is charged from the grid today 13:00–15:00: 10.3 kWh`,
    );
    const prices = await ask(client, "prices", { hours: 3 });
    const all = (await v1("/v1/forecast")).prices;
    expect(prices.document.prices).toEqual(all.slice(0, 3));
    // That of the present quarter-hour, as in `price_now_ct_kwh`.
    const [quarter] = (await v1("/v1/forecast?resolution_minutes=15")).prices.filter(
      ({ end }: { end: string }) => new Date(end) > NOW,
    );
    expect(prices.text).toMatch(new RegExp(`^Now ${quarter.total_ct_kwh.toFixed(2)} ct/kWh all-in; lowest`));
    services.stepMinutes = 15;
    const cheap = { start: new Date("2026-01-15T09:15:00Z"), minutes: 15 as const, eurPerMwh: -1500 };
    const { series } = services;
    services.series = series.with([cheap]);
    // The hour of that quarter-hour is not the lowest one.
    expect((await ask(client, "prices", { hours: 3 })).text).toContain("ct/kWh today 10:15.");
    Object.assign(services, { series, stepMinutes: 60 });
    expect((await ask(client, "prices", { hours: 0 })).text).toBe(
      "hours must be a whole number from 1 to 168.",
    );
    expect((await ask(client, "savings", { month: "2026-13" })).text).toBe(
      "month must be a month as YYYY-MM, such as 2026-05.",
    );
    const savings = await ask(client, "savings");
    expect(savings.document).toMatchObject({ month: "2026-01", now: { week_eur: 5.1 } });
    expect(savings.text).toBe(
      "Saved today 0.84 €, this week 5.10 €, in 2026-01 120.00 €, in total 120.00 €.",
    );
  });

  it("asks what a past month would have cost, and waits for the answer", async () => {
    const client = await connected();
    expect((await ask(client, "what_if")).text).toBe("Nothing has been asked yet.");
    const question = { period: "2026-01", battery_kwh: 15 };
    let isRunning = true;
    const request = { period: "2026-01" as const, change: { batteryKwh: 15 } };
    const result = {
      ...request,
      id: "1",
      from: "2026-01-01",
      to: "2026-01-14",
      basis: "measured" as const,
      cost: "billed" as const,
      costEur: 34.1,
      changedEur: 30.2,
      savedEur: 3.9,
    };
    Object.assign(services.whatIf, {
      begin: () => "begun",
      current: () => {
        if (!isRunning) return { status: "idle" };
        isRunning = false;
        return { status: "running", request, progress: 0.4 };
      },
      results: async () => (isRunning ? [] : [result]),
    });
    const { document, text } = await ask(client, "what_if", question);
    expect(document).toMatchObject({ status: "idle", results: [{ battery_kwh: 15, saved_eur: 3.9 }] });
    expect(text).toBe(
      "From 2026-01-01 to 2026-01-14 it would have cost 30.20 € instead of 34.10 €: 3.90 € less.",
    );
    Object.assign(result, { cost: "no_tariff", costEur: null, savedEur: null });
    expect((await ask(client, "what_if")).text).toMatch(/cost 30\.20 € with .*no tariff of its own/);
    const wrong = await ask(client, "what_if", { period: "2026-01", battery_kwh: -1 });
    expect(wrong.document.error.code).toBe("invalid_parameter");
  });

  it("sets an override only with a confirmation for the same key, home and arguments, once and in time", async () => {
    const client = await connected();
    const asked = { device: "Garage", override: "run", until: "2026-01-15T10:00:00+01:00" };
    const first = await ask(client, "set_override", asked);
    expect(first.document).toMatchObject({ changed: false, cost: { energy_kwh: expect.any(Number) } });
    expect((await ask(client, "overrides")).text).toBe(
      "No override is in force: everything follows the plan.",
    );
    expect(audited).toEqual([]);

    const { confirmation } = first.document;
    const second = (input: object) => ask(client, "set_override", { ...asked, confirmation, ...input });
    for (const other of [
      { override: "skip" },
      { until: undefined },
      { device: "battery", override: "hold" },
      { confirmation: "x" },
    ])
      expect((await second(other)).document.error?.details?.[0]?.field, JSON.stringify(other)).toBe(
        "confirmation",
      );
    wallMs = 5 * 60_000;
    expect((await second({})).isError).toBe(true);
    const late = await ask(client, "set_override", asked);
    const done = await second({ confirmation: late.document.confirmation });
    expect(done.document).toMatchObject({
      changed: true,
      devices: [{ name: "Garage", override: "run", override_until: "2026-01-15T10:00:00+01:00" }],
    });
    expect((await second({ confirmation: late.document.confirmation })).isError).toBe(true);
    const ended = await ask(client, "end_override", { device: "wallbox" });
    expect(ended.document).toMatchObject({ changed: true, devices: [{ override: "auto" }] });
    const entry = {
      event: "device.overridden",
      account: "professional@example.org",
      from: "127.0.0.1",
      site: "home",
    };
    expect(audited).toEqual([entry, entry]);
  });

  it("ends an override without a time as the button of the portal does", async () => {
    const client = await connected();
    const endOf = async (override: string) =>
      (await ask(client, "set_override", { device: "Garage", override })).document.would.until;
    // From 9:20, what is left of the demand, 2 h, and of its quarter-hour, as it then is in force.
    expect(await endOf("run")).toBe("2026-01-15T11:30:00+01:00");
    expect(await endOf("skip")).toBe("2026-01-16T00:00:00+01:00");
    expect(await endOf("full")).toBe("2026-01-16T07:00:00+01:00");
    // The end that the person agreed to, also some minutes later.
    const asked = { device: "Garage", override: "run" };
    const first = await ask(client, "set_override", asked);
    expect(first.text).toContain("It would end today 11:30.");
    const { confirmation } = first.document;
    await services.clock.advance(14 * 60_000);
    const { document } = await ask(client, "set_override", { ...asked, confirmation });
    expect(document.devices[0].override_until).toBe("2026-01-15T11:30:00+01:00");
    await ask(client, "end_override", { device: "Garage" });
  });

  it("says the cost of an override of the battery, and refuses what does not fit", async () => {
    const client = await connected();
    const { text } = await ask(client, "set_override", {
      device: "battery",
      override: "charge",
      target_soc_pct: 90,
    });
    expect(text).toContain("0.42 € more than the plan");
    const wrong = await ask(client, "set_override", { device: "battery", override: "run" });
    expect([wrong.isError, wrong.document.error.code]).toEqual([true, "invalid_parameter"]);
    await expect(client.callTool({ name: "constructor" })).rejects.toThrow("There is no such tool");
  });

  it("is bound to the quota of its key as /v1 is, and cut off at once when the key is revoked", async () => {
    const client = await connected(KEYS.community);
    await ask(client, "prices");
    await ask(client, "prices");
    const refused = await ask(client, "prices");
    expect(refused.document).toMatchObject({ error: { code: "rate_limit_exceeded" }, limit: 2 });
    expect((await ask(client, "status")).document.devices).toEqual([]);
    keys.delete(KEYS.community);
    await expect(ask(client, "status")).rejects.toThrow(/401|Bearer/);
  });
});

describe("over HTTP", () => {
  it("wants the key as a bearer token, and nothing else", async () => {
    for (const headers of [
      { Authorization: "" },
      { Authorization: `Bearer ${KEYS.owner}x` },
      { Authorization: KEYS.owner },
      { Authorization: "", "X-API-Key": KEYS.owner },
    ]) {
      const response = await post(LIST, headers);
      expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([
        401,
        'Bearer realm="hourgate"',
      ]);
    }
    expect((await fetch(url)).status).toBe(401);
  });

  it("refuses pages of other sites, other methods, large and broken messages; never with a 5xx", async () => {
    const statusOf = async (sent: Promise<Response>) => (await sent).status;
    expect(await statusOf(post(LIST, { Origin: "https://evil.example" }))).toBe(403);
    expect(await statusOf(post(LIST, { Origin: "http://127.0.0.1:6274" }))).toBe(200);
    const key = { Authorization: `Bearer ${KEYS.owner}` };
    for (const method of ["GET", "DELETE", "PUT"])
      expect(await statusOf(fetch(url, { method, headers: key })), method).toBe(405);
    expect(await statusOf(fetch(url, { method: "OPTIONS" }))).toBe(204);
    expect(await statusOf(post(`"${"x".repeat(70_000)}"`))).toBe(413);
    expect(await statusOf(post(LIST, { Accept: "text/html" }))).toBe(406);
    expect(await statusOf(post(LIST, { "Content-Type": "text/plain" }))).toBe(415);
    for (const body of [
      "",
      "{",
      "[]",
      `[${LIST},${LIST}]`,
      "null",
      "7",
      "{}",
      '{"jsonrpc":"1.0"}',
      `${"[".repeat(200)}`,
    ])
      expect(await statusOf(post(body)), body).toBe(400);
  });

  it.each([
    { method: "tools/call" },
    { method: "tools/call", params: [] },
    { method: "tools/call", params: { name: "why", arguments: [] } },
    { method: "tools/call", params: { name: "why", arguments: { device: { toString: 1 } } } },
    { method: "tools/call", params: { name: "plan", arguments: { hours: 1e99 } } },
    { method: "tools/call", params: { name: "savings", arguments: { month: "0000-01" } } },
    {
      method: "tools/call",
      params: { name: "set_override", arguments: JSON.parse('{"__proto__":{"a":1}}') },
    },
    { method: "initialize", params: { protocolVersion: 7 } },
    { method: "resources/list" },
    { method: "notifications/cancelled", params: { requestId: 9 } },
    { method: "__proto__" },
    { method: "" },
    { result: {} },
    { error: { code: "x" } },
  ])("answers %j without a failure", async (message) => {
    for (const id of [1, "a", null, {}, undefined]) {
      const response = await post(JSON.stringify({ jsonrpc: "2.0", id, ...message }));
      expect(response.status, String(id)).toBeLessThan(500);
    }
  });
});
