import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { Log } from "../../../src/core/log.js";
import { fakeServices, KEYS } from "../../api/fake-services.js";
import { serve } from "./serve.js";

const owner = { "X-API-Key": KEYS.owner };

/** Sends bytes as they are and gives back all that comes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    received += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  return received;
}

test("every invalid field is named, with a sentence that says what is permitted", async () => {
  const { post, get } = await serve();
  const body = {
    mode: "plan",
    battery: {
      soc_pct: "",
      min_soc_pct: -1,
      capacity_kwh: 0,
      grid_charge_allowed: "yes",
      efficiency_pct: null,
    },
    load: { hourly_kwh: [1, "x", 3], power_kw: true },
    pv: [],
    timezone: "Mars/Olympus",
  };
  const { status, json, headers } = await post("/v1/decision/hours-demand", body, owner);
  expect(status).toBe(400);
  expect(json.error.code).toBe("invalid_parameter");
  expect(json.access.tier).toBe("full_active");
  const byField = Object.fromEntries(
    json.error.details.map((detail: { field: string; message: string }) => [detail.field, detail.message]),
  );
  expect(byField).toEqual({
    mode: "mode must be one of decide, telemetry.",
    "battery.soc_pct": "battery.soc_pct is empty: send a number from 0 to 100, or omit it.",
    "battery.min_soc_pct": "battery.min_soc_pct must be a number from 0 to 100.",
    "battery.capacity_kwh": "battery.capacity_kwh must be a number from 0.001 to 100000.",
    "battery.grid_charge_allowed": "battery.grid_charge_allowed must be true or false.",
    "battery.efficiency_pct": "battery.efficiency_pct is empty: send a number from 1 to 100, or omit it.",
    "load.hourly_kwh[1]": "load.hourly_kwh[1] must be a number from 0 to 10000.",
    "load.power_kw": "load.power_kw must be a number from 0 to 10000.",
    pv: "pv was given more than once or as a list: send an object.",
    timezone: "timezone must be an IANA time zone name such as Europe/Vienna.",
  });
  expect(headers.get("x-ratelimit-limit")).toBeNull();
  expect((await get("/v1/status", owner)).headers.get("x-ratelimit-remaining")).toBe("600");
});

test.each([
  "timezone=",
  "timezone=a&timezone=b",
  "timezone=Europe/Vienna&timezone=Europe/Vienna",
  "timezone=%2B01:00",
  "timezone=%ff",
])("GET /v1/forecast?%s is refused and not counted, also without a key", async (query) => {
  const { get } = await serve();
  const { status, json } = await get(`/v1/forecast?${query}`);
  expect(status).toBe(400);
  expect(json.error.details).toMatchObject([{ field: "timezone" }]);
  expect((await get("/v1/status")).headers.get("x-ratelimit-remaining")).toBe("60");
});

test("an unescaped + in a zone name is read as +; unknown parameters are ignored, repeated or not", async () => {
  const { get } = await serve();
  expect((await get("/v1/forecast?timezone=Etc/GMT+5&_=1&_=2&__proto__=x")).json.timezone).toBe("Etc/GMT+5");
});

test("an inverted SOC band names both ends", async () => {
  const { post } = await serve();
  const body = { battery: { min_soc_pct: 80, max_soc_pct: 20 } };
  const { status, json } = await post("/v1/decision/hours-demand", body, owner);
  expect(status).toBe(400);
  expect(json.error.details).toMatchObject([
    { field: "battery.min_soc_pct" },
    { field: "battery.max_soc_pct" },
  ]);
});

test("bodies that are not JSON objects", async () => {
  const { post } = await serve();
  for (const body of ["{", "[]", "5", "null", '"x"', "[".repeat(200_000)]) {
    const { status, json } = await post("/v1/decision/hours-demand", body, owner);
    expect(status).toBe(400);
    expect(json.error.code).toBe("invalid_json");
  }
  for (const body of [undefined, "", " \n", "\uFEFF{}", '{"__proto__":{"mode":"telemetry"}}']) {
    expect((await post("/v1/decision/hours-demand", body, owner)).json.schema).toBe("hours_demand_v1.11");
  }
});

test("media types: JSON or none; a body over 1 MiB is 413, one of exactly 1 MiB is read", async () => {
  const { url, post } = await serve();
  const send = (headers: Record<string, string>, body: Uint8Array<ArrayBuffer> | string) =>
    fetch(`${url}/v1/decision/hours-demand`, { method: "POST", headers: { ...owner, ...headers }, body });
  expect((await send({ "Content-Type": "text/plain" }, "{}")).status).toBe(415);
  expect((await send({ "Content-Type": "application/x-www-form-urlencoded" }, "a=1")).status).toBe(415);
  expect((await send({ "Content-Type": "application/json; charset=latin1" }, "{}")).status).toBe(415);
  expect((await send({ "Content-Type": "application/json", "Content-Encoding": "gzip" }, "{}")).status).toBe(
    415,
  );
  expect((await send({}, Buffer.from("{}"))).status).toBe(200);
  expect((await send({ "Content-Type": "Application/JSON; charset=UTF-8" }, "{}")).status).toBe(200);
  const fill = (bytes: number) => `{"x":"${"a".repeat(bytes - 8)}"}`;
  expect((await post("/v1/decision/hours-demand", fill(1024 * 1024), owner)).status).toBe(200);
  const large = await post("/v1/decision/hours-demand", fill(1024 * 1024 + 1), owner);
  expect(large.status).toBe(413);
  expect(large.json.error.code).toBe("payload_too_large");
  expect((await post("/v1/plant/telemetry", fill(6_000_000), owner)).status).toBe(413);
});

test("unknown paths and methods; HEAD works as GET, OPTIONS lists the methods", async () => {
  const { url, get } = await serve();
  for (const path of ["/v1/nothing", "/v2/forecast", "/%ff", "/V1/forecast"]) {
    const missing = await get(path, owner);
    expect(missing.status).toBe(404);
    expect(missing.json.error.code).toBe("not_found");
    expect(missing.json.access.token_valid).toBe(true);
  }
  const wrong = await fetch(`${url}/v1/forecast`, { method: "DELETE" });
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect(await wrong.json()).toMatchObject({ error: { code: "method_not_allowed" } });
  const getOnPost = await get("/v1/plant/telemetry");
  expect(getOnPost.status).toBe(405);
  expect(getOnPost.headers.get("allow")).toBe("POST, OPTIONS");
  const head = await fetch(`${url}/v1/forecast`, { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(Number(head.headers.get("content-length"))).toBeGreaterThan(1000);
  expect(await head.text()).toBe("");
  const options = await fetch(`${url}/v1/forecast`, { method: "OPTIONS" });
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
});

test("every answer carries content type, no-store and a request id", async () => {
  const { get, post } = await serve();
  for (const answer of [
    await get("/health"),
    await get("/"),
    await get("/v1/forecast"),
    await get("/nothing"),
    await post("/v1/decision/hours-demand", "{"),
    await post("/v1/forecast", {}),
  ]) {
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get("x-powered-by")).toBeNull();
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  }
  expect((await get("/health", { "X-Request-Id": "flow-17.a" })).headers.get("x-request-id")).toBe(
    "flow-17.a",
  );
  const odd = await get("/health", { "X-Request-Id": "a b;c" });
  expect(odd.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("the 61st call without a key in an hour is 429 with the limit in headers and body, and is not counted", async () => {
  const { get, services } = await serve();
  for (let call = 0; call < 60; call++) await get("/health");
  for (let call = 1; call <= 60; call++) {
    const { headers } = await get("/v1/forecast");
    expect(headers.get("x-ratelimit-remaining")).toBe(String(60 - call));
  }
  const { status, headers, json, text } = await get("/v1/decision");
  expect(status).toBe(429);
  const reset = services.clock.now().getTime() / 1000 + 3600;
  expect(json).toMatchObject({ limit: 60, remaining: 0, reset, scope: "ip", retry_after: 3600 });
  expect(json.error.code).toBe("rate_limit_exceeded");
  expect(Object.keys(json).slice(-2)).toEqual(["error", "access"]);
  expect(text).not.toContain("prices");
  expect(headers.get("x-ratelimit-limit")).toBe("60");
  expect(headers.get("x-ratelimit-remaining")).toBe("0");
  expect(headers.get("x-ratelimit-reset")).toBe(String(reset));
  expect(headers.get("x-ratelimit-scope")).toBe("ip");
  expect(headers.get("retry-after")).toBe("3600");
  expect((await get("/v1/forecast?timezone=x")).status).toBe(400);
  expect((await get("/v1/forecast", owner)).status).toBe(200);
  await services.clock.advance(3_600_000);
  expect((await get("/v1/forecast")).headers.get("x-ratelimit-remaining")).toBe("59");
});

test("X-Forwarded-For is used only behind a trusted proxy, and then its last entry", async () => {
  const remaining = async (proxies: string[], header: string) => {
    const { get } = await serve(fakeServices(), { proxies });
    await get("/v1/forecast");
    return (await get("/v1/forecast", { "X-Forwarded-For": header })).headers.get("x-ratelimit-remaining");
  };
  expect(await remaining([], "203.0.113.7")).toBe("58");
  expect(await remaining(["127.0.0.1"], "203.0.113.7")).toBe("59");
  // The proxy itself is skipped, and what a client puts before its own address is ignored.
  expect(await remaining(["127.0.0.0/8"], "198.51.100.1, 203.0.113.7, 127.0.0.1")).toBe("59");
  expect(await remaining(["192.0.2.1"], "203.0.113.7")).toBe("58");
  expect(await remaining(["127.0.0.1"], "no address")).toBe("58");
});

test("an internal error is 500 without its cause, which is logged with the request id", async () => {
  const logged: object[] = [];
  const log: Log = { trace() {}, debug() {}, info() {}, warn() {}, error: (fields) => logged.push(fields) };
  const services = fakeServices();
  services.failure = new TypeError("secret inside");
  const { post, get } = await serve(services, { log });
  const { status, text, headers } = await post("/v1/plant/telemetry", { soc_pct: 5 }, owner);
  expect(status).toBe(500);
  expect(JSON.parse(text).error.code).toBe("internal_error");
  expect(text).not.toMatch(/secret|TypeError|at /);
  expect(logged).toMatchObject([{ err: services.failure, requestId: headers.get("x-request-id") }]);
  services.accounts.access = () => {
    throw new Error("accounts are gone");
  };
  expect((await get("/v1/forecast", owner)).status).toBe(500);
  expect((await get("/nothing", owner)).status).toBe(500);
});

test("malformed HTTP is answered in JSON and closed; HTTP/1.0 and a missing Host are served", async () => {
  const { port } = await serve();
  const garbage = await raw(port, "\x16\x03\x01nonsense\r\n\r\n");
  expect(garbage).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(garbage.split("\r\n\r\n")[1]!).error.code).toBe("malformed_request");
  const long = await raw(port, `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect(long).toMatch(/^HTTP\/1\.1 431 /);
  expect(await raw(port, "GET /health HTTP/1.0\r\n\r\n")).toMatch(
    /^HTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}$/,
  );
  expect(await raw(port, "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ["Expect: something", 417, "expectation_failed", /Expect may only be 100-continue/],
  ["Host: y", 400, "malformed_request", /more than one header Host/],
])("a request with %s is refused in the usual form", async (header, status, code, sentence) => {
  const { port } = await serve();
  const answer = await raw(port, `GET /health HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const { error } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
  expect(error).toMatchObject({ code, message: expect.stringMatching(sentence) });
});
