import ICAL from "ical.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { calendarPeriods } from "../../../src/telemetry/calendar/calendar-periods.js";

const YEAR = { fromMs: Date.parse("2026-01-01T00:00:00Z"), untilMs: Date.parse("2027-01-01T00:00:00Z") };
const RULES = { words: ["Urlaub", "away"], zone: "Europe/Vienna", ...YEAR };

const calendar = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", ...lines, "END:VCALENDAR"].join("\r\n");
const event = (...lines: string[]) => ["BEGIN:VEVENT", "UID:1@test", ...lines, "END:VEVENT"];
const read = (lines: string[], rules: Partial<typeof RULES> = {}) =>
  calendarPeriods(calendar(...lines), { ...RULES, ...rules }).map(({ kind, title, fromMs, untilMs }) => [
    kind,
    title,
    new Date(fromMs).toISOString(),
    new Date(untilMs).toISOString(),
  ]);

describe("a calendar", () => {
  it("has absences by the words of their titles, and guests", () => {
    const times = ["DTSTART:20260704T060000Z", "DTEND:20260718T160000Z"];
    const of = (title: string, rules = {}) =>
      read(event(`SUMMARY:${title}`, ...times), rules).map(([kind]) => kind);
    expect(of("Urlaub in Tirol")).toEqual(["away"]);
    expect(of("URLAUB")).toEqual(["away"]);
    expect(of("Urlaubsantrag abgeben")).toEqual([]);
    expect(of("far away")).toEqual(["away"]);
    expect(of("Zahnarzt")).toEqual([]);
    expect(of("Besuch von Oma")).toEqual(["guests"]);
    expect(of("Zahnarzt", { words: [] })).toEqual(["away"]);
    expect(read(event("SUMMARY:Urlaub\\n\u202E2027", ...times))).toEqual([
      ["away", "Urlaub 2027", "2026-07-04T06:00:00.000Z", "2026-07-18T16:00:00.000Z"],
    ]);
  });

  it("has whole days in the zone of the plant, also over a change of the clocks", () => {
    // RFC 5545: the end of whole days is exclusive. Summer time begins on 29 March.
    expect(read(event("SUMMARY:away", "DTSTART;VALUE=DATE:20260328", "DTEND;VALUE=DATE:20260331"))).toEqual([
      ["away", "away", "2026-03-27T23:00:00.000Z", "2026-03-30T22:00:00.000Z"],
    ]);
    expect(read(event("SUMMARY:away", "DTSTART;VALUE=DATE:20260704"))).toEqual([
      ["away", "away", "2026-07-03T22:00:00.000Z", "2026-07-04T22:00:00.000Z"],
    ]);
  });

  it("has times with a zone by its name, by its description, or of the plant", () => {
    const zone = [
      ...["BEGIN:VTIMEZONE", "TZID:Own", "BEGIN:STANDARD", "DTSTART:19700101T000000"],
      ...["TZOFFSETFROM:-0500", "TZOFFSETTO:-0500", "END:STANDARD", "END:VTIMEZONE"],
    ];
    const at = (start: string, before: string[] = []) =>
      read([...before, ...event("SUMMARY:away", start, "DURATION:PT2H")])[0]?.[2];
    expect(at("DTSTART;TZID=America/New_York:20260704T080000")).toBe("2026-07-04T12:00:00.000Z");
    expect(at("DTSTART;TZID=Own:20260704T080000", zone)).toBe("2026-07-04T13:00:00.000Z");
    expect(at("DTSTART:20260704T080000")).toBe("2026-07-04T06:00:00.000Z");
    expect(at("DTSTART;TZID=Nowhere:20260704T080000")).toBe("2026-07-04T06:00:00.000Z");
  });

  it("has series with what is left out, moved and called off", () => {
    const weekly = event(
      "SUMMARY:away",
      "DTSTART;TZID=Europe/Vienna:20251205T180000",
      "DTEND;TZID=Europe/Vienna:20251207T180000",
      "RRULE:FREQ=WEEKLY;COUNT=9",
      "EXDATE;TZID=Europe/Vienna:20260116T180000",
    );
    const moved = event(
      ...["SUMMARY:away", "RECURRENCE-ID;TZID=Europe/Vienna:20260123T180000"],
      ...["DTSTART;TZID=Europe/Vienna:20260124T080000", "DTEND;TZID=Europe/Vienna:20260124T200000"],
    );
    const off = event(
      ...["SUMMARY:away", "RECURRENCE-ID;TZID=Europe/Vienna:20260130T180000", "STATUS:CANCELLED"],
      ...["DTSTART;TZID=Europe/Vienna:20260130T180000", "DTEND;TZID=Europe/Vienna:20260201T180000"],
    );
    // The ninth one is on 30 January; those of December are over.
    expect(read([...weekly, ...moved, ...off]).map(([, , from]) => from)).toEqual([
      "2026-01-02T17:00:00.000Z",
      "2026-01-09T17:00:00.000Z",
      "2026-01-24T07:00:00.000Z",
    ]);
  });

  it("has the same ids at each reading, and none for what is over or too far ahead", () => {
    const text = calendar(...event("SUMMARY:away", "DTSTART:20260704T060000Z", "DURATION:P1D"));
    const ids = () => calendarPeriods(text, RULES).map(({ id }) => id);
    expect(ids()).toEqual(ids());
    expect(ids()[0]).toMatch(/^c[0-9a-f]{12}$/);
    expect(read(event("SUMMARY:away", "DTSTART:20240704T060000Z", "DURATION:P1D"))).toEqual([]);
    expect(read(event("SUMMARY:away", "DTSTART:20280704T060000Z", "DURATION:P1D"))).toEqual([]);
    expect(read(event("SUMMARY:away", "DTSTART:20260704T060000Z"))).toEqual([]);
  });

  it("is read without the events that cannot be, and without going through what is long past", () => {
    const good = event("SUMMARY:Urlaub", "DTSTART;VALUE=DATE:20260704");
    const from = (...lines: string[]) => read([...event(...lines), ...good]).map(([, , begin]) => begin);
    const others = ["SUMMARY:Urlaub", "DTSTART:20260101T000000Z", "DTEND:20260101T010000Z"];
    expect(from("SUMMARY:Urlaub", "DTSTART:hello")).toEqual(["2026-07-03T22:00:00.000Z"]);
    expect(from(...others, "RRULE:FREQ=FOO")).toEqual(["2026-07-03T22:00:00.000Z"]);
    // Each costs a fraction of a millisecond of the five seconds that a calendar has.
    const details = vi.spyOn(ICAL.Event.prototype, "getOccurrenceDetails");
    onTestFinished(() => details.mockRestore());
    const daily = ["DTSTART:20200105T080000Z", "DURATION:PT8H", "RRULE:FREQ=DAILY"];
    expect(from("SUMMARY:Tabletten", ...daily)).toHaveLength(1);
    expect(details).not.toHaveBeenCalled();
    expect(from("SUMMARY:away", ...daily)).toHaveLength(366);
    expect(details.mock.calls.length).toBeLessThan(370);
  });

  it("is refused where it is none", () => {
    expect(() => calendarPeriods("<!doctype html><p>Sign in</p>", RULES)).toThrow();
    expect(() => calendarPeriods("", RULES)).toThrow();
    expect(() => calendarPeriods("BEGIN:VCARD\r\nEND:VCARD", RULES)).toThrow("It has no VCALENDAR.");
  });
});
