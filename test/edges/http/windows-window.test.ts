import { describe, expect, test } from "vitest";
import { fakeServices } from "../../api/fake-services.js";
import { serve } from "./serve.js";
import { keyed, PATH, query } from "./windows-calls.js";

describe("the window", () => {
  const answered = async (parameters: Record<string, string | number | boolean>, now?: string) => {
    const { get } = await serve(fakeServices(now === undefined ? {} : { now: new Date(now) }));
    const answer = await get(query(parameters), keyed);
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };
  const starts = ({ slots }: { slots: { start: string }[] }) => slots.map(({ start }) => start.slice(8, 16));

  test("without a start begins with the current slot, without an end extends to the horizon", async () => {
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

  test("counts the current slot as a whole if its start is past, and no elapsed slot", async () => {
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

  test("wholly in the past is ranked over the stored prices; with deadline_strict all values are 0", async () => {
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

  test("parses an unescaped plus, and a time without offset in the requested zone", async () => {
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

  test("of daily hours is the one that contains now, else the next; a deadline follows its order of hours", async () => {
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
