import fc from "fast-check";
import { expect, test } from "vitest";
import { fakeServices, KEYS } from "../../api/fake-services.js";
import { runs } from "../../support/runs.js";
import { isScalarsFirst, type Reply, serve } from "./serve.js";

const unlimited = { decision: 1e9, telemetry: 1e9, pv: 1, weather: 1 };
const table = { basic: { decision: 1e9 }, professional: unlimited };
const keys = fc.constantFrom({}, { "X-API-Key": KEYS.owner }, { "X-API-Key": "'; drop" });

function isOrderly({ status, json, text }: Reply): void {
  expect([200, 400, 415]).toContain(status);
  expect(isScalarsFirst(text)).toBe(true);
  expect(text).not.toMatch(/node_modules|\bat .*\.(js|ts):/);
  if (status === 400) {
    expect(json.error.message).not.toBe("");
    expect(json.access).toBeDefined();
    if (json.error.code === "invalid_parameter") expect(json.error.details.length).toBeGreaterThan(0);
  }
}

test("the gateway answers any query correctly", async () => {
  const { get } = await serve(fakeServices({ table }));
  const names = fc.oneof(fc.constantFrom("timezone", "__proto__", "mode", "timezone[]"), fc.string());
  const values = fc.oneof(fc.constantFrom("Europe/Vienna", "UTC", "", "europe/vienna"), fc.string());
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("/v1/forecast", "/v1/decision", "/v1/status", "/health"),
      fc.array(fc.tuple(names, values), { maxLength: 4 }),
      keys,
      async (path, pairs, headers) => {
        const query = pairs.map((pair) => pair.map((text) => encodeURIComponent(text)).join("="));
        isOrderly(await get(`${path}?${query.join("&")}`, headers));
      },
    ),
    { numRuns: runs(150) },
  );
});

test("the gateway answers any body correctly", async () => {
  const { post } = await serve(fakeServices({ table }));
  const leaf = fc.oneof(
    fc.jsonValue(),
    fc.double(),
    fc.constantFrom("", "2,5", "1e400", "NaN", null, true, -0, 1e308, "decide", "telemetry"),
  );
  const group = (names: string[]) =>
    fc.oneof(
      leaf,
      fc.dictionary(
        fc.constantFrom(...names, "__proto__"),
        fc.oneof(leaf, fc.array(leaf, { maxLength: 30 })),
        {
          maxKeys: 5,
        },
      ),
    );
  const body = fc.record(
    {
      mode: fc.oneof(fc.constantFrom("decide", "telemetry"), leaf),
      battery: group(["soc_pct", "capacity_kwh", "min_soc_pct", "max_soc_pct", "grid_charge_allowed"]),
      meter: group(["import_kwh", "export_kwh"]),
      load: group(["power_kw", "daily_kwh", "hourly_kwh", "ev_power_kw"]),
      pv: group(["power_kw", "daily_kwh", "hourly_kwh"]),
      samples: leaf,
      soc_pct: leaf,
      timestamp: leaf,
      timezone: leaf,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("/v1/decision/hours-demand", "/v1/plant/telemetry"),
      fc.oneof(body, fc.jsonValue()).map((value) => JSON.stringify(value)),
      keys,
      async (path, text, headers) => isOrderly(await post(path, text, headers)),
    ),
    { numRuns: runs(300) },
  );
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => isOrderly(await post("/v1/plant/telemetry", text))),
    { numRuns: 60 },
  );
});
