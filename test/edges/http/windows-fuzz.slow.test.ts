import fc from "fast-check";
import { expect, test } from "vitest";
import { fakeServices, KEYS, slotSettings } from "../../api/fake-services.js";
import { runs } from "../../support/runs.js";
import { isScalarsFirst, type Reply, serve } from "./serve.js";

const unlimited = { decision: 1e9, telemetry: 1e9, pv: 1, weather: 1 };
const table = { basic: { decision: 1e9 }, professional: unlimited };
const keys = fc.constantFrom<Record<string, string>>(
  { "X-API-Key": KEYS.owner },
  { "X-API-Key": KEYS.owner },
  {},
);

const odd = fc.constantFrom<unknown>(
  "",
  null,
  "x",
  -1,
  1e308,
  -0,
  "1e400",
  "NaN",
  true,
  [],
  {},
  "2,5",
  "2.5",
  "3",
  0,
  4197590.0,
  "8388607",
);
const number = (max: number) =>
  fc.oneof(fc.double({ min: 0, max, noNaN: true }), fc.integer({ min: 0, max }));
const hour = fc.integer({ min: 0, max: 23 });
const instant = fc
  .integer({ min: -3000, max: 12_000 })
  .map((minutes) => new Date(Date.parse("2026-01-15T08:20:00Z") + minutes * 60_000).toISOString());

/** Mostly sensible, now and then anything at all. */
const mostly = <Value>(of: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary: of }, { weight: 1, arbitrary: odd });

const body = fc.record(
  {
    start: mostly(instant),
    end: mostly(instant),
    window_start_hour: mostly(hour),
    window_end_hour: mostly(hour),
    flex_pack: mostly(fc.integer({ min: 0, max: 2 ** 23 })),
    mode: mostly(fc.constantFrom("cheapest", "expensive")),
    role: mostly(fc.constantFrom("consume", "export")),
    count: mostly(fc.integer({ min: 0, max: 400 })),
    energy_kwh: mostly(number(1e6)),
    max_power_kw: mostly(number(50)),
    timezone: mostly(fc.constantFrom("Europe/Vienna", "UTC", "Asia/Kolkata", "Pacific/Apia")),
    segments: mostly(fc.array(number(200), { minLength: 1, maxLength: 5 }).map((hours) => hours.join())),
    segment_consecutive: mostly(fc.constantFrom("off", "soft", "required")),
    hours_completed: mostly(number(20)),
    deadline_strict: mostly(fc.boolean()),
    repeat_daily: mostly(fc.boolean()),
    deadline_hour: mostly(hour),
    slot_id: mostly(fc.constantFrom("3", "wallbox_3", "O3", "O4", 3)),
    energy_delivered_kwh: mostly(number(50)),
    battery_to_ev_pct: mostly(number(100)),
    plugged: mostly(fc.constantFrom(0, 1)),
    allocation: mostly(fc.constantFrom("cheapest", "earliest", "latest", "even")),
    __proto__: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

function isOrderly({ status, json, text }: Reply): void {
  expect([200, 400, 404], text).toContain(status);
  expect(isScalarsFirst(text)).toBe(true);
  expect(json.access).toBeDefined();
  if (status === 404) expect(json.error.code).toBe("slot_not_assigned");
  if (status === 400) {
    expect(["invalid_parameter", "conflicting_parameters"]).toContain(json.error.code);
    expect(json.error.details.length).toBeGreaterThan(0);
  }
  if (status !== 200 || json.error !== undefined) return;
  const placed = json.slots.length * (json.schema === "windows_v1" ? 1 : 0.25);
  expect(json.demand_hours - json.unmet_hours).toBeCloseTo(placed, 3);
  expect(json.feasible).toBe(json.unmet_hours === 0);
  expect(json.slot_count).toBe(json.slots.length);
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
}

test("the gateway answers any windows request correctly", async () => {
  const services = fakeServices({
    table,
    slots: [slotSettings({ slot: 3, power_kw: 11, energy_kwh: 22, battery_to_ev_pct: 30 })],
  });
  const { get, post } = await serve(services);
  await fc.assert(
    fc.asyncProperty(body, keys, async (body, headers) =>
      isOrderly(await post("/v1/decision/windows", body, headers)),
    ),
    { seed: 1, numRuns: runs(400) },
  );
  await fc.assert(
    fc.asyncProperty(body, keys, async (body, headers) => {
      const pairs = Object.entries(body).map(
        ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
      );
      isOrderly(await get(`/v1/decision/windows?${pairs.join("&")}`, headers));
    }),
    { seed: 2, numRuns: runs(250) },
  );
});
