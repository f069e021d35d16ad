import { describe, expect, test } from "vitest";
import { fakeServices } from "../../api/fake-services.js";
import { serve } from "./serve.js";
import { fieldsOf, keyed, PATH, query, WALLBOX } from "./windows-calls.js";

describe("refusals", () => {
  test("all invalid fields are named in one answer", async () => {
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

  test("accepts combinations that only resemble a conflict", async () => {
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

  test("a start or end that is no time is answered with what to send", async () => {
    const { post } = await serve();
    const TIME = "an ISO 8601 time such as 2026-01-15T06:00:00+01:00";
    const cases = [
      [{ start: 1768431600 }, `start must be ${TIME}.`],
      [{ end: "tomorrow" }, `end must be ${TIME}.`],
      [{ start: null }, `start is empty: send ${TIME}, or omit it.`],
      [{ end: " " }, `end must be ${TIME}.`],
    ] as const;
    for (const [body, message] of cases)
      expect((await post(PATH, body, keyed)).json.error.details).toEqual([
        { field: Object.keys(body)[0], message },
      ]);
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
        segments: Array.from({ length: 20 }, (_, index) => (index + 1) / 4).join(),
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

  test("separate fields take precedence over flex_pack", async () => {
    const { post } = await serve();
    // 22 to 6, segment 3, plugged.
    const packed = { flex_pack: 4197590 };
    const hours = async (body: object) => (await post(PATH, { ...packed, ...body }, keyed)).json.demand_hours;
    expect(await hours({})).toBe(3);
    expect(await hours({ count: 1 })).toBe(1);
    expect(await hours({ energy_kwh: 22, max_power_kw: 11 })).toBe(2);
    expect(await hours({ segments: "1,1" })).toBe(2);
  });

  test("a GET ignores the fields of the body", async () => {
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
