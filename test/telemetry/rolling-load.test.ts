import { describe, expect, it } from "vitest";
import { parseLoadFile } from "../../src/telemetry/load-file.js";
import { hourlyUse, rollingLoad } from "../../src/telemetry/rolling-load.js";

const HOUR_MS = 3_600_000;
const START = new Date("2026-01-05T00:00:00Z");
const hour = (index: number, kwh: number) => ({
  start: new Date(+START + index * HOUR_MS),
  end: new Date(+START + (index + 1) * HOUR_MS),
  kwh,
});

describe("rollingLoad", () => {
  it("never knows more than what was measured before the day", () => {
    const settings = { dailyKwh: 10 };
    const measured = Array.from({ length: 20 * 24 }, (_, index) => hour(index, index % 24 === 12 ? 2 : 0.2));
    const otherFuture = measured.map((entry, index) => (index < 10 * 24 ? entry : { ...entry, kwh: 5 }));
    const [one, other] = [measured, otherFuture].map((list) => rollingLoad(list, "Europe/Vienna", settings));
    expect(one!(START)).toBe(settings);
    for (let index = 0; index < 11 * 24; index++) {
      const now = new Date(+START + index * HOUR_MS);
      expect(other!(now)).toEqual(one!(now));
    }
    const later = new Date(+START + 11 * 24 * HOUR_MS);
    expect(other!(later)).not.toEqual(one!(later));
  });
});

describe("hourlyUse", () => {
  it("sums quarter-hours, and does not guess an hour that was measured in part", () => {
    const quarter = (index: number, kwh: number) => ({
      start: new Date(+START + index * 900_000),
      end: new Date(+START + (index + 1) * 900_000),
      kwh,
    });
    const measured = [0.1, 0.2, 0.3, 0.4, 1, 1].map((kwh, index) => quarter(index, kwh));
    expect(hourlyUse([...measured, hour(3, 0.7)], START, 4)).toEqual([
      expect.closeTo(1),
      undefined,
      undefined,
      0.7,
    ]);
  });
});

describe("parseLoadFile", () => {
  it("reads quarter-hours and hours, keeps holes, tells bad lines", () => {
    const { load, problems } = parseLoadFile(
      [
        "meter,start_utc,import_kwh",
        "x,2026-01-05T00:00:00Z,0.1",
        "x,2026-01-05T00:15:00Z,",
        "x,2026-01-05T00:30:00Z,0.3",
        "x,2026-01-05T00:07:00Z,0.3",
        "x,2026-01-05T00:45:00Z,-1",
        "",
      ].join("\r\n"),
    );
    expect(load.map(({ start, end, kwh }) => [start.toISOString(), +end - +start, kwh])).toEqual([
      ["2026-01-05T00:00:00.000Z", 900_000, 0.1],
      ["2026-01-05T00:30:00.000Z", 900_000, 0.3],
    ]);
    expect(problems).toEqual([
      'Line 5: the start is not a time on a quarter-hour ("x,2026-01-05T00:07:00Z,0.3").',
      'Line 6: the energy is not a number from 0 to 10000 kWh ("x,2026-01-05T00:45:00Z,-1").',
    ]);
    const hours = parseLoadFile("start_utc;import_kwh\n2026-01-05 00:00;1,5\n2026-01-05 01:00;2");
    expect(hours.load.map(({ start, end, kwh }) => [+end - +start, kwh])).toEqual([
      [HOUR_MS, 1.5],
      [HOUR_MS, 2],
    ]);
    expect(() => parseLoadFile("time,kwh\n")).toThrow("Line 1 must be a header");
  });
});
