import fc from "fast-check";
import { IANAZone } from "luxon";
import { describe, expect, it, vi } from "vitest";
import { HOUR_MS, hoursOf } from "../../../src/core/domain/interval.js";
import {
  addDays,
  dayInterval,
  dayOf,
  formatIso,
  instantOf,
  isZone,
  localDate,
  localTime,
  parseTime,
  VIENNA,
} from "../../../src/core/time/zone.js";
import { runs } from "../../support/runs.js";

/** Spellings of the same zone: zone names are case-insensitive. */
function spellings(count: number): string[] {
  const name = "america/argentina/buenos_aires";
  return Array.from({ length: count }, (_, number) => {
    let bits = number;
    return name.replace(/[a-z]/g, (letter) => {
      const isUpper = (bits & 1) === 1;
      bits >>= 1;
      return isUpper ? letter.toUpperCase() : letter;
    });
  });
}

describe("names", () => {
  it("are case-insensitive and normalized, since the library caches every name", () => {
    const created = vi.spyOn(IANAZone, "create");
    const validated = vi.spyOn(IANAZone, "isValidZone");
    for (const name of spellings(200)) {
      expect(parseTime("2026-01-15T03:00", name)).toEqual(new Date("2026-01-15T06:00:00Z"));
      expect(dayInterval("2026-01-15", name).start).toEqual(new Date("2026-01-15T03:00:00Z"));
      expect(formatIso(new Date("2026-01-15T03:00:00Z"), name)).toBe("2026-01-15T00:00:00-03:00");
    }
    expect(new Set(created.mock.calls.map(([name]) => name)).size).toBe(1);
    expect(validated.mock.calls.length).toBeLessThan(5);
    // The Kelvin sign becomes "k" in lower case but is not a valid letter.
    expect(isZone("Europe/\u212Aiev")).toBe(false);
    vi.restoreAllMocks();
  });
});

describe("offsets", () => {
  /** The offset as given by the system, such as `+02:00`. */
  const offsetOf = (at: Date, timeZone: string) => {
    const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(at);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    return name === "GMT" ? "+00:00" : name.slice(3);
  };

  it("match the system's, also on days with two offsets", () => {
    // First instants of a new offset: most of Europe, half an hour, midnight, Ramadan, a skipped day.
    const changes: [string, string][] = [
      [VIENNA, "2025-03-30T01:00:00Z"],
      [VIENNA, "2025-10-26T01:00:00Z"],
      ["Australia/Lord_Howe", "2025-10-04T15:30:00Z"],
      ["Asia/Beirut", "2025-10-25T21:00:00Z"],
      ["Africa/Casablanca", "2025-02-23T02:00:00Z"],
      ["Pacific/Apia", "2011-12-30T10:00:00Z"],
    ];
    for (const [zone, change] of changes) {
      const cases = [-86_400_000, -900_000, -1, 0, 900_000, 86_400_000].map((ms) => {
        const at = new Date(Date.parse(change) + ms);
        const offset = formatIso(at, zone).slice(19);
        expect(offset, `${zone} ${at.toISOString()}`).toBe(offsetOf(at, zone));
        return offset;
      });
      expect(cases[2], zone).not.toBe(cases[3]);
    }
  });

  it("match the system's at any instant", () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    const days = fc.date({ min: new Date("1990-01-01"), max: new Date("2037-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(days, zones, (at, zone) => {
        expect(formatIso(at, zone).slice(19)).toBe(offsetOf(at, zone));
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("calendar days", () => {
  it.each([
    ["2025-03-30", 23, "2025-03-29T23:00:00.000Z", "2025-03-30T22:00:00.000Z"],
    ["2025-10-26", 25, "2025-10-25T22:00:00.000Z", "2025-10-26T23:00:00.000Z"],
    ["2026-01-15", 24, "2026-01-14T23:00:00.000Z", "2026-01-15T23:00:00.000Z"],
  ])("%s has %i hours in Vienna", (date, hours, start, end) => {
    const day = dayInterval(date, VIENNA);
    expect(hoursOf(day)).toBe(hours);
    expect(day.start.toISOString()).toBe(start);
    expect(day.end.toISOString()).toBe(end);
  });

  // If clocks go back across midnight, it occurs twice; the day begins at the first one.
  it.each([
    ["America/Havana", "2025-11-02", 25],
    ["America/Havana", "2025-11-01", 24],
    ["Atlantic/Azores", "2025-10-26", 25],
    ["Atlantic/Azores", "2025-10-25", 24],
    ["Asia/Beirut", "2025-03-30", 23],
    ["Asia/Beirut", "2025-10-25", 25],
    ["Australia/Lord_Howe", "2025-10-05", 23.5],
  ])("in %s %s has %d hours", (zone, date, hours) => {
    expect(hoursOf(dayInterval(date, zone))).toBe(hours);
  });

  it("days are adjacent, and every instant lies in its own day", () => {
    const zones = fc.constantFrom(VIENNA, "America/Havana", "Atlantic/Azores", "Asia/Kathmandu", "UTC");
    const instants = fc.date({
      min: new Date("2001-01-01"),
      max: new Date("2050-01-01"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const day = dayOf(at, zone);
        expect(day.start <= at && at < day.end).toBe(true);
        expect(localDate(day.start, zone)).toBe(localDate(at, zone));
        expect(dayInterval(addDays(localDate(at, zone), 1), zone).start).toEqual(day.end);
      }),
      { numRuns: runs(200) },
    );
  });

  it("adds days across months and years", () => {
    expect(addDays("2024-02-28", 1)).toBe("2024-02-29");
    expect(addDays("2025-12-31", 1)).toBe("2026-01-01");
    expect(addDays("2026-03-01", -1)).toBe("2026-02-28");
  });
});

describe("wall clock", () => {
  it("repeats an hour in autumn", () => {
    const hours = [0, 1, 2, 3].map(
      (step) => localTime(new Date(Date.parse("2025-10-25T23:00:00Z") + step * HOUR_MS), VIENNA).hour,
    );
    expect(hours).toEqual([1, 2, 2, 3]);
  });

  it("reads weekday, month and minute", () => {
    expect(localTime(new Date("2026-01-18T23:45:00Z"), VIENNA)).toEqual({
      date: "2026-01-19",
      year: 2026,
      month: 1,
      day: 19,
      weekday: 1,
      hour: 0,
      minute: 45,
    });
    expect(localTime(new Date("2026-01-18T12:00:00Z"), VIENNA).weekday).toBe(7);
  });

  it.each([
    ["2026-01-15", 3, "2026-01-15T02:00:00.000Z"],
    ["2025-03-30", 2, "2025-03-30T01:00:00.000Z"],
    ["2025-03-30", 3, "2025-03-30T01:00:00.000Z"],
    ["2025-10-26", 2, "2025-10-26T00:00:00.000Z"],
    ["2025-10-26", 3, "2025-10-26T02:00:00.000Z"],
    ["2026-01-15", 24, "2026-01-15T23:00:00.000Z"],
  ])("%s at %i:00 is %s", (date, hour, expected) => {
    expect(instantOf(date, hour, VIENNA).toISOString()).toBe(expected);
  });

  it("formats with the offset of the instant", () => {
    expect(formatIso(new Date("2025-10-26T00:30:00Z"), VIENNA)).toBe("2025-10-26T02:30:00+02:00");
    expect(formatIso(new Date("2025-10-26T01:30:00Z"), VIENNA)).toBe("2025-10-26T02:30:00+01:00");
    expect(formatIso(new Date("2026-01-15T12:00:00Z"), "UTC")).toBe("2026-01-15T12:00:00+00:00");
    expect(formatIso(new Date("2026-01-15T12:00:00Z"), "America/St_Johns")).toBe("2026-01-15T08:30:00-03:30");
    expect(formatIso(new Date("0001-01-01T00:00:00Z"), VIENNA)).toBe("0001-01-01T01:05:00+01:05");
  });

  it("accepts IANA names only", () => {
    expect(["Europe/Vienna", "UTC", "Asia/Kathmandu"].every(isZone)).toBe(true);
    expect(["+01:00", "Vienna", "", "Europe/Wien", "local time"].some(isZone)).toBe(false);
    expect(() => localDate(new Date(), "Europe/Wien")).toThrow(RangeError);
  });
});

describe("parseTime", () => {
  it.each([
    ["2026-01-15T03:00:00Z", "2026-01-15T03:00:00.000Z"],
    ["2026-01-15t03:00:00z", "2026-01-15T03:00:00.000Z"],
    ["2026-01-15T03:00:00+01:00", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15T03:00:00 01:00", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15T03:00:00 +01:00", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15T03:00:00  01:00", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15 03:00 01:00", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15T03:00 0100", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15T03:00 01", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15T03:00:00.250 01:00", "2026-01-15T02:00:00.250Z"],
    ["2026-01-15 03:00 Z", "2026-01-15T03:00:00.000Z"],
    ["2026-01-15T03:00:00-0330", "2026-01-15T06:30:00.000Z"],
    ["2026-01-15T03:00", "2026-01-15T02:00:00.000Z"],
    ["2026-01-15 03:00", "2026-01-15T02:00:00.000Z"],
    ["2026-07-15T03:00:00", "2026-07-15T01:00:00.000Z"],
    ["2026-01-15", "2026-01-14T23:00:00.000Z"],
    ["  2026-01-15T03:00:00Z ", "2026-01-15T03:00:00.000Z"],
  ])("reads %s", (text, expected) => {
    expect(parseTime(text, VIENNA)?.toISOString()).toBe(expected);
  });

  it.each([
    "",
    "now",
    "3",
    "2026",
    "2026-01",
    "2026-02-30",
    "2026-01-15T25:00",
    "2026-01-15T03",
    "2026-01-15 03",
    "2026-01-15T03:00:00+24:00",
    "2026-01-15T03:00:00-01:60",
    "9999-12-31T23:59:59Z",
    "2026-W03-1",
  ])("refuses %s", (text) => {
    expect(parseTime(text, VIENNA)).toBeUndefined();
  });

  it.each([
    ["2026-10-25T02:30", VIENNA, "2026-10-25T00:30:00.000Z"],
    ["2026-10-25T02:59:59", VIENNA, "2026-10-25T00:59:59.000Z"],
    ["2026-10-25T03:00", VIENNA, "2026-10-25T02:00:00.000Z"],
    ["2026-10-25T01:59", VIENNA, "2026-10-24T23:59:00.000Z"],
    ["2026-10-25T02:30+01:00", VIENNA, "2026-10-25T01:30:00.000Z"],
    ["2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z"],
    ["2026-04-05T01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z"],
  ])("reads the first of a doubled local time, in every season: %s", (text, zone, expected) => {
    for (const today of ["2026-01-15", "2026-07-15"]) {
      vi.useFakeTimers({ now: new Date(today) });
      expect(parseTime(text, zone)?.toISOString()).toBe(expected);
      vi.useRealTimers();
    }
  });

  it.each([
    ["2026-10-25T00:29:59Z", "2026-10-25T00:30:00.000Z"],
    ["2026-10-25T01:29:59Z", "2026-10-25T00:30:00.000Z"],
    ["2026-10-25T01:30:00Z", "2026-10-25T01:30:00.000Z"],
    ["2026-10-26T00:00:00Z", "2026-10-25T01:30:00.000Z"],
  ])("reads the last doubled local time that is not after %s", (now, expected) => {
    expect(parseTime("2026-10-25T02:30", VIENNA, new Date(now))?.toISOString()).toBe(expected);
  });

  it("never throws, and returns a valid time or undefined", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789-:T +Z.,") });
    fc.assert(
      fc.property(fc.oneof(fc.string(), digits), (text) => {
        const at = parseTime(text, VIENNA);
        expect(at === undefined || !Number.isNaN(at.getTime())).toBe(true);
      }),
    );
  });

  it("parses the output of formatIso, also from an unescaped query string", () => {
    const instants = fc.date({
      min: new Date("1971-01-01"),
      max: new Date("2090-01-01"),
      noInvalidDate: true,
    });
    const zones = fc.constantFrom(VIENNA, "America/St_Johns", "Asia/Kathmandu", "UTC");
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const second = new Date(Math.floor(at.getTime() / 1000) * 1000);
        const text = formatIso(second, zone);
        expect(parseTime(text, VIENNA)).toEqual(second);
        expect(parseTime(text.replace("+", " "), VIENNA)).toEqual(second);
      }),
      { numRuns: runs(200) },
    );
  });
});
