import { describe, expect, it } from "vitest";
import { calendarDay, isGermanHoliday } from "../../../src/forecast/price/calendar.js";
import { dayNumber } from "../../../src/forecast/price/market-days.js";

const on = (date: string) => calendarDay(dayNumber(date));

describe("the market's calendar", () => {
  it("knows the nine German holidays of 2025", () => {
    const year = Array.from({ length: 365 }, (_, index) =>
      new Date(Date.UTC(2025, 0, 1 + index)).toISOString().slice(0, 10),
    );
    expect(year.filter(isGermanHoliday)).toEqual([
      "2025-01-01",
      "2025-04-18",
      "2025-04-21",
      "2025-05-01",
      "2025-05-29",
      "2025-06-09",
      "2025-10-03",
      "2025-12-25",
      "2025-12-26",
    ]);
  });

  it("treats an Austrian holiday as a Sunday, but not a German one", () => {
    expect(on("2025-06-19")).toMatchObject({
      weekday: 6,
      type: 2,
      holidayInWeek: true,
      germanHoliday: false,
    });
    expect(on("2025-10-03")).toMatchObject({
      weekday: 4,
      type: 0,
      holidayInWeek: false,
      germanHoliday: true,
    });
    expect(on("2025-10-25")).toMatchObject({ weekday: 5, type: 1 });
    expect(on("2025-10-26")).toMatchObject({ weekday: 6, type: 2, holidayInWeek: false });
  });

  it("recognizes a bridge day only between two non-working days", () => {
    expect([on("2025-06-20").bridge, on("2025-06-18").bridge, on("2025-05-02").bridge]).toEqual([
      true,
      false,
      true,
    ]);
    expect(on("2025-12-24").yearEnd).toBe(true);
  });

  it("has one period per year with the cosine maximum at New Year", () => {
    expect(on("2025-01-01").cosine).toBeGreaterThan(0.999);
    expect(on("2025-07-02").cosine).toBeLessThan(-0.999);
    expect(on("2025-04-02").sine).toBeGreaterThan(0.999);
  });
});
