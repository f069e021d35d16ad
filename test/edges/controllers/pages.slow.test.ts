import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../support/runs.js";
import { type Controlled, fieldsOf, KEY, raw, startControlled } from "./harness.js";

/** From the recorded file: quarter-hours with their market price, EUR/MWh. */
const RECORDED: readonly [string, number][] = [
  ["2026-01-15T08:15:00Z", 186.22],
  ["2026-01-15T17:45:00Z", 194.98],
  ["2026-01-15T22:45:00Z", 122.72],
];

const logged: string[] = [];
const write = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
let gateway: Controlled;

beforeAll(async () => {
  gateway = await startControlled({ trace: write, debug: write, info: write, warn: write, error: write });
});
afterAll(() => gateway.stop());

const get = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(gateway.url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const page = (rest: string, init?: RequestInit) => get(`/c/${gateway.tokens.telemetry}/${rest}`, init);
const api = async (path: string, body?: object) => {
  const response = await fetch(gateway.url + path, {
    headers: { "X-API-Key": KEY, "Content-Type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the members it expects
  return (await response.json()) as any;
};

describe("without battery readings", () => {
  it("returns the fail-safe values with the current price", async () => {
    const line = fieldsOf((await page("line")).text);
    // 2026-01-15 08:15 UTC: see the recorded file; all-in by the tariff of the plant.
    const { prices } = await api("/v1/forecast");
    expect(line).toMatchObject({ OK: "0", AGE: "-1", O1: "0", O2: "0", O6: "-1", O12: "4", SOC: "-1" });
    expect(Number(line.PRICE)).toBeGreaterThan(0);
    expect(line.PRICE).toBe(line.O8);
    expect(prices[0].source).toBe("day_ahead");
    expect((await page("value/discharge_reason")).text).toBe("telemetry_lost");
  });
});

describe("telemetry", () => {
  it("appears immediately in the live state and the line, by GET, POST and PUT, also with a decimal comma", async () => {
    const stored = await page("telemetry?soc_pct=55,5&import_kwh=1234.25&_=17&nonsense=x");
    expect(stored.status).toBe(200);
    expect(stored.text).toMatch(
      /^OK=1;ACCEPTED=1;DUPLICATES=0;REJECTED=0;SOC_PCT=55\.5;IMPORT_KWH=1234\.25\n$/,
    );
    const line = fieldsOf((await page("line")).text);
    expect(line).toMatchObject({ OK: "1", AGE: "0", SOC: "55.5", SOC_AGE: "0" });

    const put = await page("telemetry", { method: "PUT", body: "load_power_kw=0,75" });
    expect(put.text).toContain("LOAD_POWER_KW=0.75");
    const post = await page("telemetry", { method: "POST", body: '{"pv_power_kw": "1,5"}' });
    expect(post.text).toContain("PV_POWER_KW=1.5");
    const empty = await page("telemetry?soc_pct=56", { method: "POST" });
    expect(empty.text).toContain("SOC_PCT=56");
  });

  it("stores valid fields and reports rejected ones", async () => {
    const { status, text } = await page("telemetry?soc_pct=57&import_kwh=abc");
    expect(status).toBe(200);
    expect(text).toMatch(
      /^OK=1;.*REJECTED=1;.*SOC_PCT=57.*;ERROR=import_kwh must be a number from 0 to 1000000000\.\n$/,
    );
  });

  it.each([
    ["soc_pct=120", /^soc_pct must be a number from 0 to 100\.$/],
    ["soc_pct=", /^soc_pct must be/],
    ["", /^The sample has no reading; give at least one of soc_pct/],
    ["soc_pct=5&soc_pct=6", /^soc_pct must be/],
    ["soc_pct=50&timestamp=yesterday", /^timestamp must be an ISO 8601 time/],
    ["soc_pct=50&timestamp=2026-01-15T10:00:00Z", /5 minutes in the future/],
  ])("rejects %s with a message", async (query, sentence) => {
    const { status, text } = await page(`telemetry?${query}`);
    expect(status).toBe(400);
    expect(text).toMatch(sentence);
  });

  it("rejects an invalid body and one that is too large", async () => {
    expect((await page("telemetry", { method: "POST", body: "{soc_pct" })).status).toBe(400);
    const large = await page("telemetry", { method: "POST", body: `a=${"x".repeat(2_000_000)}` });
    const batch = await page("telemetry", { method: "POST", body: '{"samples":[{"soc_pct":101}]}' });
    expect([batch.status, batch.text]).toEqual([400, "soc_pct must be a number from 0 to 100."]);
    expect([large.status, large.text]).toEqual([
      413,
      "The body is larger than 64 KiB: send only the values.",
    ]);
  });

  it("rejects a read-only link", async () => {
    const { status, text } = await get(`/c/${gateway.tokens.read}/telemetry?soc_pct=1`);
    expect(status).toBe(403);
    expect(text).toMatch(/^This link is read-only/);
    expect(fieldsOf((await page("line")).text).SOC).not.toBe("1");
  });
});

describe("the line and its values", () => {
  it("contains the values of hours-demand, each key once", async () => {
    const { text, status, headers } = await page("line");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain; charset=us-ascii");
    expect(headers.get("x-ratelimit-limit")).toBeNull();
    expect(headers.get("set-cookie")).toBeNull();
    expect(text).toMatch(/^HG(;[A-Z]+[A-Z0-9_]*=-?\d+(\.\d+)?)+\n$/);
    const keys = [...text.matchAll(/;([A-Z0-9_]+)=/g)].map((match) => match[1]);
    expect(new Set(keys).size).toBe(keys.length);

    const plan = await api("/v1/decision/hours-demand", {});
    const line = fieldsOf(text);
    // No feed-in limit is -1, since a line holds numbers only.
    for (const [name, value] of Object.entries(plan.outputs)) expect(Number(line[name])).toBe(value ?? -1);
    expect(line.PRICE).toBe(String(plan.outputs.O8));
    expect(Number(line.HOURS)).toBe(plan.hours_needed);
    for (const name of ["hours_needed", "plan_hash", "discharge_reason", "charge_stop_soc_pct"])
      expect((await page(`value/${name}`)).text).toBe(String(plan[name]));
    expect((await page("value/adaptive_discharge")).text).toBe(plan.adaptive_discharge ? "1" : "0");
    expect((await page("value/issued_at")).text).toBe(plan.issued_at);
    for (const key of ["O1", "O6", "O12", "PRICE", "SOC", "NEXT", "CAP", "S3", "N3"])
      expect((await page(`value/${key}`)).text).toBe(line[key]);
  });

  it("reports on and off by status code", async () => {
    const line = fieldsOf((await page("line")).text);
    const answers = async (name: string) => {
      const { status, text } = await page(`on/${name}`);
      return [status, text];
    };
    expect(await answers("PRICE")).toEqual([200, "1"]);
    expect(await answers("O1")).toEqual(line.O1 === "1" ? [200, "1"] : [404, "0"]);
    expect(await answers("S8")).toEqual([404, "0"]);
    expect(await answers("nothing")).toEqual([404, "unknown name"]);
    expect(await answers("__proto__")).toEqual([404, "unknown name"]);
    expect(await answers("discharge_reason")).toEqual([404, "unknown name"]);
    expect([(await page("value/nothing")).status, (await page("value/nothing")).text]).toEqual([
      404,
      "unknown name",
    ]);
    expect((await page("value")).text).toBe("unknown name");
  });
});

describe("links", () => {
  it("gives the same answer for unknown, revoked and malformed tokens", async () => {
    const { revoked, read } = gateway.tokens;
    for (const path of [
      `/c/${revoked}/line`,
      `/c/${read}x/line`,
      `/c/${read.toUpperCase()}/on/O1`,
      "/c/short/value/O1",
      `/c/${"a".repeat(32)}/telemetry?soc_pct=1`,
      "/c/",
      "/c",
      "/c//line",
      "/c/%ff/line",
    ])
      expect(await get(path).then(({ status, text }) => [status, text]), path).toEqual([404, "unknown link"]);
  });

  it("do not appear in the log", async () => {
    await get(`/c/${gateway.tokens.read}/line`);
    await get(`//c/${gateway.tokens.read}/line`);
    const paths = logged.filter((entry) => entry.includes("/c/"));
    expect(paths.length).toBeGreaterThan(10);
    for (const token of Object.values(gateway.tokens))
      expect(logged.filter((entry) => entry.includes(token))).toEqual([]);
  });
});

describe("flex", () => {
  it("accepts a flex_pack with decimals and returns the values of windows", async () => {
    const asked = await api("/v1/decision/windows?flex_pack=4197590&max_power_kw=11");
    for (const pack of ["4197590.0", "4197590", "4197590,00"]) {
      const { status, text } = await page(`flex?flex_pack=${pack}&max_power_kw=11`);
      expect(status, text).toBe(200);
      const line = fieldsOf(text);
      expect(Number(line.CHARGE)).toBe(asked.charge_now);
      expect(Number(line.NEXT)).toBe(asked.minutes_to_start);
      expect([line.HOURS, line.SLOTS, line.FEASIBLE]).toEqual(["3", "12", "1"]);
      expect(Number(line.PRICE)).toBe(asked.average_price_ct_kwh);
    }
  });

  it("sets the schedule of a slot, which requires the scope telemetry", async () => {
    const refused = await get(`/c/${gateway.tokens.read}/flex?flex_pack=4197590&slot_id=3`);
    expect(refused.status).toBe(403);
    expect((await get(`/c/${gateway.tokens.read}/flex?flex_pack=4197590`)).status).toBe(200);
    expect((await page("flex?flex_pack=4197590.0&slot_id=wallbox_3")).status).toBe(200);
    const { recipes } = await api("/v1/plant/device-schedules");
    expect(recipes[0]).toMatchObject({ slot_id: "3", origin: "request", demand_hours: 3 });
    const line = fieldsOf((await page("line")).text);
    expect(Number(line.S3)).toBe(recipes[0].charge_now);
    const minutes = (Date.parse(recipes[0].next_start) - Date.parse("2026-01-15T08:20:12Z")) / 60_000;
    expect(Number(line.N3)).toBe(Math.ceil(minutes));
    expect((await page("value/slot_3")).text).toBe(line.S3);
  });

  it.each([
    ["flex_pack=8388607", 400, /start hour 31/],
    ["flex_pack=12.5", 400, /^flex_pack must be/],
    ["slot_id=9", 400, /^slot_id must name a slot from 1 to 8/],
    ["slot_id=2&count=1", 404, /^Slot 2 is not assigned/],
    ["count=&mode=dear", 400, /count.*mode|mode.*count/],
  ])("rejects %s", async (query, status, sentence) => {
    const answer = await page(`flex?${query}`);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(sentence)]);
  });
});

describe("prices", () => {
  it("returns 24 relative hours with all-in prices", async () => {
    const { prices } = await api("/v1/forecast");
    const line = fieldsOf((await page("hours")).text);
    expect(Object.keys(line)).toEqual(Array.from({ length: 24 }, (_, hour) => `H${hour}`));
    expect(Object.values(line).map(Number)).toEqual(
      prices.slice(0, 24).map((price: { total_ct_kwh: number }) => price.total_ct_kwh),
    );
  });

  it("returns quarter-hours without gaps from the current one for evcc, EUR/kWh", async () => {
    for (const which of ["grid", "feedin", "solar"]) {
      const entries = JSON.parse((await page(`evcc/${which}`)).text) as Record<string, string | number>[];
      expect(entries[0], which).toMatchObject({ start: "2026-01-15T08:15:00Z", end: "2026-01-15T08:30:00Z" });
      expect(entries.length, which).toBe(168 * 4 - 1);
      const broken = entries.filter(
        ({ start, end, value }, index) =>
          Date.parse(String(end)) - Date.parse(String(start)) !== 900_000 ||
          (index > 0 && start !== entries[index - 1]!.end) ||
          !Number.isFinite(value),
      );
      expect(broken, which).toEqual([]);
      expect(Object.keys(entries[0]!)).toEqual(["start", "end", "value"]);
    }
    expect(await page("evcc/wind").then(({ status, text }) => [status, text])).toEqual([404, "unknown name"]);
  });

  it("applies the tariff to the recorded quarter-hours", async () => {
    const grid = JSON.parse((await page("evcc/grid")).text) as { start: string; value: number }[];
    const feedIn = JSON.parse((await page("evcc/feedin")).text) as { start: string; value: number }[];
    // From the recorded file, EUR/MWh; import (spot + 15 + 79) * 1.2, without a feed-in tariff the market price.
    for (const [start, spot] of RECORDED) {
      expect(grid.find((entry) => entry.start === start)?.value).toBeCloseTo(((spot + 94) * 1.2) / 1000, 6);
      expect(feedIn.find((entry) => entry.start === start)?.value).toBeCloseTo(spot / 1000, 6);
    }
    expect(Number((await page("value/PRICE")).text) / 100).toBeCloseTo(grid[0]!.value, 6);
  });

  it("contains the energy of the PV forecast in the solar array", async () => {
    const entries = JSON.parse((await page("evcc/solar")).text) as { start: string; value: number }[];
    const { hourly } = await api("/v1/plant/pv-forecast?granularity=hourly");
    const noon = hourly.find((hour: { start: string }) => hour.start.startsWith("2026-01-16T12:00"));
    const quarters = entries.filter(
      ({ start }) => Math.floor(Date.parse(start) / 3_600_000) === Date.parse(noon.start) / 3_600_000,
    );
    const energyKwh = quarters.reduce((sum, { value }) => sum + value / 4000, 0);
    expect(noon.kwh).toBeGreaterThan(0);
    expect(energyKwh).toBeCloseTo(noon.kwh, 2);
  });
});

describe("plain HTTP", () => {
  it("serves HTTP/1.0 with Content-Length and closes the connection", async () => {
    const answer = await raw(gateway.port, `GET /c/${gateway.tokens.read}/line HTTP/1.0\r\n\r\n`);
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(head).toMatch(/connection: close/i);
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBe(body.length);
    expect(fieldsOf(body).OK).toBe("1");
  });

  it("answers HEAD without a body and other methods with Allow", async () => {
    const head = await page("line", { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(Number(head.headers.get("content-length"))).toBe((await page("line")).text.length);
    const refused = await page("line", { method: "DELETE" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect((await page("telemetry?soc_pct=1", { method: "HEAD" })).status).toBe(405);
    expect((await page("line", { method: "OPTIONS" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect((await page("nothing")).text).toMatch(/^There is no such page/);
    expect((await page("line/more")).status).toBe(404);
    expect((await page("line/")).status).toBe(200);
  });
});

it("answers random requests with a valid status and one ASCII line", async () => {
  const word = fc.oneof(
    fc.constantFrom(
      "line",
      "value",
      "on",
      "flex",
      "telemetry",
      "hours",
      "evcc",
      "grid",
      "O1",
      "slot_3",
      "%00",
    ),
    fc.string({ maxLength: 12 }),
  );
  const names = fc.oneof(
    fc.constantFrom(
      "flex_pack",
      "slot_id",
      "soc_pct",
      "import_kwh",
      "segments",
      "start",
      "count",
      "timezone",
    ),
    fc.constantFrom("energy_kwh", "max_power_kw", "plugged", "__proto__", "samples", "timestamp", "battery"),
    fc.string({ maxLength: 8 }),
  );
  const values = fc.oneof(
    fc.constantFrom(
      "",
      "NaN",
      "1e400",
      "-1",
      "4197590.0",
      "2,5",
      "3",
      "Infinity",
      "2026-01-15T22:00:00 01:00",
    ),
    fc.double().map(String),
    fc.string({ maxLength: 12, unit: "grapheme" }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "GET", "POST", "PUT", "DELETE"),
      fc.array(word, { maxLength: 3 }),
      fc.array(fc.tuple(names, values), { maxLength: 4 }),
      fc.boolean(),
      async (method, words, pairs, known) => {
        const text = (part: string) => encodeURIComponent(part);
        const path = [known ? gateway.tokens.telemetry : "x".repeat(20), ...words.map(text)].join("/");
        const query = pairs.map((pair) => pair.map(text).join("=")).join("&");
        const answer = await get(`/c/${path}?${query}`, { method });
        expect([200, 400, 404, 405]).toContain(answer.status);
        expect(answer.text).toMatch(/^[ -~]+\n?$/);
        if (!known) expect(answer.text).toMatch(/^unknown link$/);
      },
    ),
    { numRuns: runs(250) },
  );
});
