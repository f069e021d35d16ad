import { describe, expect, it } from "vitest";
import { austrianHolidays, easterSunday, isAustrianHoliday } from "../../../src/core/time/holidays.js";

describe("Austrian public holidays", () => {
  // Published Easter dates; 2008 and 2038 are extremes at which errors in the computus show first.
  it.each(["2008-03-23", "2019-04-21", "2024-03-31", "2025-04-20", "2026-04-05", "2038-04-25"])(
    "Easter Sunday %s",
    (date) => {
      expect(easterSunday(Number(date.slice(0, 4)))).toBe(date);
    },
  );

  it("are thirteen in 2026", () => {
    expect(austrianHolidays(2026)).toEqual([
      "2026-01-01",
      "2026-01-06",
      "2026-04-06",
      "2026-05-01",
      "2026-05-14",
      "2026-05-25",
      "2026-06-04",
      "2026-08-15",
      "2026-10-26",
      "2026-11-01",
      "2026-12-08",
      "2026-12-25",
      "2026-12-26",
    ]);
  });

  it("do not include ordinary days", () => {
    expect(isAustrianHoliday("2025-06-19")).toBe(true);
    expect(["2025-04-18", "2025-12-24", "2025-12-31", "2026-06-05"].some(isAustrianHoliday)).toBe(false);
  });
});
