import { expect, test } from "vitest";
import { VERSION } from "../../../src/core/version.js";
import { fakeServices, KEYS, priceAt, publishedPoints } from "../../api/fake-services.js";
import { detailOf } from "../../support/components.js";
import { isScalarsFirst, serve } from "./serve.js";

const owner = { "X-API-Key": KEYS.owner };
const community = { "X-API-Key": KEYS.community };

test("the forecast without a key: 48 hours from the current hour, no intervals, no tariff", async () => {
  const { get } = await serve();
  const { status, json, headers } = await get("/v1/forecast");
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(json).toMatchObject({
    schema: "forecast_v1",
    issued_at: "2026-01-15T09:20:00+01:00",
    model_version: "recent-mean-1",
    trigger: "scheduled",
    timezone: "Europe/Vienna",
    zone: "AT",
    currency: "EUR",
    resolution_minutes: 60,
    horizon_hours: 48,
    first_forecast_start: "2026-01-17T00:00:00+01:00",
    access: {
      tier: "basic",
      label: "Basic (no key)",
      full_version_available: false,
      token_present: false,
      token_valid: false,
    },
  });
  expect(json.prices).toHaveLength(48);
  expect(json.prices[0]).toEqual({
    start: "2026-01-15T09:00:00+01:00",
    end: "2026-01-15T10:00:00+01:00",
    price_eur_mwh: Number(priceAt(9).toFixed(3)),
    price_ct_kwh: Number((priceAt(9) / 10).toFixed(4)),
    source: "day_ahead",
  });
  expect(Object.keys(json.prices[47])).toEqual(["start", "end", "price_eur_mwh", "price_ct_kwh", "source"]);
});

test("the forecast with a key: 168 hours, intervals on forecast hours, and the plant's tariff", async () => {
  const { get } = await serve();
  const { json } = await get("/v1/forecast?timezone=America/New_York", owner);
  expect(json.horizon_hours).toBe(168);
  expect(json.timezone).toBe("America/New_York");
  expect(json.prices).toHaveLength(168);
  expect(json.prices[0].start).toBe("2026-01-15T03:00:00-05:00");
  expect(json.prices[0]).not.toHaveProperty("p10_ct_kwh");
  const forecast = json.prices[100];
  expect(forecast.p90_ct_kwh - forecast.p10_ct_kwh).toBeCloseTo(2.2, 4);
  expect(forecast.total_ct_kwh).toBeCloseTo((priceAt(109) / 10 + 10) * 1.2, 4);
  expect(forecast.export_ct_kwh).toBeCloseTo(priceAt(109) / 10 - 1, 4);
  const other = await get("/v1/forecast", community);
  expect(other.json.prices[0]).not.toHaveProperty("total_ct_kwh");
  expect(other.json.access.tier).toBe("community");
});

test("168 entries are 168 elapsed hours, also across the start of summer time", async () => {
  const { get } = await serve(fakeServices({ now: new Date("2026-03-27T08:20:00Z") }));
  const { json } = await get("/v1/forecast", owner);
  const starts = json.prices.map((hour: { start: string }) => Date.parse(hour.start));
  expect(starts.at(-1) - starts[0]).toBe(167 * 3_600_000);
  expect(
    json.prices.find((hour: { start: string }) => hour.start === "2026-03-29T03:00:00+02:00"),
  ).toBeDefined();
  expect(json.prices.some((hour: { start: string }) => hour.start.startsWith("2026-03-29T02"))).toBe(false);
});

test("decision: the first day is ranked over its 24 hours, whatever the timezone parameter", async () => {
  const { get } = await serve();
  const { json } = await get("/v1/decision?timezone=Asia/Tokyo", owner);
  const day = Array.from({ length: 24 }, (_, hour) => ({ hour, value: priceAt(hour) }));
  const ranks = [...day].sort((a, b) => a.value - b.value).map(({ hour }) => hour);
  const nine = ranks.indexOf(9) + 1;
  expect(json.schema).toBe("decision_v1");
  expect(json.prices[0].rank_in_day).toBe(nine);
  expect(json.prices[0].quartile).toBe(Math.ceil(nine / 6));
  expect(json.current_quartile).toBe(json.prices[0].quartile);
  expect(json.current_signal).toBe(json.prices[0].signal);
  const all = json.prices.map((hour: { price_ct_kwh: number }) => hour.price_ct_kwh);
  const below = all.filter((price: number) => price < all[0]).length;
  expect(json.prices[0].horizon_quartile).toBe(Math.ceil((4 * (below + 1)) / 168));
  // The last day holds the 9 hours that are left of 168.
  expect(
    json.prices
      .slice(-9)
      .map((hour: { rank_in_day: number }) => hour.rank_in_day)
      .sort(),
  ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("decision: the current quartile is that of the quarter-hour where those are settled, as O7", async () => {
  const services = fakeServices();
  // 09:15 is the dearest quarter-hour of the day, its hour is not among the dearest: the others cost next to nothing.
  const quarters = [1, 4000, 1, 1].map((eurPerMwh, index) => ({
    start: new Date(Date.UTC(2026, 0, 15, 8, 15 * index)),
    minutes: 15 as const,
    eurPerMwh: eurPerMwh - 900,
  }));
  services.stepMinutes = 15;
  services.series = services.series.with(quarters);
  const { get } = await serve(services);
  const { json } = await get("/v1/decision", owner);
  expect(json).toMatchObject({ current_quartile: 4, current_signal: "expensive" });
});

test("decision uses the published prices of past hours", async () => {
  const services = fakeServices();
  const { get } = await serve(services);
  const before = (await get("/v1/decision", owner)).json.prices[0].rank_in_day;
  const dearMorning = publishedPoints().slice(0, 9);
  services.series = services.series.with(dearMorning.map((point) => ({ ...point, eurPerMwh: 900 })));
  const after = (await get("/v1/decision", owner)).json.prices[0].rank_in_day;
  const cheaperPast = Array.from({ length: 9 }, (_, hour) => priceAt(hour)).filter(
    (p) => p < priceAt(9),
  ).length;
  expect(before - after).toBe(cheaperPast);
  expect(cheaperPast).toBeGreaterThan(0);
});

test("a decision without a key is the 48-hour forecast with the error not_available, and is counted", async () => {
  const { get } = await serve();
  const { status, json, text, headers } = await get("/v1/decision", { "X-API-Key": "hg_live_wrong" });
  expect(status).toBe(200);
  expect(json.error.code).toBe("not_available");
  expect(json.access).toMatchObject({ tier: "basic", token_present: true, token_valid: false });
  expect(json.prices).toHaveLength(48);
  expect(json.prices[0]).not.toHaveProperty("quartile");
  expect(json).not.toHaveProperty("current_quartile");
  expect(headers.get("x-ratelimit-remaining")).toBe("59");
  expect(isScalarsFirst(text)).toBe(true);
});

test("a key in the query is ignored", async () => {
  const { get } = await serve();
  const { json } = await get(`/v1/forecast?X-API-Key=${KEYS.owner}&api_key=${KEYS.owner}&_=17`);
  expect(json.access).toMatchObject({ tier: "basic", token_present: false });
});

test("cached answers change with tier, hour and run", async () => {
  const services = fakeServices();
  const { get } = await serve(services);
  const first = await get("/v1/forecast", owner);
  expect((await get("/v1/forecast", owner)).text).toBe(first.text);
  expect((await get("/v1/forecast")).json.horizon_hours).toBe(48);
  services.run = { ...services.run!, trigger: "manual" };
  expect((await get("/v1/forecast", owner)).json.trigger).toBe("manual");
  services.run = { ...services.run, hours: services.run.hours.slice(1) };
  expect((await get("/v1/forecast", owner)).json.prices[0].start).toBe("2026-01-15T10:00:00+01:00");
});

test("before the first run: 503 not_ready with Retry-After, not counted", async () => {
  const services = fakeServices();
  services.run = undefined;
  const { get, post } = await serve(services);
  for (const answer of [
    await get("/v1/forecast", owner),
    await get("/v1/decision"),
    await post("/v1/decision/hours-demand", {}, owner),
  ]) {
    expect(answer.status).toBe(503);
    expect(answer.json.error.code).toBe("not_ready");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  const status = await get("/v1/status", owner);
  expect(status.json).toMatchObject({ ready: false, model_version: null, forecast_issued_at: null });
  expect(status.headers.get("x-ratelimit-remaining")).toBe("600");
});

test("hours-demand: scalars first, no float noise, outputs equal to the scalars", async () => {
  const { post, services } = await serve();
  const { status, json, text } = await post(
    "/v1/decision/hours-demand",
    {
      mode: "decide",
      battery: { soc_pct: "55,5" },
      load: { hourly_kwh: ["0.5", 1] },
      pv: { daily_kwh: [3] },
      x: 1,
    },
    owner,
  );
  expect(status).toBe(200);
  expect(services.decided).toEqual([{ socPct: 55.5, loadHourlyKwh: [0.5, 1], pvDailyKwh: [3] }]);
  expect(isScalarsFirst(text)).toBe(true);
  expect(json).toMatchObject({
    schema: "hours_demand_v1.11",
    hours_needed: 2.25,
    energy_charge_kwh: 10.3,
    prefix_period_hours_today: 14.6667,
    charge_now: 0,
    charge_stop_soc_pct: 87.12,
    hours_demand_url: "http://gateway.test:8080/v1/decision/hours-demand",
    soc_age_minutes: 3,
    soc_stale: false,
    savings_eur: 0.4,
    charge_hours_today: [{ start: "2026-01-15T13:00:00+01:00", end: "2026-01-15T15:00:00+01:00" }],
    recipes: [],
    solver: { objective_eur: 2.9, bound_eur: 2.9, ms: 7.25 },
  });
  expect(json).not.toHaveProperty("event");
  expect(json.outputs).toEqual({
    O1: 0,
    O2: 0,
    O3: 2.25,
    O4: 2.25,
    O5: 10.3,
    O6: 220,
    O7: 3,
    O8: 21.37,
    O9: 87.12,
    O10: 0,
    O11: 10,
    O12: 5,
    O13: 1,
    O14: 5,
    O15: null,
    O16: 0,
  });
  expect(json.charge_hours[0]).toMatchObject({ reason: "cheap_import", prefix: true, energy_kwh: 10.3 });
  expect(json.day_plan[0].hours[0].reason_text).toMatch(/\w+ /);
  expect(text.indexOf('"charge_now":')).toBeLessThan(text.indexOf("{", 1));
});

test("hours-demand uses the language of locale", async () => {
  const { post } = await serve();
  const said = async (locale?: string) =>
    (await post("/v1/decision/hours-demand", locale === undefined ? {} : { locale }, owner)).json
      .charge_hours[0].reason_text;
  const german = await said();
  const english = await said("en-GB");
  expect(german).not.toBe(english);
  expect(await said("de-AT")).toBe(german);
  expect(await said("fr")).toBe(english);
});

test("hours-demand without a key is access and error only", async () => {
  const { post } = await serve();
  const { status, json } = await post("/v1/decision/hours-demand", {});
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(["error", "access"]);
  expect(json.error.code).toBe("not_available");
});

test("status: components with details only for a key, endpoint map, access model", async () => {
  const score = { day: 1, days: 12, maeKwh: 1.6, biasKwh: -0.4, meanKwh: 8, coverage: 0.75 };
  const services = fakeServices({ quality: { load: [score], pv: [] } });
  services.components.report("price_source", "degraded", detailOf("No source answers."));
  const { get } = await serve(services);
  const keyed = await get("/v1/status", owner);
  expect(keyed.json).toMatchObject({
    ready: true,
    version: VERSION,
    model_version: "recent-mean-1",
    forecast_issued_at: "2026-01-15T09:20:00+01:00",
    time: "2026-01-15T09:20:00+01:00",
    components: [{ name: "price_source", state: "degraded", detail: "No source answers." }],
    forecast_quality: {
      load: [{ day: 1, days: 12, mae_kwh: 1.6, mae_pct: 20, bias_kwh: -0.4, coverage_pct: 75 }],
      pv: [],
    },
  });
  expect(isScalarsFirst(keyed.text)).toBe(true);
  expect(
    keyed.json.access_model.tiers.map((tier: { decision_limit: number }) => tier.decision_limit),
  ).toEqual([60, 120, 600, 600, 3000]);
  expect(keyed.json.endpoints).toContainEqual({
    method: "POST",
    path: "/v1/decision/hours-demand",
    purpose: expect.any(String),
    quota_class: "decision",
  });
  const keyless = await get("/v1/status");
  expect(keyless.json).not.toHaveProperty("forecast_quality");
  expect(keyless.json.components).toEqual([
    { name: "price_source", state: "degraded", since: "2026-01-15T09:20:00+01:00" },
  ]);
});

test("health: ok, degraded by what a restart does not help, and 503 with the vital component that is down", async () => {
  const services = fakeServices();
  const { get } = await serve(services);
  const healthy = await get("/health");
  expect(healthy.status).toBe(200);
  expect(healthy.json).toEqual({ status: "ok" });
  expect(healthy.headers.get("x-ratelimit-limit")).toBeNull();
  services.components.report("battery home", "degraded", detailOf("It does not follow."), { siteId: "home" });
  expect((await get("/health")).json).toEqual({ status: "degraded" });
  services.components.report("price_source", "down", detailOf("No source answers."));
  const degraded = await get("/health");
  expect([degraded.status, degraded.json]).toEqual([200, { status: "degraded", component: "price_source" }]);
  services.components.report("store", "down", detailOf("The disk is full."), { vital: true });
  const failing = await get("/health");
  expect(failing.status).toBe(503);
  expect(failing.json).toEqual({ status: "down", component: "store" });
});

test("documents for everybody are compressed and have a tag; answers with a key are not compressed", async () => {
  const { get, url } = await serve();
  const full = await fetch(`${url}/openapi.json`, { headers: { "Accept-Encoding": "gzip" } });
  expect(full.headers.get("content-encoding")).toBe("gzip");
  expect(full.headers.get("vary")).toBe("Accept-Encoding");
  expect(Number(full.headers.get("content-length"))).toBeLessThan(24_000);
  expect(await full.json()).toEqual((await get("/openapi.json", { "Accept-Encoding": "identity" })).json);
  const tag = full.headers.get("etag")!;
  const again = await fetch(`${url}/openapi.json`, { headers: { "If-None-Match": `"other", ${tag}` } });
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", tag]);
  const encodingOf = async (headers: Record<string, string>) =>
    (await get("/v1/forecast", headers)).headers.get("content-encoding");
  expect(await encodingOf({ "Accept-Encoding": "gzip, br" })).toBe("gzip");
  expect(await encodingOf({ "Accept-Encoding": "gzip;q=0" })).toBeNull();
  expect(await encodingOf({ "Accept-Encoding": "gzip", ...owner })).toBeNull();
});
