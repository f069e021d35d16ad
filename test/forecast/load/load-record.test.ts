import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";
import { loadRecord } from "../../../src/forecast/load/load-record.js";
import { EMPTY_RECORD, scoresOf } from "../../../src/forecast/price/day-record.js";

const ZONE = "Europe/Vienna";
/** 0.5 kWh in each hour. */
const MODEL: LoadModel = {
  timeZone: ZONE,
  fromMs: Date.parse("2026-03-20T00:00:00Z"),
  hourKwh: new Array(7 * 24).fill(0.5),
  persistence: 0.4,
};

/** Hours of measured load, kWh each, from an instant on. */
const measured = (from: string, hours: number, kwh: number) =>
  Array.from({ length: hours }, (_, hour) => ({
    start: new Date(Date.parse(from) + hour * HOUR_MS),
    end: new Date(Date.parse(from) + (hour + 1) * HOUR_MS),
    kwh,
  }));
const at = (now: string, record = EMPTY_RECORD, steps: ReturnType<typeof measured> = []) =>
  loadRecord(record, { model: MODEL, measured: steps, now: new Date(now), zone: ZONE });

describe("the record of the load forecast", () => {
  it("has the energy of seven local days, the 23-hour day included, once per night", () => {
    const record = at("2026-03-27T01:00:00+01:00");
    const issued = Object.entries(record.issued).map(([date, list], index) => [date, list[index]?.kwh]);
    expect(issued).toEqual([
      ["2026-03-27", 12],
      ["2026-03-28", 12],
      ["2026-03-29", 11.5],
      ["2026-03-30", 12],
      ["2026-03-31", 12],
      ["2026-04-01", 12],
      ["2026-04-02", 12],
    ]);
    expect(at("2026-03-27T03:00:00+01:00", record)).toBe(record);
  });

  it("has no forecast made in daytime, which would know part of its first day", () => {
    expect(at("2026-03-27T04:00:00+01:00")).toBe(EMPTY_RECORD);
  });

  it("compares the days that are over, where nearly all of the day is measured", () => {
    const record = at("2026-03-27T00:30:00+01:00");
    // 27 March is measured but for its last hour, 28 March only for half of the day.
    const steps = [
      ...measured("2026-03-27T00:00:00+01:00", 23, 0.75),
      ...measured("2026-03-28T00:00:00+01:00", 12, 9),
    ];
    const compared = at("2026-03-29T10:00:00+02:00", record, steps);
    expect(scoresOf(compared)).toEqual([
      { day: 1, days: 1, maeKwh: 6, biasKwh: -6, meanKwh: 18, coverage: 0 },
    ]);
    expect(Object.keys(compared.issued)[0]).toBe("2026-03-29");
  });
});
