import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { FlexInputError, type FlexWindow } from "../../../src/plan/windows/request.js";
import { solveFlex } from "../../../src/plan/windows/solve.js";
import { deadlineRule, resolveWindow } from "../../../src/plan/windows/window.js";
import { runs } from "../../support/runs.js";

const at = (text: string) => new Date(text);
const daily = (startHour: number, endHour: number): FlexWindow => ({ kind: "daily", startHour, endHour });

function resolved(window: FlexWindow | undefined, now: string, strict = false) {
  const result = resolveWindow(
    { window, deadlineStrict: strict, gridMinutes: 15 },
    {
      now: at(now),
      horizonEnd: new Date(Math.floor(at(now).getTime() / HOUR_MS) * HOUR_MS + 7 * DAY_MS),
      zone: VIENNA,
    },
  );
  return {
    ...result,
    span: `${result.start.toISOString().slice(5, 16)}..${result.end.toISOString().slice(5, 16)}`,
    hours: (result.end.getTime() - result.start.getTime()) / HOUR_MS,
  };
}

/** Clock hours, "2" twice if the clock shows it twice, at whose full quarter a slot may start. */
function hoursBefore(deadlineHour: number, window: { start: Date; end: Date }): string {
  const allowed = deadlineRule(window, deadlineHour, VIENNA);
  const hours: number[] = [];
  for (let ms = window.start.getTime(); ms < window.end.getTime(); ms += HOUR_MS)
    if (allowed(new Date(ms))) hours.push(localTime(new Date(ms), VIENNA).hour);
  return hours.join(" ");
}

// Clocks go forward on 29 March 2026 at 01:00 UTC (2 -> 3 o'clock) and back on 25 October 2026 at 01:00 UTC (3 -> 2).
describe("daily windows in the nights of clock changes", () => {
  it("spring, 22 to 6 over midnight: seven hours", () => {
    expect(resolved(daily(22, 6), "2026-03-28T21:30Z")).toMatchObject({
      span: "03-28T21:00..03-29T04:00",
      hours: 7,
    });
  });
  it("autumn, 22 to 6 over midnight: nine hours", () => {
    expect(resolved(daily(22, 6), "2026-10-25T01:30Z")).toMatchObject({
      span: "10-24T20:00..10-25T05:00",
      hours: 9,
    });
  });
  it("spring, 1 to 4: without the missing hour", () => {
    expect(resolved(daily(1, 4), "2026-03-28T22:00Z")).toMatchObject({
      span: "03-29T00:00..03-29T02:00",
      hours: 2,
    });
  });
  it("spring, 22 to 2: ends at the clock change", () => {
    expect(resolved(daily(22, 2), "2026-03-28T22:00Z")).toMatchObject({
      span: "03-28T21:00..03-29T01:00",
      hours: 4,
    });
  });
  it("spring, 2 to 5: starts at the clock change", () => {
    expect(resolved(daily(2, 5), "2026-03-28T22:00Z")).toMatchObject({
      span: "03-29T01:00..03-29T03:00",
      hours: 2,
    });
  });
  it("spring, 2 to 3: does not exist on that day, so the next day", () => {
    expect(resolved(daily(2, 3), "2026-03-28T22:00Z")).toMatchObject({
      span: "03-30T00:00..03-30T01:00",
      hours: 1,
    });
  });
  it("autumn, 2 to 3: both occurrences of the hour", () => {
    expect(resolved(daily(2, 3), "2026-10-25T01:10Z")).toMatchObject({
      span: "10-25T00:00..10-25T02:00",
      hours: 2,
    });
  });
  it("autumn, 22 to 2 and 2 to 22 adjoin without overlap", () => {
    expect(resolved(daily(22, 2), "2026-10-24T22:00Z").span).toBe("10-24T20:00..10-25T00:00");
    expect(resolved(daily(2, 22), "2026-10-25T00:00Z").span).toBe("10-25T00:00..10-25T21:00");
  });
  it("equal hours are a local day of 23 or 25 hours", () => {
    expect(resolved(daily(0, 0), "2026-03-29T12:00Z").hours).toBe(23);
    expect(resolved(daily(22, 22), "2026-10-25T12:00Z").hours).toBe(25);
  });
});

describe("daily windows", () => {
  it("contain now or are the next ones, for every pair of hours and both clock changes", () => {
    const start = fc.constantFrom("2026-03-28T00:00Z", "2026-10-24T00:00Z", "2026-06-10T00:00Z");
    fc.assert(
      fc.property(
        start,
        fc.integer({ min: 0, max: 72 * 60 }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 23 }),
        (start, minutes, startHour, endHour) => {
          const now = new Date(at(start).getTime() + minutes * 60_000);
          const window = resolveWindow(
            { window: daily(startHour, endHour), gridMinutes: 15 },
            { now, horizonEnd: new Date(now.getTime() + 7 * DAY_MS), zone: VIENNA },
          );
          expect(window.end > now && window.end > window.start).toBe(true);
          const inside = (ms: number) => {
            const { hour } = localTime(new Date(ms), VIENNA);
            if (startHour === endHour) return true;
            return startHour < endHour
              ? startHour <= hour && hour < endHour
              : hour >= startHour || hour < endHour;
          };
          const quarters = (fromMs: number, untilMs: number) =>
            Array.from(
              { length: Math.ceil((untilMs - fromMs) / QUARTER_MS) },
              (_, k) => fromMs + k * QUARTER_MS,
            );
          expect(quarters(window.start.getTime(), window.end.getTime()).every(inside)).toBe(true);
          // No earlier window exists between now and its start.
          const firstMs = Math.ceil(now.getTime() / QUARTER_MS) * QUARTER_MS;
          if (window.start > now) expect(quarters(firstMs, window.start.getTime()).some(inside)).toBe(false);
        },
      ),
      { seed: 7, numRuns: runs(300) },
    );
  });

  it("strict: over until midnight, across midnight until the next start, a whole day never", () => {
    expect(resolved(daily(7, 9), "2026-01-15T08:00Z", true)).toMatchObject({
      phase: "over",
      span: "01-15T06:00..01-15T08:00",
      overUntil: at("2026-01-15T23:00Z"),
    });
    expect(resolved(daily(7, 9), "2026-01-15T07:59Z", true).phase).toBe("open");
    expect(resolved(daily(7, 9), "2026-01-15T05:00Z", true).phase).toBe("open");
    expect(resolved(daily(22, 6), "2026-01-15T05:00Z", true)).toMatchObject({
      phase: "over",
      span: "01-14T21:00..01-15T05:00",
      overUntil: at("2026-01-15T21:00Z"),
    });
    expect(resolved(daily(5, 5), "2026-01-15T04:00Z", true)).toMatchObject({
      phase: "open",
      span: "01-15T04:00..01-16T04:00",
    });
  });
});

describe("windows between two instants", () => {
  const fixed = (start?: string, end?: string): FlexWindow => ({
    kind: "fixed",
    start: start === undefined ? undefined : at(start),
    end: end === undefined ? undefined : at(end),
  });

  it("begin with the current slot if the start is missing or past", () => {
    const now = "2026-01-15T08:20Z";
    expect(resolved(undefined, now)).toMatchObject({ span: "01-15T08:15..01-22T08:00", truncated: false });
    expect(resolved(fixed("2026-01-15T07:00Z", "2026-01-15T10:00Z"), now)).toMatchObject({
      span: "01-15T07:00..01-15T10:00",
      from: at("2026-01-15T08:15Z"),
    });
    expect(resolved(fixed("2026-01-15T08:20Z", "2026-01-15T10:00Z"), now)).toMatchObject({
      span: "01-15T08:15..01-15T10:00",
      from: at("2026-01-15T08:15Z"),
    });
    expect(resolved(fixed("2026-01-15T08:21Z", "2026-01-15T10:00Z"), now).from).toEqual(
      at("2026-01-15T08:21Z"),
    );
  });

  it("are truncated at the horizon only for a given end beyond it", () => {
    const now = "2026-01-15T08:20Z";
    expect(resolved(fixed(undefined, "2026-01-22T08:00Z"), now).truncated).toBe(false);
    expect(resolved(fixed(undefined, "2026-01-22T08:01Z"), now)).toMatchObject({
      truncated: true,
      span: "01-15T08:15..01-22T08:00",
      askedEnd: at("2026-01-22T08:01Z"),
    });
  });

  it("are past or over from their end on (half-open)", () => {
    const window = fixed("2026-01-15T05:00Z", "2026-01-15T08:00Z");
    expect(resolved(window, "2026-01-15T07:59:59Z").phase).toBe("open");
    expect(resolved(window, "2026-01-15T08:00Z").phase).toBe("past");
    expect(resolved(window, "2026-01-15T08:00Z", true)).toMatchObject({ phase: "over" });
    expect(resolved(window, "2026-01-15T08:00Z", true).overUntil).toBeUndefined();
  });

  it("reject an end that is not after the start, and name the field", () => {
    const refused = (window: FlexWindow) => {
      try {
        resolved(window, "2026-01-15T08:20Z");
      } catch (error) {
        return error instanceof FlexInputError ? error.field : error;
      }
      return undefined;
    };
    expect(refused(fixed("2026-01-15T09:00Z", "2026-01-15T09:00Z"))).toBe("end");
    expect(refused(fixed(undefined, "2026-01-15T08:00Z"))).toBe("end");
    expect(refused(fixed("2026-01-22T08:00Z"))).toBe("start");
    expect(refused(fixed("2020-01-22T08:00Z", "2025-01-01T00:00Z"))).toBe("start");
    expect(refused(fixed("2026-01-15T08:00Z"))).toBeUndefined();
  });
});

describe("the deadline hour, in the window's own order of hours", () => {
  const night = (date: string, next: string) => ({ start: at(`${date}T21:00Z`), end: at(`${next}T05:00Z`) });

  it("over midnight", () => {
    const window = night("2026-01-14", "2026-01-15");
    expect(hoursBefore(1, window)).toBe("22 23 0 1");
    expect(hoursBefore(22, window)).toBe("22");
    expect(hoursBefore(12, window)).toBe("22 23 0 1 2 3 4 5");
    expect(deadlineRule(window, 1, VIENNA)(at("2026-01-15T00:45Z"))).toBe(true);
    expect(deadlineRule(window, 1, VIENNA)(at("2026-01-15T01:00Z"))).toBe(false);
  });
  it("from the missing hour on: the hour after it is second in order", () => {
    // 2 to 1 o'clock in the night without 2 o'clock begins at 3.
    const window = { start: at("2026-03-29T01:00Z"), end: at("2026-03-29T23:00Z") };
    const upTo = (deadline: number) => deadlineRule(window, deadline, VIENNA, 2);
    expect(upTo(2)(at("2026-03-29T01:00Z"))).toBe(false);
    expect(upTo(3)(at("2026-03-29T01:00Z"))).toBe(true);
    expect(upTo(3)(at("2026-03-29T02:00Z"))).toBe(false);
  });

  it("in the missing hour: up to the hour before it", () => {
    expect(hoursBefore(2, { start: at("2026-03-28T21:00Z"), end: at("2026-03-29T04:00Z") })).toBe(
      "22 23 0 1",
    );
    expect(hoursBefore(3, { start: at("2026-03-28T21:00Z"), end: at("2026-03-29T04:00Z") })).toBe(
      "22 23 0 1 3",
    );
  });
  it("in the repeated hour: both occurrences", () => {
    expect(hoursBefore(2, { start: at("2026-10-24T20:00Z"), end: at("2026-10-25T05:00Z") })).toBe(
      "22 23 0 1 2 2",
    );
    expect(hoursBefore(1, { start: at("2026-10-24T20:00Z"), end: at("2026-10-25T05:00Z") })).toBe(
      "22 23 0 1",
    );
  });
  it("in a window of several days: on each of its days", () => {
    expect(hoursBefore(2, { start: at("2026-01-14T23:00Z"), end: at("2026-01-16T23:00Z") })).toBe(
      "0 1 2 0 1 2",
    );
  });
  it("from half past to half past: the last half hour is last, although its clock hour is the first", () => {
    const window = { start: at("2026-01-14T20:30Z"), end: at("2026-01-15T20:30Z") };
    const allowed = deadlineRule(window, 21, VIENNA);
    expect([at("2026-01-14T20:45Z"), at("2026-01-14T21:00Z"), at("2026-01-15T20:15Z")].map(allowed)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

it("shows prices as averages where slots are chosen by what they cost the site", () => {
  const start = at("2026-01-15T20:00Z");
  // The second hour is beyond the import limit.
  const prices = [20, 10, 30].map((importCtKwh, hour) => ({
    start: new Date(start.getTime() + hour * HOUR_MS),
    end: new Date(start.getTime() + (hour + 1) * HOUR_MS),
    spotCtKwh: importCtKwh / 2,
    importCtKwh,
    exportCtKwh: 0,
    source: "day_ahead" as const,
    quartile: 1 as const,
    costCtKwh: hour === 1 ? 1000 : importCtKwh / 4,
  }));
  const facts = { now: start, zone: VIENNA, prices, powerKw: 11, breakPenaltyCtKwh: 1 };
  const window = resolveWindow({ gridMinutes: 60 }, { ...facts, horizonEnd: prices.at(-1)!.end });
  const { windows, averageCtKwh } = solveFlex({ gridMinutes: 60, count: 3 }, { ...facts, window });
  expect(averageCtKwh).toBe(20);
  expect(windows.map((one) => one.averageCtKwh)).toEqual([20]);
});
