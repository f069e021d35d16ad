import { describe, expect, test } from "vitest";
import { packFlex } from "../../../src/plan/windows/flex-pack.js";
import { fakeServices, KEYS } from "../../api/fake-services.js";
import { isScalarsFirst, serve } from "./serve.js";
import { allIn, keyed, PATH, query, WALLBOX } from "./windows-calls.js";

describe("GET /v1/decision/windows", () => {
  test("windows_v1: full hours, every field, scalars first", async () => {
    const { get } = await serve();
    const answer = await get(
      query({ start: "2026-01-15T12:00:00+01:00", end: "2026-01-15T20:00:00+01:00", count: 2 }),
      keyed,
    );
    expect(answer.status).toBe(200);
    expect(isScalarsFirst(answer.text)).toBe(true);
    const { access, slots, windows, ...scalars } = answer.json;
    expect(scalars).toEqual({
      schema: "windows_v1",
      issued_at: "2026-01-15T09:20:00+01:00",
      timezone: "Europe/Vienna",
      mode: "cheapest",
      role: "consume",
      deadline_strict: false,
      repeat_daily: false,
      window_start: "2026-01-15T12:00:00+01:00",
      window_end: "2026-01-15T20:00:00+01:00",
      demand_hours: 2,
      demand_energy_kwh: null,
      slot_count: 2,
      unmet_hours: 0,
      feasible: true,
      truncated: false,
      charge_now: 0,
      next_start: "2026-01-15T17:00:00+01:00",
      minutes_to_start: 460,
      average_price_ct_kwh: expect.closeTo((allIn(17) + allIn(18)) / 2, 3),
      window_average_price_ct_kwh: expect.closeTo(
        [12, 13, 14, 15, 16, 17, 18, 19].reduce((sum, hour) => sum + allIn(hour), 0) / 8,
        3,
      ),
      plugged: 1,
      slot_id: null,
      allocation: "cheapest",
      battery_to_ev_pct: null,
      battery_energy_kwh: 0,
      segments: [],
    });
    expect(access.tier).toBe("full_active");
    expect(slots).toEqual([
      {
        rank: 1,
        start: "2026-01-15T17:00:00+01:00",
        end: "2026-01-15T18:00:00+01:00",
        price_ct_kwh: expect.closeTo(allIn(17) / 1.2 - 10, 3),
        total_ct_kwh: expect.closeTo(allIn(17), 3),
        export_ct_kwh: expect.closeTo(allIn(17) / 1.2 - 11, 3),
        energy_kwh: null,
        quartile: 1,
        source: "day_ahead",
      },
      expect.objectContaining({ rank: 2, start: "2026-01-15T18:00:00+01:00" }),
    ]);
    expect(windows).toEqual([
      {
        rank: 1,
        start: "2026-01-15T17:00:00+01:00",
        end: "2026-01-15T19:00:00+01:00",
        hours: 2,
        average_price_ct_kwh: scalars.average_price_ct_kwh,
        energy_kwh: null,
        segment: null,
      },
    ]);
  });

  test("the same request as GET, POST and flex_pack has the same answer", async () => {
    const { get, post } = await serve();
    const unpacked = { window_start_hour: 22, window_end_hour: 6, segments: 3 };
    const byQuery = await get(query(unpacked), keyed);
    const byBody = await post(PATH, unpacked, keyed);
    const flexPack = packFlex({ startHour: 22, endHour: 6, segment: 3, plugged: 1 });
    expect(flexPack).toBe(4_197_590);
    expect(byQuery.json).toMatchObject({ schema: "windows_v1.1", demand_hours: 3, slot_count: 12 });
    expect(byBody.json).toEqual(byQuery.json);
    for (const packed of ["4197590", "4197590.0", "4197590,0"])
      expect((await get(query({ flex_pack: packed }), keyed)).json).toEqual(byQuery.json);
    for (const packed of ["4197590.0", 4197590])
      expect((await post(PATH, { flex_pack: packed }, keyed)).json).toEqual(byQuery.json);
  });
});

describe("demand", () => {
  const asked = async (
    body: Record<string, unknown>,
    battery: { max_charge_power_kw: number } | null = null,
  ) => {
    const { post } = await serve(fakeServices({ slots: [WALLBOX], battery: battery as never }));
    const answer = await post(
      PATH,
      { start: "2026-01-15T10:00:00", end: "2026-01-15T20:00:00", ...body },
      keyed,
    );
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };

  test("is the first given of segments, count and energy", async () => {
    expect((await asked({ segments: "2,1", count: 5, energy_kwh: 99, max_power_kw: 1 })).demand_hours).toBe(
      3,
    );
    expect((await asked({ count: 5, energy_kwh: 99, max_power_kw: 1 })).demand_hours).toBe(5);
    expect((await asked({ energy_kwh: "7,5", max_power_kw: 3 })).demand_hours).toBe(3);
    const everything = await asked({});
    expect(everything).toMatchObject({ demand_hours: 10, slot_count: 10, unmet_hours: 0, feasible: true });
  });

  test("deductions are applied first, then one rounding up to the grid", async () => {
    // 10 kWh at 3 kW are 3.33 h; 1.1 h and 1 kWh of them are done: 1.9 h, on quarter-hours 2 h.
    const answer = await asked({
      energy_kwh: 10,
      max_power_kw: 3,
      hours_completed: 1.1,
      energy_delivered_kwh: 1,
    });
    expect(answer).toMatchObject({
      schema: "windows_v1.1",
      demand_hours: 2,
      demand_energy_kwh: 5.7,
      slot_count: 8,
    });
  });

  test("the chosen slot with the worst price carries the remainder of an energy", async () => {
    const answer = await asked({ energy_kwh: 7, max_power_kw: 3 });
    const energies = answer.slots.map((slot: { rank: number; energy_kwh: number }) => [
      slot.rank,
      slot.energy_kwh,
    ]);
    expect(Object.fromEntries(energies)).toEqual({ 1: 3, 2: 3, 3: 1 });
    expect(answer.demand_energy_kwh).toBe(7);
  });

  test("completed hours are deducted from the segments in order", async () => {
    const answer = await asked({ segments: "2,3,1", hours_completed: 2.5, segment_consecutive: "required" });
    expect(answer.demand_hours).toBe(3.5);
    expect(answer.segments).toEqual([
      { segment: 1, hours: 2, completed_hours: 2, start: null, end: null },
      { segment: 2, hours: 3, completed_hours: 0.5, start: expect.any(String), end: expect.any(String) },
      { segment: 3, hours: 1, completed_hours: 0, start: expect.any(String), end: expect.any(String) },
    ]);
    expect((await asked({ segments: 2, hours_completed: 9 })).demand_hours).toBe(0);
  });

  test("the battery's share is deducted from the grid demand and reported", async () => {
    const answer = await asked({
      energy_kwh: 20,
      max_power_kw: 4,
      battery_to_ev_pct: 25,
      energy_delivered_kwh: 4,
    });
    expect(answer).toMatchObject({
      demand_hours: 3,
      demand_energy_kwh: 12,
      battery_energy_kwh: 4,
      battery_to_ev_pct: 25,
    });
    expect(await asked({ count: 4, max_power_kw: 2, battery_to_ev_pct: 50 })).toMatchObject({
      demand_hours: 2,
      battery_energy_kwh: 4,
    });
  });

  test("an energy uses the slot's power, else that of the plant's battery", async () => {
    expect((await asked({ energy_kwh: 10 }, { max_charge_power_kw: 5 })).demand_hours).toBe(2);
    expect((await asked({ energy_kwh: 22, slot_id: 3 }, { max_charge_power_kw: 5 })).demand_hours).toBe(2);
    // A demand in hours has no energy unless somebody names a power.
    expect((await asked({ count: 2 }, { max_charge_power_kw: 5 })).demand_energy_kwh).toBeNull();
  });

  test("required segments that do not fit: as many hours as possible, and the rest unmet", async () => {
    const answer = await asked({
      start: "2026-01-15T10:00:00",
      end: "2026-01-15T14:00:00",
      segments: "3,2",
      segment_consecutive: "required",
    });
    expect(answer).toMatchObject({ demand_hours: 5, unmet_hours: 1, feasible: false, slot_count: 16 });
    expect(
      answer.segments.map(({ start, end }: { start: string; end: string }) => [
        start.slice(11, 16),
        end.slice(11, 16),
      ]),
    ).toEqual([
      ["10:00", "13:00"],
      ["13:00", "14:00"],
    ]);
  });
});

describe("price, role and mode", () => {
  test("export ranks by the feed-in price, consume by the all-in price, a plant without a tariff by the market price", async () => {
    // The fee of this tariff falls with the market price: what is dear to buy is cheap to sell.
    const tariff = { importCtKwh: (spot: number) => 50 - spot, exportCtKwh: (spot: number) => spot / 2 };
    const { get, services } = await serve(fakeServices({ tariff }));
    const window = { start: "2026-01-15T12:00", end: "2026-01-15T22:00", count: 1 };
    const first = async (more: Record<string, string>, key = keyed) => {
      const { json } = await get(query({ ...window, ...more }), key);
      return [json.slots[0].start.slice(11, 13), json.average_price_ct_kwh];
    };
    const spot = (hour: number) =>
      services.series.hour(Date.parse("2026-01-14T23:00:00Z") + hour * 3_600_000)! / 10;
    expect(await first({})).toEqual(["12", expect.closeTo(50 - spot(12), 3)]);
    expect(await first({ mode: "expensive" })).toEqual(["17", expect.closeTo(50 - spot(17), 3)]);
    expect(await first({ role: "export", mode: "expensive" })).toEqual([
      "12",
      expect.closeTo(spot(12) / 2, 3),
    ]);
    expect(await first({ role: "export" })).toEqual(["17", expect.closeTo(spot(17) / 2, 3)]);
    expect(await first({}, { "X-API-Key": KEYS.community })).toEqual(["17", expect.closeTo(spot(17), 3)]);
  });
});
