import { describe, expect, test } from "vitest";
import { WorkError } from "../../../src/core/work/work-error.js";
import { fakeServices } from "../../api/fake-services.js";
import { isScalarsFirst, serve } from "./serve.js";
import { keyed, PATH, query, WALLBOX } from "./windows-calls.js";

/** A car of 40 kWh that leaves at seven with 60 %. */
const CAR = {
  ...WALLBOX,
  energy_kwh: null,
  window_start_hour: null,
  window_end_hour: null,
  vehicle: {
    capacity_kwh: 40,
    min_soc_pct: 20,
    target_soc_pct: 60,
    departure: "07:00",
    min_power_kw: null,
    max_power_kw: null,
    phases: 3,
    efficiency_pct: 100,
    surplus: "prefer" as const,
  },
};

describe("slots", () => {
  test("a request without a demand is read-only", async () => {
    const boiler = { ...WALLBOX, slot: 2, energy_kwh: null, window_start_hour: null, window_end_hour: null };
    const { get, post } = await serve(fakeServices({ slots: [boiler] }));
    const recipe = async () => (await get("/v1/plant/device-schedules", keyed)).json.recipes[0];
    const before = await recipe();
    expect((await get(query({ slot_id: 2 }), keyed)).json.demand_hours).toBeGreaterThan(24);
    expect(await recipe()).toEqual(before);
    await post(PATH, { slot_id: 2, count: 1 }, keyed);
    const asked = await recipe();
    expect(asked).toMatchObject({ origin: "request", demand_hours: 1 });
    await get(query({ slot_id: 2 }), keyed);
    expect(await recipe()).toEqual(asked);
  });

  test("an override is shown until it expires; every field that does not fit is named", async () => {
    const { get, post } = await serve(fakeServices({ slots: [WALLBOX] }));
    const override = (body: object) => post("/v1/plant/device-overrides", body, keyed);
    const { json } = await override({ slot_id: 3, override: "run", until: "2026-01-15T10:05:00+01:00" });
    expect(json).toMatchObject({ schema: "device_schedules_v1" });
    expect(json.recipes).toMatchObject([
      { slot_id: "3", charge_now: 1, override: "run", override_until: "2026-01-15T10:15:00+01:00" },
    ]);
    expect((await get("/v1/plant/device-schedules", keyed)).json.recipes).toEqual(json.recipes);
    expect(json.cost).toMatchObject({ energy_kwh: expect.any(Number), cost_eur: expect.any(Number) });
    const preview = await override({ slot_id: 3, override: "skip", preview: true });
    expect(preview.json).toMatchObject({
      recipes: [{ override: "run" }],
      cost: { energy_kwh: 0, cost_eur: 0 },
    });
    expect((await override({ slot_id: "O3", override: "auto" })).json.recipes).toMatchObject([
      { charge_now: 0, override: "auto", override_until: null },
    ]);
    const fieldsOf = async (body: object) => {
      const answer = await override(body);
      return [answer.status, answer.json.error.details.map(({ field }: { field: string }) => field)];
    };
    expect(await fieldsOf({})).toEqual([400, ["slot_id", "override"]]);
    expect(await fieldsOf({ slot_id: 3, override: "skip", until: "soon" })).toEqual([400, ["until"]]);
    expect(await fieldsOf({ slot_id: 3, override: "full" })).toEqual([400, ["until"]]);
    expect(await fieldsOf({ slot_id: 4, override: "skip" })).toEqual([404, ["slot_id"]]);
    expect(await fieldsOf({ slot_id: 3, override: "hold", target_soc_pct: 5 })).toEqual([
      400,
      ["override", "target_soc_pct"],
    ]);
    expect(await fieldsOf({ slot_id: "battery", override: "run" })).toEqual([400, ["override"]]);
  });

  test("a target of a vehicle is tried with its cost, and set even while the planner is busy", async () => {
    const services = fakeServices({ slots: [CAR], deviceState: { socPct: 50 } });
    await services.flex.start();
    const { post } = await serve(services);
    const override = (body: object) => post("/v1/plant/device-overrides", { slot_id: 3, ...body }, keyed);
    const asked = { override: "target", target_soc_pct: 80, until: "2026-01-16T06:05:00+01:00" };
    const { json } = await override({ ...asked, preview: true });
    // 30 % of 40 kWh, without losses; a deadline is not put off.
    expect(json).toMatchObject({
      recipes: [{ override: "auto", vehicle: { target_soc_pct: 60 } }],
      preview: {
        override: "target",
        override_until: "2026-01-16T06:00:00+01:00",
        vehicle: { soc_pct: 50, target_soc_pct: 80, min_soc_pct: 20, surplus: "prefer" },
      },
      cost: { energy_kwh: 12, plan_energy_kwh: 4 },
    });
    expect(json.cost.at_once_cost_eur).toBeGreaterThan(json.cost.cost_eur);
    const busy = new WorkError("busy", "The solver has too many requests.");
    services.devicePlans.tryOverride = () => Promise.reject(busy);
    const refused = await override({ ...asked, preview: true });
    expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    const { limit, remaining, reset, scope, retry_after: retryAfter } = refused.json;
    expect({ limit, remaining, scope, retryAfter }).toEqual({
      limit: 1,
      remaining: 0,
      scope: "api_key",
      retryAfter: 1,
    });
    expect(
      ["limit", "remaining", "reset", "scope"].map((name) => refused.headers.get(`x-ratelimit-${name}`)),
    ).toEqual(["1", "0", String(reset), "api_key"]);
    expect(refused.headers.get("retry-after")).toBe("1");
    const set = await override(asked);
    expect(set.json).toMatchObject({ recipes: [{ override: "target" }], cost: null });
    const guest = await override({ override: "guest", energy_kwh: 15 });
    expect(guest.json.recipes).toMatchObject([
      { override: "guest", override_energy_kwh: 15, vehicle: { soc_pct: null } },
    ]);
    expect((await override({ override: "guest" })).status).toBe(400);
  });

  test("all forms of slot_id name the slot; one that is not assigned is 404", async () => {
    const { get, post } = await serve(
      fakeServices({ slots: [WALLBOX, { ...WALLBOX, slot: 4, enabled: false }] }),
    );
    for (const slotId of ["3", "wallbox_3", "O3"]) {
      const { json } = await get(query({ slot_id: slotId }), keyed);
      expect(json).toMatchObject({
        schema: "windows_v1.1",
        slot_id: slotId,
        demand_hours: 2,
        demand_energy_kwh: 22,
      });
    }
    expect((await post(PATH, { slot_id: 3 }, keyed)).json.slot_id).toBe("3");
    for (const slotId of ["4", "5"]) {
      const answer = await get(query({ slot_id: slotId }), keyed);
      expect([answer.status, answer.json.error.code]).toEqual([404, "slot_not_assigned"]);
    }
  });

  test("omitted parts come from the slot, demand and window each as a whole", async () => {
    const { post } = await serve(
      fakeServices({ slots: [{ ...WALLBOX, segments: [1, 1], energy_kwh: null }] }),
    );
    const answer = async (body: object) => (await post(PATH, { slot_id: 3, ...body }, keyed)).json;
    expect(await answer({})).toMatchObject({ demand_hours: 2, window_start: "2026-01-15T22:00:00+01:00" });
    expect(await answer({ count: 3 })).toMatchObject({
      demand_hours: 3,
      demand_energy_kwh: 33,
      segments: [],
    });
    expect(await answer({ end: "2026-01-15T18:00" })).toMatchObject({
      window_start: "2026-01-15T09:15:00+01:00",
    });
    expect(await answer({ max_power_kw: 2 })).toMatchObject({ demand_energy_kwh: 4 });
  });

  test("the request becomes the slot's schedule, shown in device-schedules and in hours-demand", async () => {
    const { get, post } = await serve(fakeServices({ slots: [WALLBOX] }));
    await post(
      PATH,
      { slot_id: "wallbox_3", start: "2026-01-15T09:00", end: "2026-01-15T10:00", count: 1, plugged: 1 },
      keyed,
    );
    const schedules = await get("/v1/plant/device-schedules", keyed);
    expect(isScalarsFirst(schedules.text)).toBe(true);
    const { access: _, ...document } = schedules.json;
    expect(document).toEqual({
      schema: "device_schedules_v1",
      issued_at: "2026-01-15T09:20:00+01:00",
      recipes: [
        {
          slot_id: "3",
          output: "O3",
          label: "Garage",
          kind: "wallbox",
          power_kw: 11,
          window_start: "2026-01-15T09:00:00+01:00",
          window_end: "2026-01-15T10:00:00+01:00",
          demand_hours: 1,
          unmet_hours: 0.25,
          charge_now: 1,
          set_power_kw: 11,
          next_start: null,
          plugged: 1,
          origin: "request",
          override: "auto",
          override_until: null,
          windows: [
            {
              rank: 1,
              start: "2026-01-15T09:15:00+01:00",
              end: "2026-01-15T10:00:00+01:00",
              hours: 0.75,
              average_price_ct_kwh: expect.any(Number),
              energy_kwh: 8.25,
              segment: null,
            },
          ],
        },
      ],
    });
    const demand = await post("/v1/decision/hours-demand", {}, keyed);
    expect(demand.json.recipes).toEqual(document.recipes);
  });

  test("not plugged in: the plan is unchanged, charge_now is 0", async () => {
    const { post } = await serve();
    const body = { start: "2026-01-15T09:00", end: "2026-01-15T12:00" };
    expect((await post(PATH, body, keyed)).json).toMatchObject({ charge_now: 1, minutes_to_start: 0 });
    const unplugged = await post(PATH, { ...body, plugged: 0 }, keyed);
    expect(unplugged.json).toMatchObject({
      charge_now: 0,
      plugged: 0,
      next_start: null,
      minutes_to_start: -1,
    });
    expect(unplugged.json.slots).toHaveLength(11);
    // 22 to 6, 3 hours, the plugged bit not set.
    expect((await post(PATH, { flex_pack: 4197590 - 2 ** 22 }, keyed)).json.plugged).toBe(0);
    expect((await post(PATH, { flex_pack: 4197590 - 2 ** 22, plugged: 1 }, keyed)).json.plugged).toBe(1);
  });
});
