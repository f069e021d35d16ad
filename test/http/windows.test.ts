import { describe, expect, test } from "vitest";
import { packFlex } from "../../src/decision/flex-pack.js";
import { fakeServices, KEYS, slotSettings } from "../api/fake-services.js";
import { isScalarsFirst, type Reply, serve } from "./serve.js";

const keyed = { "X-API-Key": KEYS.owner };
const PATH = "/v1/decision/windows";

/** Slot 3 of the plant `home`: a wallbox of 11 kW, 22 to 6 o'clock. */
const WALLBOX = slotSettings({
  slot: 3,
  label: "Garage",
  power_kw: 11,
  window_start_hour: 22,
  window_end_hour: 6,
  energy_kwh: 22,
});

const query = (parameters: Record<string, string | number | boolean>) =>
  `${PATH}?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;

const fieldsOf = ({ json }: Reply): string[] =>
  json.error.details.map((detail: { field: string }) => detail.field);

/** The fake plant's all-in price of an hour since midnight of the 15th, ct/kWh. */
const allIn = (hour: number) => ((90 + 40 * Math.sin(hour / 3.7) + hour / 10) / 10 + 10) * 1.2;

describe("GET /v1/decision/windows", () => {
  test("windows_v1: whole hours, every field, scalars first", async () => {
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

  test("the same request as GET, as POST and packed is the same answer", async () => {
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

  test("deductions come first, then one rounding up to the grid", async () => {
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

  test("completed hours use up the segments from the front", async () => {
    const answer = await asked({ segments: "2,3,1", hours_completed: 2.5, segment_consecutive: "required" });
    expect(answer.demand_hours).toBe(3.5);
    expect(answer.segments).toEqual([
      { segment: 1, hours: 2, completed_hours: 2, start: null, end: null },
      { segment: 2, hours: 3, completed_hours: 0.5, start: expect.any(String), end: expect.any(String) },
      { segment: 3, hours: 1, completed_hours: 0, start: expect.any(String), end: expect.any(String) },
    ]);
    expect((await asked({ segments: 2, hours_completed: 9 })).demand_hours).toBe(0);
  });

  test("the battery's share is taken off the grid demand and reported", async () => {
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

  test("an energy takes the slot's power, else that of the plant's battery", async () => {
    expect((await asked({ energy_kwh: 10 }, { max_charge_power_kw: 5 })).demand_hours).toBe(2);
    expect((await asked({ energy_kwh: 22, slot_id: 3 }, { max_charge_power_kw: 5 })).demand_hours).toBe(2);
    // A demand in hours has no energy unless somebody names a power.
    expect((await asked({ count: 2 }, { max_charge_power_kw: 5 })).demand_energy_kwh).toBeNull();
  });

  test("required segments that do not fit: as many hours as can be, and the rest unmet", async () => {
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

describe("the window", () => {
  const answered = async (parameters: Record<string, string | number | boolean>, now?: string) => {
    const { get } = await serve(fakeServices(now === undefined ? {} : { now: new Date(now) }));
    const answer = await get(query(parameters), keyed);
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };
  const starts = ({ slots }: { slots: { start: string }[] }) => slots.map(({ start }) => start.slice(8, 16));

  test("without a start begins with the slot in progress, without an end goes to the horizon", async () => {
    const hourly = await answered({});
    expect(hourly).toMatchObject({
      window_start: "2026-01-15T09:00:00+01:00",
      window_end: "2026-01-22T09:00:00+01:00",
      truncated: false,
      slot_count: 168,
      charge_now: 1,
      minutes_to_start: 0,
    });
    const quarters = await answered({ hours_completed: 0 });
    expect(quarters).toMatchObject({ window_start: "2026-01-15T09:15:00+01:00", slot_count: 671 });
  });

  test("counts the slot in progress whole when its start is past, never an elapsed one", async () => {
    expect(starts(await answered({ start: "2026-01-15T06:00", end: "2026-01-15T12:00" }))).toEqual([
      "15T09:00",
      "15T10:00",
      "15T11:00",
    ]);
    expect(starts(await answered({ start: "2026-01-15T09:10", end: "2026-01-15T11:00" }))).toEqual([
      "15T09:00",
      "15T10:00",
    ]);
    expect(starts(await answered({ start: "2026-01-15T09:30", end: "2026-01-15T12:30" }))).toEqual([
      "15T10:00",
      "15T11:00",
    ]);
  });

  test("is cut at the horizon", async () => {
    const answer = await answered({ start: "2026-01-22T07:00", end: "2026-01-23T00:00" });
    expect(answer).toMatchObject({ truncated: true, window_end: "2026-01-22T09:00:00+01:00", slot_count: 2 });
    expect(await answered({ start: "2026-02-01", end: "2026-02-02", count: 2 })).toMatchObject({
      truncated: true,
      slot_count: 0,
      unmet_hours: 2,
      feasible: false,
      average_price_ct_kwh: null,
    });
  });

  test("wholly in the past is ranked over the prices held; strict it is all 0", async () => {
    const past = { start: "2026-01-15T02:00", end: "2026-01-15T08:00", count: 2 };
    const answer = await answered(past);
    expect(answer).toMatchObject({
      slot_count: 2,
      charge_now: 0,
      next_start: null,
      minutes_to_start: -1,
      truncated: false,
    });
    expect(
      starts(await answered({ ...past, start: "2026-01-14T12:00", end: "2026-01-15T02:00", count: 24 })),
    ).toEqual(["15T00:00", "15T01:00"]);
    expect(await answered({ ...past, deadline_strict: true })).toMatchObject({
      demand_hours: 0,
      slot_count: 0,
      unmet_hours: 0,
      feasible: true,
      charge_now: 0,
      slots: [],
      windows: [],
    });
    // A controller that sends nothing but its deadline gets zeros after it, no refusal.
    expect(await answered({ end: "2026-01-15T09:00", deadline_strict: "1" })).toMatchObject({
      slot_count: 0,
    });
  });

  test("reads an unescaped plus, a time without offset in the zone asked for", async () => {
    const { get } = await serve();
    const answer = await get(
      `${PATH}?start=2026-01-15T12:00:00+01:00&end=2026-01-15T13:00:00&timezone=UTC`,
      keyed,
    );
    expect(answer.json).toMatchObject({
      window_start: "2026-01-15T11:00:00+00:00",
      window_end: "2026-01-15T13:00:00+00:00",
    });
  });

  test("of daily hours is the one that contains now, else the next; a deadline keeps its order of hours", async () => {
    const night = { window_start_hour: 22, window_end_hour: 6, segments: 8 };
    expect(await answered(night)).toMatchObject({
      window_start: "2026-01-15T22:00:00+01:00",
      window_end: "2026-01-16T06:00:00+01:00",
    });
    expect(await answered(night, "2026-01-15T01:07:00Z")).toMatchObject({
      window_start: "2026-01-14T22:00:00+01:00",
      slot_count: 16,
      charge_now: 1,
    });
    const deadline = await answered({ ...night, deadline_hour: 1 });
    expect(deadline).toMatchObject({ slot_count: 16, unmet_hours: 4 });
    expect(starts(deadline).at(-1)).toBe("16T01:45");
    expect(await answered({ ...night, deadline_hour: 23 })).toMatchObject({ slot_count: 8 });
  });

  test("strict daily hours are 0 until midnight, over midnight until the next start", async () => {
    const day = { window_start_hour: 7, window_end_hour: 9, segments: 1, deadline_strict: true };
    expect(await answered(day)).toMatchObject({
      slot_count: 0,
      demand_hours: 0,
      window_end: "2026-01-15T09:00:00+01:00",
    });
    expect(await answered(day, "2026-01-15T23:10:00Z")).toMatchObject({
      slot_count: 4,
      window_start: "2026-01-16T07:00:00+01:00",
    });
    expect(await answered({ ...day, deadline_strict: false })).toMatchObject({
      slot_count: 4,
      window_start: "2026-01-16T07:00:00+01:00",
    });
    const night = { ...day, window_start_hour: 22, window_end_hour: 6 };
    expect(await answered(night)).toMatchObject({ slot_count: 0, window_end: "2026-01-15T06:00:00+01:00" });
    expect(await answered(night, "2026-01-15T21:00:00Z")).toMatchObject({ slot_count: 4 });
  });
});

describe("price, role and mode", () => {
  test("export ranks by what feed-in pays, consume by the all-in price, a plant without a tariff by the market", async () => {
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

describe("refusals", () => {
  test("every offending field is named at once", async () => {
    const { post } = await serve();
    const answer = await post(
      PATH,
      {
        start: "soon",
        end: "",
        mode: "best",
        role: 1,
        count: 2.5,
        energy_kwh: -1,
        max_power_kw: 0,
        timezone: "Vienna",
        segments: "2,x",
        segment_consecutive: null,
        hours_completed: "many",
        deadline_strict: "perhaps",
        deadline_hour: 24,
        slot_id: "9",
        energy_delivered_kwh: -1,
        battery_to_ev_pct: 101,
        plugged: 2,
        allocation: "first",
        flex_pack: 8_388_607,
        window_start_hour: -1,
        window_end_hour: "6h",
        repeat_daily: [],
      },
      keyed,
    );
    expect(answer.status).toBe(400);
    expect(answer.json.error.code).toBe("invalid_parameter");
    expect(fieldsOf(answer).sort()).toEqual([
      "allocation",
      "battery_to_ev_pct",
      "count",
      "deadline_hour",
      "deadline_strict",
      "end",
      "energy_delivered_kwh",
      "energy_kwh",
      "flex_pack",
      "hours_completed",
      "max_power_kw",
      "mode",
      "plugged",
      "repeat_daily",
      "role",
      "segment_consecutive",
      "segments",
      "slot_id",
      "start",
      "timezone",
      "window_end_hour",
      "window_start_hour",
    ]);
    for (const { field, message } of answer.json.error.details) expect(message, field).toMatch(/^\w.*\.$/);
  });

  const conflicts: [why: string, parameters: Record<string, string>, fields: string[]][] = [
    ["only a start hour", { window_start_hour: "22" }, ["window_end_hour", "window_start_hour"]],
    ["only an end hour", { window_end_hour: "22" }, ["window_end_hour", "window_start_hour"]],
    [
      "start and hours",
      { start: "2026-01-15T10:00", window_start_hour: "1", window_end_hour: "2" },
      ["start", "window_end_hour", "window_start_hour"],
    ],
    ["end and a pack", { end: "2026-01-15T10:00", flex_pack: "4197590" }, ["end", "flex_pack"]],
    [
      "hours that differ from the pack",
      { flex_pack: "4197590", window_start_hour: "22", window_end_hour: "7" },
      ["flex_pack", "window_end_hour"],
    ],
  ];
  for (const [why, parameters, fields] of conflicts)
    test(`conflict: ${why}`, async () => {
      const { get } = await serve();
      for (const headers of [keyed, {}]) {
        const answer = await get(query(parameters), headers);
        expect([answer.status, answer.json.error.code]).toEqual([400, "conflicting_parameters"]);
        expect(fieldsOf(answer).sort()).toEqual(fields);
      }
    });

  test("what only looks like a conflict is none", async () => {
    const { get } = await serve();
    const fine: Record<string, string>[] = [
      { flex_pack: "0", start: "2026-01-15T10:00" },
      { flex_pack: "4197590", window_start_hour: "22", window_end_hour: "6" },
      { flex_pack: "4197590", window_start_hour: "22" },
      { flex_pack: "0" },
      { flex_pack: "8388343" },
    ];
    for (const parameters of fine)
      expect((await get(query(parameters), keyed)).status, JSON.stringify(parameters)).toBe(200);
    expect((await get(query({ flex_pack: "0" }), keyed)).json.schema).toBe("windows_v1");
  });

  const invalid: [parameters: Record<string, string>, field: string][] = [
    [{ start: "2026-01-15T10:00", end: "2026-01-15T10:00" }, "end"],
    [{ end: "2026-01-15T08:00" }, "end"],
    [{ start: "2026-02-15T10:00" }, "start"],
    [{ start: "2020-01-01", end: "2026-01-01" }, "start"],
    [{ flex_pack: "8388607" }, "flex_pack"],
    [{ flex_pack: "8388608" }, "flex_pack"],
    [{ flex_pack: "4197590.5" }, "flex_pack"],
    [{ flex_pack: "" }, "flex_pack"],
    [{ count: "-1" }, "count"],
    [{ energy_kwh: "5" }, "max_power_kw"],
    [{ segments: "2,,5" }, "segments"],
    [{ segments: "-2" }, "segments"],
    [{ segments: Array(33).fill(1).join() }, "segments"],
    [
      {
        segments: Array.from({ length: 20 }, (_, index) => index + 1).join(),
        segment_consecutive: "required",
      },
      "segments",
    ],
    [{ slot_id: "0" }, "slot_id"],
    [{ slot_id: "wallbox_9" }, "slot_id"],
    [{ slot_id: "wallbox" }, "slot_id"],
    [{ slot_id: "o3" }, "slot_id"],
  ];
  for (const [parameters, field] of invalid)
    test(`400 for ${JSON.stringify(parameters).slice(0, 70)}`, async () => {
      const { get } = await serve();
      const answer = await get(query(parameters), keyed);
      expect([answer.status, answer.json.error.code]).toEqual([400, "invalid_parameter"]);
      expect(fieldsOf(answer)).toEqual([field]);
    });

  test("delivered energy and the battery's share need an energy or a power, each named", async () => {
    const { post } = await serve(fakeServices({ slots: [WALLBOX] }));
    const body = { count: 2, energy_delivered_kwh: 1, battery_to_ev_pct: 10 };
    for (const headers of [keyed, {}]) {
      const answer = await post(PATH, body, headers);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(["energy_delivered_kwh", "battery_to_ev_pct"]);
    }
    expect((await post(PATH, { ...body, slot_id: "O3" }, keyed)).status).toBe(200);
  });

  test("what is said in words counts before what is packed", async () => {
    const { post } = await serve();
    // 22 to 6, segment 3, plugged.
    const packed = { flex_pack: 4197590 };
    const hours = async (body: object) => (await post(PATH, { ...packed, ...body }, keyed)).json.demand_hours;
    expect(await hours({})).toBe(3);
    expect(await hours({ count: 1 })).toBe(1);
    expect(await hours({ energy_kwh: 22, max_power_kw: 11 })).toBe(2);
    expect(await hours({ segments: "1,1" })).toBe(2);
  });

  test("a GET does not know the fields of the body", async () => {
    const { get } = await serve();
    const answer = await get(query({ count: 1, plugged: 7, allocation: "x", battery_to_ev_pct: -1 }), keyed);
    expect(answer.json).toMatchObject({ schema: "windows_v1", plugged: 1, allocation: "cheapest" });
  });

  test("without a key: access and error only, after validation", async () => {
    const { get, post } = await serve();
    for (const answer of [
      await get(`${PATH}?count=2`),
      await post(PATH, { slot_id: 3 }),
      await get("/v1/plant/device-schedules"),
    ]) {
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.json).sort()).toEqual(["access", "error"]);
      expect(answer.json.error.code).toBe("not_available");
    }
    expect((await get(`${PATH}?count=x`)).status).toBe(400);
  });

  test("before the first forecast: not_ready", async () => {
    const services = fakeServices();
    services.run = undefined;
    const { get } = await serve(services);
    expect((await get(`${PATH}?count=2`, keyed)).status).toBe(503);
  });
});

describe("slots", () => {
  test("a request without any demand only looks: it switches nothing on", async () => {
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

  test("what the request leaves out comes from the slot, demand and window each as a whole", async () => {
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

  test("the request becomes the slot's recipe, shown in device-schedules and in hours-demand", async () => {
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
          next_start: null,
          plugged: 1,
          origin: "request",
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

  test("not plugged in: the plan stands, charge_now is 0", async () => {
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
