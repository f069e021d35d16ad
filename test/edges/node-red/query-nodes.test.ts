import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type HttpDouble, KEY, recorded, startHttp } from "./doubles.js";
import { run, startServer, stopServer, unload } from "./harness.js";

let gateway: HttpDouble;

beforeAll(startServer);
afterAll(stopServer);
beforeEach(async () => {
  gateway = await startHttp();
});
afterEach(async () => {
  await unload();
  await gateway.stop();
});

const ask = (type: string, settings = {}) => run(type, settings, { url: gateway.url });

it.each(["hourgate-override", "hourgate-telemetry", "hourgate-hours-demand"])(
  "%s asks about no other plant than the configured one, though the key would",
  async (type) => {
    const running = await run(type, {}, { url: gateway.url, plant: "cabin" });
    running.node.receive({ payload: 50 });
    expect((await running.error()).message).toBe(
      'The API key is for the plant home, not for "cabin": correct the plant or the key in the gateway node.',
    );
    expect(gateway.asked).toEqual([]);
  },
);

describe("hourgate-override", () => {
  const bodies = () => gateway.asked.filter(({ method }) => method === "POST").map(({ body }) => body);

  it("sends the override of the dialog, or that of the message, with its end", async () => {
    const running = await ask("hourgate-override", { slot: "4", override: "run", minutes: "130" });
    running.node.receive({ kept: "yes" });
    expect(await running.message()).toMatchObject({ payload: recorded("device-overrides"), kept: "yes" });
    await running.until(() => running.status()?.text === "run → 11:30");
    const messages = [
      { override: "skip", override_until: "18:00" },
      { override: "FULL", override_until: "7:00", slot: 2 },
      { override: "full", override_until: "2026-01-16T06:00:00+01:00" },
      { override: "auto" },
    ];
    for (const [index, message] of messages.entries()) {
      running.node.receive(message);
      await running.message(index + 1);
    }
    expect(bodies()).toEqual([
      { slot_id: 4, override: "run", until: "2026-01-15T10:30:00.000Z" },
      { slot_id: 4, override: "skip", until: "2026-01-15T18:00" },
      { slot_id: 2, override: "full", until: "2026-01-16T07:00" },
      { slot_id: 4, override: "full", until: "2026-01-16T06:00:00+01:00" },
      { slot_id: 4, override: "auto" },
    ]);
  });

  it("sends numbers with a decimal comma, and what is no number as it is, so that the gateway refuses it", async () => {
    const running = await ask("hourgate-override", { slot: "4", override: "target" });
    const messages = [
      { target_soc_pct: "80,5", min_soc_pct: 20 },
      { target_soc_pct: "full", min_soc_pct: " ", energy_kwh: "" },
    ];
    for (const [index, message] of messages.entries()) {
      running.node.receive(message);
      await running.message(index);
    }
    expect(bodies()).toEqual([
      { slot_id: 4, override: "target", target_soc_pct: 80.5, min_soc_pct: 20 },
      { slot_id: 4, override: "target", target_soc_pct: "full", min_soc_pct: "" },
    ]);
  });

  it("reports a duration that is no positive number and an invalid slot to the catch nodes", async () => {
    const running = await ask("hourgate-override", { slot: "4" });
    running.node.receive({ override_minutes: 0 });
    expect((await running.error()).message).toMatch(/^msg.override_minutes must be a number above 0/);
    running.node.receive({ slot: 9 });
    expect((await running.error(1)).message).toBe("The slot must be a number from 1 to 8.");
    running.node.receive({});
    await running.message();
    // Without an end it is left to the gateway.
    expect(bodies()).toEqual([{ slot_id: 4, override: "run" }]);
  });
});

describe("hourgate-windows", () => {
  it("sends the configured fields overridden by the message's fields, and outputs the response", async () => {
    const running = await ask("hourgate-windows", {
      window_start_hour: "22",
      window_end_hour: "6",
      energy_kwh: "7,5",
      segments: "2,1",
      max_power_kw: "",
      deadline_strict: true,
      repeat_daily: false,
      mode: "",
      count: "3",
    });
    running.node.receive({ payload: { count: null, plugged: 1 }, kept: "yes" });
    const message = await running.message();
    expect(message).toMatchObject({ payload: recorded("windows"), kept: "yes" });
    expect(gateway.asked[0]).toEqual({
      method: "POST",
      path: "/v1/decision/windows",
      key: KEY,
      query: {},
      body: {
        window_start_hour: 22,
        window_end_hour: 6,
        energy_kwh: 7.5,
        segments: "2,1",
        deadline_strict: true,
        plugged: 1,
      },
    });
    await running.until(() => running.status()?.text === "0 → 01-16 03:00");
  });

  it("reports errors to the catch nodes with message, code and details, and sends no message", async () => {
    const running = await ask("hourgate-windows");
    gateway.answerNext(400, JSON.stringify(recorded("refused")));
    running.node.receive({ payload: "a time stamp" });
    expect(await running.error()).toMatchObject({
      message: "battery.soc_pct must be a number from 0 to 100.",
      code: "invalid_parameter",
      cause: { status: 400, details: [{ field: "battery.soc_pct" }] },
    });
    gateway.answerNext(200, JSON.stringify(recorded("not-available")));
    running.node.receive({});
    expect(await running.error(1)).toMatchObject({ code: "not_available", cause: { status: 200 } });
    gateway.answerNext(429, JSON.stringify({ error: { code: "rate_limit_exceeded", message: "Used up." } }), {
      "Retry-After": "120",
    });
    running.node.receive({});
    expect(await running.error(2)).toMatchObject({ cause: { retry_after: 120 } });
    gateway.answerNext(502, "<html>");
    running.node.receive({});
    expect(await running.error(3)).toMatchObject({ code: "invalid_answer" });
    running.node.receive({ payload: [1, 2] });
    expect(await running.error(4)).toMatchObject({ code: "invalid_payload" });
    expect(running.messages[0]).toEqual([]);
    expect(running.status()).toMatchObject({ fill: "red", shape: "ring" });
  });

  it("reports an unreachable gateway", async () => {
    const unused = createServer().listen(0, "127.0.0.1");
    await once(unused, "listening");
    const { port } = unused.address() as AddressInfo;
    unused.close();
    await once(unused, "close");
    const running = await run("hourgate-windows", {}, { url: `http://127.0.0.1:${port}` });
    running.node.receive({});
    const error = await running.error();
    expect(error.code).toBe("unreachable");
    expect(error.message).toMatch(/ECONNREFUSED.*check its address/);
  });
});

describe("hourgate-hours-demand", () => {
  it("groups the configured fields, overridden by the message's fields within each group", async () => {
    const running = await ask("hourgate-hours-demand", {
      battery_soc_pct: "50",
      battery_capacity_kwh: "10",
      battery_grid_charge_allowed: "false",
      pv_daily_kwh: "12, 8.5",
      load_daily_kwh: "",
      locale: "en",
    });
    running.node.receive({ payload: { battery: { soc_pct: 20 }, load: { power_kw: 0.4 } } });
    expect((await running.message()).payload).toEqual(recorded("hours-demand"));
    expect(gateway.asked[0]!.body).toEqual({
      locale: "en",
      battery: { soc_pct: 20, capacity_kwh: 10, grid_charge_allowed: false },
      load: { power_kw: 0.4 },
      pv: { daily_kwh: [12, 8.5] },
    });
    await running.until(() => running.status()?.text === "0.75 → 01-18 04:00");
    // An array is sent unchanged so that the gateway can reject it.
    running.node.receive({ payload: { battery: [20] } });
    await running.until(() => gateway.asked.length === 2);
    expect(gateway.asked[1]!.body).toMatchObject({ battery: [20] });
  });
});

describe("documents on request", () => {
  it("hourgate-forecast and hourgate-pv-forecast send their parameters in the query", async () => {
    const prices = await ask("hourgate-forecast", { live: false, timezone: "UTC" });
    prices.node.receive({ payload: 1_768_465_200_000 });
    expect((await prices.message()).payload).toEqual(recorded("forecast"));
    await unload();
    const yields = await ask("hourgate-pv-forecast", { live: false, days: "3", granularity: "both" });
    yields.node.receive({ payload: { days: 2 } });
    expect((await yields.message()).payload).toEqual(recorded("pv-forecast"));
    expect(gateway.asked.map(({ path, query }) => [path, query])).toEqual([
      ["/v1/forecast", { timezone: "UTC" }],
      ["/v1/plant/pv-forecast", { days: "2", granularity: "both" }],
    ]);
  });
});

describe("hourgate-telemetry", () => {
  it("sends a number as the selected reading, objects unchanged, arrays as a batch", async () => {
    const running = await ask("hourgate-telemetry", { reading: "pv_power_kw" });
    const sample = { soc_pct: 55, timestamp: "2026-01-15T09:20:00+01:00" };
    for (const payload of [1.5, sample, [sample]]) running.node.receive({ payload });
    expect((await running.message(2)).payload).toEqual(recorded("telemetry"));
    const bodies = gateway.asked.map(({ body }) => JSON.stringify(body));
    for (const body of [{ pv_power_kw: 1.5 }, sample, { samples: [sample] }])
      expect(bodies).toContain(JSON.stringify(body));
    running.node.receive({ payload: "" });
    expect((await running.error()).code).toBe("invalid_payload");
  });
});
