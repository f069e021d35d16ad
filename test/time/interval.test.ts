import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contains, floorTo, HOUR_MS, hourOf, mergeIntervals, QUARTER_MS } from "../../src/time/interval.js";

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 15) + minutes * 60_000);
const stretch = (from: number, to: number) => ({ start: at(from), end: at(to) });

describe("intervals", () => {
  it("hold their start and not their end", () => {
    expect([0, 59, 60].map((minute) => contains(stretch(0, 60), at(minute)))).toEqual([true, true, false]);
  });

  it("floor to the UTC grid, also before 1970", () => {
    expect(hourOf(at(59))).toEqual(at(0));
    expect(floorTo(-1, HOUR_MS)).toBe(-HOUR_MS);
    expect(floorTo(at(44).getTime(), QUARTER_MS)).toBe(at(30).getTime());
  });

  it("are merged where they adjoin or overlap, and the given ones stay as they are", () => {
    const given = [stretch(60, 120), stretch(0, 60), stretch(180, 240), stretch(200, 210)];
    expect(mergeIntervals(given)).toEqual([stretch(0, 120), stretch(180, 240)]);
    expect(given[1]).toEqual(stretch(0, 60));
  });

  it("merged, cover the same minutes and leave gaps between them", () => {
    const minutes = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(fc.array(fc.tuple(minutes, fc.integer({ min: 1, max: 9 }))), (pairs) => {
        const given = pairs.map(([from, length]) => stretch(from, from + length));
        const merged = mergeIntervals(given);
        for (let minute = 0; minute < 70; minute++) {
          const covered = (list: typeof given) => list.some((one) => contains(one, at(minute)));
          expect(covered(merged)).toBe(covered(given));
        }
        merged.slice(1).forEach((one, index) => {
          expect(one.start > merged[index]!.end).toBe(true);
        });
      }),
    );
  });
});
