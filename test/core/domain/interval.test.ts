import { describe, expect, it } from "vitest";
import {
  contains,
  floorTo,
  HOUR_MS,
  hourOf,
  hoursOf,
  minutesUntil,
  QUARTER_MS,
} from "../../../src/core/domain/interval.js";

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 15) + minutes * 60_000);
const stretch = (from: number, to: number) => ({ start: at(from), end: at(to) });

describe("intervals", () => {
  it("contain their start but not their end", () => {
    expect([0, 59, 60].map((minute) => contains(stretch(0, 60), at(minute)))).toEqual([true, true, false]);
  });

  it("floor to the UTC grid, also before 1970", () => {
    expect(hourOf(at(59))).toEqual(at(0));
    expect(floorTo(-1, HOUR_MS)).toBe(-HOUR_MS);
    expect(floorTo(at(44).getTime(), QUARTER_MS)).toBe(at(30).getTime());
  });

  it("have a length in hours, and whole minutes until a moment", () => {
    expect(hoursOf(stretch(0, 45))).toBe(0.75);
    expect(minutesUntil(new Date(at(7).getTime() + 1), at(0))).toBe(8);
    expect(minutesUntil(at(-3), at(0))).toBe(-3);
  });
});
