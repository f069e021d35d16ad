import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { load } from "./palette.js";

const { timeText, liveStatus, answeredStatus } = load<{
  timeText(iso: string, nowMs: number): string;
  liveStatus(state: Record<string, unknown>): { fill: string; shape: string; text: string };
  answeredStatus(shown: Record<string, unknown>, clockMs: number): { text: string };
}>("lib/status.js");
const { readOverride, holds, applied } = load<{
  readOverride(
    message: object,
    given: { defaultMinutes: unknown; nowMs: number; timeZone?: string },
  ): { mode: string; untilMs: number | null };
  holds(override: unknown, nowMs: number): boolean;
  applied(mode: string, planned: number | undefined): number | undefined;
}>("lib/override.js");
const { createOverrideSwitch } = load<{
  createOverrideSwitch(
    red: object,
    node: object,
    settings: object,
    plant: { onChange(): void; zone(): string | undefined },
  ): {
    take(message: object): Promise<boolean>;
    mode(): string;
    apply(planned: number): number;
    close(): void;
  };
}>("lib/override-switch.js");
const { nextChange } = load<{
  nextChange(runs: unknown, isOn: boolean, nowMs: number): string | null;
}>("lib/next-change.js");
const { differs, essenceOf } = load<{
  differs(before: object, after: object, nowMs: number): boolean;
  essenceOf(plan: object): object;
}>("lib/plan-event.js");
const { migrate, version } = load<{
  migrate(settings: object, defaults: object): Record<string, unknown>;
  version: number;
}>("resources/migrations.js");
const { durableStore } = load<{ durableStore(stores?: object): string | undefined }>("lib/context-value.js");
const { backoffMs, createLiveConnection } = load<{
  backoffMs(attempt: number, random: number): number;
  createLiveConnection(options: object): {
    connect(): void;
    onState(listener: (state: { problem: string | undefined }) => void): void;
    close(): Promise<void>;
  };
}>("lib/live-connection.js");
const { brokerOf, hostOf, signInOf } = load<{
  brokerOf(
    status: object,
    gateway: { url: string; apiKey: string; plant?: string; prefix?: string },
  ): { address: string; apiKey?: string };
  hostOf(address: string): string;
  signInOf(address: string, apiKey: string): object;
}>("lib/broker.js");

const at = (iso: string) => Date.parse(iso);
/** 2026-01-15 is a Thursday in winter time in Vienna. */
const NOW = at("2026-01-15T09:20:00+01:00");

describe("status", () => {
  it("shows times in the plant's offset, with the date unless it is today", () => {
    expect(timeText("2026-01-15T13:00:00+01:00", NOW)).toBe("13:00");
    expect(timeText("2026-01-16T02:00:00+01:00", NOW)).toBe("01-16 02:00");
    // Half past midnight in Vienna is still the day before in UTC.
    expect(timeText("2026-01-16T01:00:00+01:00", at("2026-01-15T23:30:00Z"))).toBe("01:00");
    expect(timeText("2026-01-15T12:00:00Z", NOW)).toBe("12:00");
    expect(timeText("soon", NOW)).toBe("");
  });

  it("shows the end of an override in the plant's time zone", () => {
    const endOf = (untilMs: number, timeZone: string) =>
      liveStatus({ value: 1, untilMs, timeZone, nowMs: NOW, overridden: true, connected: true }).text;
    expect(endOf(at("2026-01-15T09:00:00Z"), "Europe/Vienna")).toBe("1 → 10:00");
    // 12:00 in Vienna is midnight of the next day in Auckland.
    expect(endOf(at("2026-01-15T11:00:00Z"), "Europe/Vienna")).toBe("1 → 12:00");
    expect(endOf(at("2026-01-15T11:00:00Z"), "Pacific/Auckland")).toBe("1 → 01-16 00:00");
    expect(endOf(at("2026-01-15T09:00:00Z"), "Nowhere/Land")).toMatch(/^1 → (\d\d-\d\d )?\d\d:\d\d$/);
  });

  it("has at most 20 characters for any value", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double(), fc.integer(), fc.string()),
        fc.constantFrom(null, "2026-12-16T02:00:00+01:00"),
        fc.constantFrom(undefined, NOW),
        (value, next, staleSinceMs) => {
          const { text } = liveStatus({
            value,
            next,
            staleSinceMs,
            sinceMs: NOW,
            nowMs: NOW,
            connected: true,
          });
          expect(text.length).toBeLessThanOrEqual(20);
          expect(answeredStatus({ value, next, nowMs: NOW }, NOW).text.length).toBeLessThanOrEqual(20);
        },
      ),
    );
    expect(liveStatus({ value: 1, staleSinceMs: NOW, connected: false }).text).toMatch(/^1 stale \d\d:\d\d$/);
  });
});

describe("override", () => {
  const GIVEN = { defaultMinutes: "120", nowMs: NOW, timeZone: "Europe/Vienna" };

  it.each([
    [{ override: "on" }, { mode: "on", untilMs: NOW + 120 * 60_000 }],
    [
      { override: "OFF", override_minutes: "1,5" },
      { mode: "off", untilMs: NOW + 90_000 },
    ],
    [
      { override: true, override_minutes: 0 },
      { mode: "on", untilMs: null },
    ],
    [
      { override: "auto", override_minutes: 5 },
      { mode: "auto", untilMs: null },
    ],
    [
      { override: "on", override_until: "2026-01-15T10:00:00+01:00" },
      { mode: "on", untilMs: at("2026-01-15T09:00:00Z") },
    ],
    [
      { override: "on", override_until: "2026-07-15T10:00" },
      { mode: "on", untilMs: at("2026-07-15T08:00:00Z") },
    ],
  ])("reads %j", (message, expected) => {
    expect(readOverride(message, GIVEN)).toEqual(expected);
  });

  it.each([
    ["2026-01-15T09:20:00+01:00", "9:21", "2026-01-15T09:21:00+01:00"],
    ["2026-01-15T09:20:00+01:00", "09:20", "2026-01-16T09:20:00+01:00"],
    // Another day than in UTC, and a night in which the clocks change.
    ["2026-03-28T23:30:00Z", "07:00", "2026-03-29T07:00:00+02:00"],
    ["2026-10-24T20:00:00+02:00", "07:00", "2026-10-25T07:00:00+01:00"],
  ])("at %s ends at the next %s of the plant", (now, until, end) => {
    const message = { override: "on", override_until: until };
    expect(readOverride(message, { ...GIVEN, nowMs: at(now) }).untilMs).toBe(at(end));
  });

  it("ignores messages without an override, and rejects invalid ones", () => {
    expect(readOverride({ payload: 1 }, GIVEN)).toBeUndefined();
    for (const message of [
      { override: "maybe" },
      { override: null },
      { override: "on", override_minutes: -1 },
      { override: "on", override_minutes: "" },
      { override: "on", override_until: "tomorrow" },
      // Beyond the range of Date.
      { override: "on", override_until: 1e17 },
      { override: "on", override_minutes: 1e12 },
    ])
      expect(() => readOverride(message, GIVEN), JSON.stringify(message)).toThrow(/must be/);
  });

  it("is effective until its end; values of another form are not", () => {
    expect(holds({ mode: "on", untilMs: null }, NOW)).toBe(true);
    expect(holds({ mode: "on", untilMs: NOW + 1 }, NOW)).toBe(true);
    expect(holds({ mode: "on", untilMs: NOW }, NOW)).toBe(false);
    for (const kept of [
      undefined,
      null,
      "on",
      1,
      {},
      { mode: "boost", untilMs: null },
      { mode: "on" },
      { mode: "on", untilMs: 1e17 },
    ])
      expect(holds(kept, NOW)).toBe(false);
    expect([applied("auto", undefined), applied("on", 0), applied("off", 1)]).toEqual([undefined, 1, 0]);
  });
});

describe("an override that cannot be stored", () => {
  it("is effective, and the node reports that it will be lost on a restart", async () => {
    const reported: string[] = [];
    const full = new Error("disk full");
    const node = {
      error: (message: string) => void reported.push(message),
      context: () => ({
        get: (_name: string, _store: unknown, done: (error: unknown) => void) => done(undefined),
        set: (_name: string, _value: unknown, _store: unknown, done: (error: unknown) => void) => done(full),
      }),
    };
    const settings = { override: "auto", overrideMinutes: 0 };
    const override = createOverrideSwitch({ settings: {} }, node, settings, {
      onChange: () => {},
      zone: () => undefined,
    });
    expect(await override.take({ override: "on" })).toBe(true);
    expect([override.mode(), override.apply(0)]).toEqual(["on", 1]);
    expect(reported).toEqual(["The override could not be stored and will be lost on a restart: disk full."]);
    override.close();
  });
});

describe("the next change", () => {
  const run = (start: string, end: string) => ({
    start: `2026-01-15T${start}:00+01:00`,
    end: `2026-01-15T${end}:00+01:00`,
  });
  const runs = [run("13:00", "14:00"), run("09:00", "10:00"), run("10:00", "10:30")];

  it("is the next start, or the end of the current run including adjacent ones", () => {
    expect(nextChange(runs, false, NOW)).toBe("2026-01-15T10:00:00+01:00");
    expect(nextChange(runs, true, NOW)).toBe("2026-01-15T10:30:00+01:00");
    expect(nextChange(runs, false, at("2026-01-15T20:00:00+01:00"))).toBeNull();
    expect(nextChange(undefined, true, NOW)).toBeNull();
  });
});

describe("plan_updated", () => {
  const hours = (...starts: string[]) =>
    starts.map((start) => ({
      start: `${start}:00:00+01:00`,
      end: `${start.slice(0, 11)}${String(Number(start.slice(11)) + 1).padStart(2, "0")}:00:00+01:00`,
    }));
  const plan = (change: object = {}) => ({
    issued_at: "2026-01-15T09:20:00+01:00",
    charge_hours: hours("2026-01-15T13", "2026-01-16T02"),
    charge_hours_today: hours("2026-01-15T13"),
    discharge_power_kw: 5,
    discharge_reason: "full",
    ...change,
  });
  const before = essenceOf(plan());

  it.each([
    ["the same", {}, "2026-01-15T09:20:00+01:00", false],
    ["a SOC correction", { charge_stop_soc_pct: 60 }, "2026-01-15T09:35:00+01:00", false],
    [
      "an hour that passed",
      { charge_hours: hours("2026-01-16T02"), charge_hours_today: [] },
      "2026-01-15T14:00:00+01:00",
      false,
    ],
    ["rounding of the cap", { discharge_power_kw: 5.005 }, "2026-01-15T09:20:00+01:00", false],
    ["another cap", { discharge_power_kw: 0 }, "2026-01-15T09:20:00+01:00", true],
    [
      "another start tomorrow",
      { charge_hours: hours("2026-01-15T13", "2026-01-16T03") },
      "2026-01-15T09:20:00+01:00",
      true,
    ],
    ["near_min_soc", { discharge_reason: "near_min_soc" }, "2026-01-15T09:20:00+01:00", true],
    [
      "no charging today",
      { charge_hours: hours("2026-01-16T02"), charge_hours_today: [] },
      "2026-01-15T09:20:00+01:00",
      true,
    ],
    [
      "another end of a run of today, compared with a plan of yesterday",
      { charge_hours: [{ ...hours("2026-01-16T02")[0]!, end: "2026-01-16T03:15:00+01:00" }] },
      "2026-01-16T00:15:00+01:00",
      true,
    ],
    ["midnight", { charge_hours: hours("2026-01-16T02") }, "2026-01-16T00:15:00+01:00", false],
  ])("%s", (_name, change, now, expected) => {
    const after = essenceOf(plan({ issued_at: now, ...change }));
    expect(differs(before, after, at(now))).toBe(expected);
    // The stored plan is read back as JSON after a restart.
    expect(differs(JSON.parse(JSON.stringify(before)), after, at(now))).toBe(expected);
  });
});

describe("migrations", () => {
  it("migrate a node without a version and keep its settings", () => {
    const old = { id: "1", config: "gw", slot: 3, override: "" };
    expect(migrate(old, { gateway: "", slot: 1, override: "auto", overrideMinutes: 120 })).toEqual({
      id: "1",
      gateway: "gw",
      slot: 3,
      override: "",
      overrideMinutes: 120,
      configVersion: version,
    });
    expect(old).toEqual({ id: "1", config: "gw", slot: 3, override: "" });
  });

  it("leave a current node unchanged, and reject one of a newer palette", () => {
    const current = { gateway: "gw", slot: 2, configVersion: version };
    expect(migrate(current, { slot: 1 })).toEqual(current);
    expect(() => migrate({ configVersion: version + 1 }, {})).toThrow(/update the palette/);
  });
});

describe("context store and connection", () => {
  it("selects a persistent context store", () => {
    expect(durableStore()).toBeUndefined();
    expect(durableStore({ default: { module: "memory" } })).toBeUndefined();
    expect(durableStore({ default: "file", file: { module: "localfilesystem" } })).toBe("default");
    expect(durableStore({ default: { module: "memory" }, disk: { module: "localfilesystem" } })).toBe("disk");
    expect(durableStore({ default: "other", other: "default" })).toBeUndefined();
  });

  it("increases the retry delay up to a minute, with at most 50 % jitter", () => {
    expect([0, 1, 2, 10].map((attempt) => backoffMs(attempt, 1))).toEqual([1000, 2000, 4000, 60_000]);
    expect(backoffMs(3, 0)).toBe(4000);
  });

  it("uses the broker that the gateway names, and sends the API key to the embedded one only", () => {
    const gateway = { url: "https://gw.example:8443/x", apiKey: "key" };
    const embedded = { url: null, port: 2883, prefix: "hourgate" };
    expect(brokerOf({ mqtt: embedded }, gateway)).toEqual({
      address: "mqtt://gw.example:2883",
      apiKey: "key",
    });
    expect(brokerOf({}, gateway)).toEqual({ address: "mqtt://gw.example:1883", apiKey: "key" });
    const external = { url: "mqtts://broker:8883", port: null, prefix: "hourgate" };
    expect(brokerOf({ mqtt: external }, gateway)).toEqual({ address: "mqtts://broker:8883" });
    // A broker on the gateway's own machine.
    expect(brokerOf({ mqtt: { ...external, url: "mqtt://localhost:1884" } }, gateway)).toEqual({
      address: "mqtt://gw.example:1884",
    });
    expect(() => brokerOf({ mqtt: { ...external, url: null } }, gateway)).toThrow("no MQTT broker");
    const unknown = { access: { token_present: true, token_valid: false } };
    expect(() => brokerOf(unknown, gateway)).toThrow("The gateway does not know this API key");
    expect(() => brokerOf({ access: { token_present: false, token_valid: false } }, gateway)).toThrow(
      "The gateway node has no API key",
    );
    const known = { access: { token_present: true, token_valid: true }, mqtt: embedded, plants: ["home"] };
    expect(brokerOf(known, { ...gateway, plant: "home" }).address).toBe("mqtt://gw.example:2883");
    expect(() => brokerOf(known, { ...gateway, plant: "cabin" })).toThrow(
      'The API key is for the plant home, not for "cabin"',
    );
    expect(() => brokerOf(known, { ...gateway, prefix: "house" })).toThrow(
      'The gateway\'s topics begin with "hourgate", not with "house"',
    );
  });

  it("says in a sentence that what answers is no broker", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
    );
    const broker = { address: `mqtt://127.0.0.1:${port}`, apiKey: "key" };
    const live = createLiveConnection({
      findBroker: () => Promise.resolve(broker),
      check: () => Promise.resolve(),
      prefix: "hourgate",
      plant: "home",
      clientId: "test",
    });
    const problem = await new Promise((resolve) => {
      live.onState(({ problem }) => resolve(problem));
      live.connect();
    });
    expect(problem).toMatch(/does not answer as an MQTT broker: check host and port/);
    await live.close();
    server.close();
  });

  it("authenticates with the API key or the credentials in the MQTT address, and logs neither", () => {
    expect(signInOf("mqtt://gw:1883", "key")).toEqual({ username: "node-red", password: "key" });
    expect(signInOf("mqtt://me:secret@broker:1883", "key")).toEqual({});
    expect(hostOf("mqtt://me:secret@broker:1883")).toBe("broker:1883");
    expect(hostOf("mqtt://me:se cret@bro ker")).not.toContain("cret");
  });
});
