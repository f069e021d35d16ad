import { describe, expect, it } from "vitest";
import { rankWindows } from "../../../src/plan/windows/rank-windows.js";
import type { WindowsRequest } from "../../../src/plan/windows/windows-request.js";
import { draw, drawn, MIDNIGHT, slotsOf } from "./windows-support.js";

const at = (hour: number) => new Date(MIDNIGHT.getTime() + hour * 3_600_000);

/** One hour each: `#` chosen, `.` not chosen, `_` a gap in the prices. */
const drawings: [prices: string, picture: string, requested: Omit<WindowsRequest, "slots">, why: string][] = [
  ["5 1 4 1 3", ".#.#.", { demandHours: 2 }, "any two"],
  ["2 2 2 2 2", "##...", { demandHours: 2 }, "ties to the earlier"],
  ["3 1 3 1 3", "##.#.", { demandHours: 3 }, "a tie for the last one"],
  ["5 1 4 1 3", "#.#..", { demandHours: 2, mode: "expensive" }, "the most expensive"],
  ["2 2 2 2 2", "##...", { demandHours: 2, mode: "expensive" }, "most expensive, ties to the earlier"],
  ["0.30000000000000004 0.3", "#.", { demandHours: 1 }, "rounding noise is not a price difference"],
  ["5 -1 4 -3 3", ".#.#.", { demandHours: 2 }, "negative prices"],
  ["5 1 4 1 3", ".#.##", { demandHours: 2.01 }, "a partial slot is rounded up"],
  ["5 1 4 1 3", "#####", {}, "no demand: all are ranked"],
  ["5 1 4 1 3", ".....", { demandHours: 0 }, "a demand of 0"],
  ["5 1 _ 1 3", "##_##", { demandHours: 9 }, "more than available"],

  ["5 1 4 1 1", "...##", { demandHours: 2, consecutive: "required" }, "one run"],
  [
    "1 9 9 1 2 1 9",
    "...###.",
    { demandHours: 3, consecutive: "required" },
    "one run, not the best single slots",
  ],
  ["2 2 2 2 2", "##...", { demandHours: 2, consecutive: "required" }, "the earliest of equal runs"],
  ["1 1 9 9 1 1 1", "##..###", { segments: [3, 2], consecutive: "required" }, "segments in reverse order"],
  ["9 1 1 1 1 1 9", ".#####.", { segments: [2, 3], consecutive: "required" }, "two segments may adjoin"],
  ["9 8 1 7 9", "##.##", { segments: [2, 2], consecutive: "required", mode: "expensive" }, "expensive runs"],
  ["1 1 _ 1 1 9 9", "##_##..", { segments: [2, 2], consecutive: "required" }, "a run on each side of a gap"],
  ["1 1 _ 1 5 9", ".._###", { demandHours: 3, consecutive: "required" }, "a gap ends a run"],
  ["5 4 5 4", "####", { segments: [3, 2], consecutive: "required" }, "3 and 2 in 4 hours: one is shortened"],
  [
    "9 1 2 _ 3 1 9",
    ".##_##.",
    { segments: [2, 2], consecutive: "required" },
    "nothing is shortened if all fit",
  ],
  ["5 5 5 5", "####", { segments: [9, 9], consecutive: "required" }, "not more than available"],
  [
    "3 1 1 _ 9 2 _ 1",
    "###_.#_#",
    { segments: [3, 1, 1], consecutive: "required" },
    "the full lengths at the least cost",
  ],
  [
    "1 1 1 _ 9 9 9 9",
    "..._####",
    { demandHours: 5, consecutive: "required" },
    "more hours have priority over cheaper ones",
  ],
  [
    "4 5 _ 3 4 5 _ 1",
    "##_###_.",
    { segments: [9, 4], consecutive: "required" },
    "two shortened, the third stretch unused",
  ],
  [
    "2 1 1 2 _ 1",
    "####_#",
    { segments: [2, 1, 1, 9], consecutive: "required" },
    "adjoining pieces of several segments",
  ],

  [
    "1 5 1 5 1",
    "#.#.#",
    { demandHours: 3, consecutive: "soft", breakPenaltyCtKwh: 1 },
    "breaks cheaper than 5 ct",
  ],
  [
    "1 5 1 5 1",
    "###..",
    { demandHours: 3, consecutive: "soft", breakPenaltyCtKwh: 4 },
    "a break as expensive as 4 ct",
  ],
  [
    "1 5 1 5 1",
    "#.#.#",
    { segments: [1, 1, 1], consecutive: "soft", breakPenaltyCtKwh: 99 },
    "three runs are free",
  ],
  [
    "1 1 _ 1 5 9",
    "##_#..",
    { demandHours: 3, consecutive: "soft", breakPenaltyCtKwh: 1 },
    "a gap is a break",
  ],
  [
    "1 1 _ 1 3 3",
    "##_...",
    { demandHours: 2, consecutive: "soft", breakPenaltyCtKwh: 99 },
    "no break at any price",
  ],
  [
    "9 8 1 7 9",
    "##..#",
    { demandHours: 3, consecutive: "soft", mode: "expensive" },
    "expensive runs with breaks of 1 ct",
  ],

  ["9 9 _ 1 1 9", "##_#..", { demandHours: 3, allocation: "earliest" }, "from the start at any price"],
  ["9 1 _ 1 1 9", ".._###", { demandHours: 3, allocation: "latest" }, "from the end"],
  [
    "9 9 9 _ 1 1 9",
    "###_#..",
    { demandHours: 4, allocation: "earliest", consecutive: "soft" },
    "breaks do not count there",
  ],
  [
    "9 _ 9 9 1 1",
    "._##..",
    { demandHours: 2, allocation: "earliest", consecutive: "required" },
    "the first run that fits",
  ],
  [
    "1 1 9 9 _ 9",
    "..##_.",
    { demandHours: 2, allocation: "latest", consecutive: "required" },
    "the last run that fits",
  ],
];

describe("rankWindows, drawn", () => {
  for (const [prices, picture, requested, why] of drawings) {
    it(`${prices}  ->  ${picture}  ${why}`, () => {
      const slots = drawn(prices);
      expect(draw(slots, rankWindows({ slots, ...requested }).slots)).toBe(picture);
    });
  }
});

describe("rankWindows result", () => {
  it("lists slots in order of time, windows by rank, segments in the order of the request", () => {
    const slots = drawn("4 2 9 9 1 3 2").map((slot) => ({ ...slot, source: "day_ahead" as const }));
    const result = rankWindows({ slots, segments: [2, 3], consecutive: "required" });
    expect(result).toEqual({
      slots: [
        { start: at(0), end: at(1), ctKwh: 4, rank: 5, source: "day_ahead" },
        { start: at(1), end: at(2), ctKwh: 2, rank: 2, source: "day_ahead" },
        { start: at(4), end: at(5), ctKwh: 1, rank: 1, source: "day_ahead" },
        { start: at(5), end: at(6), ctKwh: 3, rank: 4, source: "day_ahead" },
        { start: at(6), end: at(7), ctKwh: 2, rank: 3, source: "day_ahead" },
      ],
      windows: [
        { start: at(4), end: at(7), averageCtKwh: 2, rank: 1 },
        { start: at(0), end: at(2), averageCtKwh: 3, rank: 2 },
      ],
      segments: [
        { start: at(0), end: at(2), hours: 2 },
        { start: at(4), end: at(7), hours: 3 },
      ],
      demandHours: 5,
      unmetHours: 0,
      feasible: true,
      averageCtKwh: 2.4,
    });
    expect("source" in rankWindows({ slots: drawn("1") }).slots[0]!).toBe(false);
  });

  it("ranks the most expensive first with mode expensive, equal windows by time", () => {
    const result = rankWindows({ slots: drawn("5 1 7 1 5"), demandHours: 3, mode: "expensive" });
    expect(result.slots.map(({ rank }) => rank)).toEqual([2, 1, 3]);
    expect(result.windows.map(({ start, rank }) => [start, rank])).toEqual([
      [at(2), 1],
      [at(0), 2],
      [at(4), 3],
    ]);
  });

  it("merges two adjoining segments into one window, with separate segments in the order of the request", () => {
    const { windows, segments } = rankWindows({
      slots: drawn("9 1 1 1 1 1 9"),
      segments: [3, 2],
      consecutive: "required",
    });
    expect(windows).toEqual([{ start: at(1), end: at(6), averageCtKwh: 1, rank: 1 }]);
    expect(segments).toEqual([
      { start: at(1), end: at(4), hours: 3 },
      { start: at(4), end: at(6), hours: 2 },
    ]);
  });

  it("places adjoining segments in the order of the request", () => {
    const { segments } = rankWindows({
      slots: drawn("1 1 1 1"),
      segments: [1, 2, 1],
      consecutive: "required",
    });
    expect(segments.map(({ start }) => start)).toEqual([at(0), at(1), at(3)]);
  });

  it("reports unmet hours: demand beyond the slots, segments that do not fit, no slots", () => {
    const unmet = (prices: string, requested: Omit<WindowsRequest, "slots">) => {
      const { demandHours, unmetHours, feasible } = rankWindows({ slots: drawn(prices), ...requested });
      return [demandHours, unmetHours, feasible];
    };
    expect(unmet("5 5 5", { demandHours: 4.5 })).toEqual([5, 2, false]);
    expect(unmet("5 5 5", { demandHours: 3 })).toEqual([3, 0, true]);
    expect(unmet("5 5 5 5", { segments: [3, 2], consecutive: "required" })).toEqual([5, 1, false]);
    expect(unmet("5 5 5", { demandHours: 5, consecutive: "required" })).toEqual([5, 2, false]);
    expect(unmet("5 5 5", { demandHours: 0 })).toEqual([0, 0, true]);
    expect(rankWindows({ slots: [], demandHours: 2 })).toEqual({
      slots: [],
      windows: [],
      segments: [],
      demandHours: 2,
      unmetHours: 2,
      feasible: false,
      averageCtKwh: 0,
    });
  });

  it("shortens the later segment and keeps the first as long as possible", () => {
    const placed = (segments: number[]) =>
      rankWindows({ slots: drawn("5 5 5 5"), segments, consecutive: "required" }).segments.map(
        ({ hours }) => hours,
      );
    expect(placed([3, 2])).toEqual([3, 1]);
    expect(placed([2, 3])).toEqual([2, 2]);
    expect(placed([6, 2])).toEqual([4]);
  });

  it("rounds up the sum of the segments once, but each required run separately", () => {
    const slots = slotsOf(Array(40).fill(1), { minutes: 15 });
    const segments = [2.1, 1.1];
    expect(rankWindows({ slots, segments }).demandHours).toBe(3.25);
    expect(rankWindows({ slots, segments, consecutive: "soft" }).demandHours).toBe(3.25);
    const required = rankWindows({ slots, segments, consecutive: "required" });
    expect(required.demandHours).toBe(3.5);
    expect(required.segments.map(({ hours }) => hours)).toEqual([2.25, 1.25]);
    // 1.1 + 2.2 is 3.3000000000000003; 0.3 / 0.1 is 2.9999999999999996: neither needs an additional slot.
    const sixMinutes = slotsOf(Array(40).fill(1), { minutes: 6 });
    expect(rankWindows({ slots: sixMinutes, segments: [1.1, 2.2] }).slots).toHaveLength(33);
    expect(rankWindows({ slots: sixMinutes, demandHours: 0.3 }).slots).toHaveLength(3);
  });

  it("compares totals without floating-point noise: 0.1 + 0.2 ties with 0.3 + 0", () => {
    const slots = drawn("0.1 0.2 9 0.3 0");
    const { segments } = rankWindows({ slots, demandHours: 2, consecutive: "required" });
    expect(segments[0]!.start).toEqual(at(0));
  });

  it("handles extreme prices", () => {
    const slots = slotsOf([1e300, -1e300, 3e299, 1e300]);
    expect(rankWindows({ slots, demandHours: 2, consecutive: "soft" }).slots[0]!.start).toEqual(at(1));
    const breaks = rankWindows({
      slots: drawn("1 5 1"),
      demandHours: 2,
      consecutive: "soft",
      breakPenaltyCtKwh: 1e300,
    });
    expect(draw(drawn("1 5 1"), breaks.slots)).toBe("##.");
  });

  it("starts a run at any quarter-hour within an hour", () => {
    // Hours of 8, 1 and 9 ct, a demand of 1.25 hours: the last quarter of the first hour is cheaper than the first of the third.
    const quarters = [8, 1, 9].flatMap((price) => Array<number>(4).fill(price));
    const { segments } = rankWindows({
      slots: slotsOf(quarters, { minutes: 15 }),
      demandHours: 1.25,
      consecutive: "required",
    });
    expect(segments).toEqual([{ start: at(0.75), end: at(2), hours: 1.25 }]);
  });
});

describe("rankWindows rejects and names the field", () => {
  const slots = drawn("1 2 3");
  const refused: [field: RegExp, request: WindowsRequest][] = [
    [/^slots\[2\]\.start .* ascend/, { slots: [slots[0]!, slots[2]!, slots[1]!] }],
    [/^slots\[1\]\.start .* ascend/, { slots: [slots[0]!, slots[0]!] }],
    [/^slots\[1\] .* same length/, { slots: [slots[0]!, { ...slots[1]!, end: at(1.5) }] }],
    [/^slots\[0\]\.end/, { slots: [{ start: at(1), end: at(1), ctKwh: 1 }] }],
    [/^slots\[0\]\.start/, { slots: [{ start: new Date(Number.NaN), end: at(1), ctKwh: 1 }] }],
    [/^slots\[0\]\.start/, { slots: [{ start: "2026-01-15", end: "2026-01-16", ctKwh: 1 }] as never }],
    [/^slots\[0\]\.end/, { slots: [{ start: at(0), end: null, ctKwh: 1 }] as never }],
    [/^slots\[0\] must/, { slots: [null] as never }],
    [/^slots must/, { slots: "cheap" as never }],
    [/^slots must/, {} as WindowsRequest],
    [/^segments must/, { slots, segments: "2,5" as never }],
    [/^segments must/, { slots, segments: null as never }],
    [/^The request/, undefined as never],
    [/^slots\[1\]\.ctKwh/, { slots: [slots[0]!, { ...slots[1]!, ctKwh: Number.NaN }] }],
    [/^demandHours/, { slots, demandHours: -1 }],
    [/^demandHours/, { slots, demandHours: Number.POSITIVE_INFINITY }],
    [/^segments\[1\]/, { slots, segments: [1, Number.NaN] }],
    [/^breakPenaltyCtKwh/, { slots, breakPenaltyCtKwh: -1 }],
    [/^timezone/, { slots, timezone: "Vienna" }],
    [/^mode/, { slots, mode: "best" as "cheapest" }],
    [/^consecutive/, { slots, consecutive: "hard" as "off" }],
    [/^allocation/, { slots, allocation: "first" as "even" }],
  ];
  for (const [field, request] of refused)
    it(`${field}`, () => {
      expect(() => rankWindows(request)).toThrow(RangeError);
      expect(() => rankWindows(request)).toThrow(field);
    });

  it("too many different segments, but not many equal ones", () => {
    const week = slotsOf(Array(672).fill(1), { minutes: 15 });
    const lengths = Array.from({ length: 20 }, (_, index) => (index + 1) / 4);
    expect(() => rankWindows({ slots: week, segments: lengths, consecutive: "required" })).toThrow(
      /^segments/,
    );
    const equal = rankWindows({ slots: week, segments: Array(60).fill(1), consecutive: "required" });
    expect(equal.feasible).toBe(true);
  });

  it("too many different segments to shorten around gaps", () => {
    const days = slotsOf(
      Array.from({ length: 672 }, (_, index) => (index % 96 < 92 ? index % 7 : null)),
      { minutes: 15 },
    );
    const lengths = (count: number) => Array.from({ length: count }, (_, index) => 15 + index / 4);
    const request = (count: number) =>
      rankWindows({ slots: days, segments: lengths(count), consecutive: "required" });
    expect(() => request(12)).toThrow(/^segments: they do not all fit/);
    // Seven days of 23 hours each contain one of these and a piece of another.
    expect(request(10).segments.every(({ hours }) => hours > 0)).toBe(true);
    expect(request(10).feasible).toBe(false);
  });

  it("does not reject segments that fill the only stretch: they are placed in the order of the request", () => {
    const { slots, segments } = rankWindows({
      slots: slotsOf(Array(672).fill(1), { minutes: 15 }),
      segments: Array.from({ length: 20 }, (_, index) => 20 - index / 4),
      consecutive: "required",
    });
    expect(slots).toHaveLength(672);
    expect(segments.slice(0, 2)).toEqual([
      { start: at(0), end: at(20), hours: 20 },
      { start: at(20), end: at(39.75), hours: 19.75 },
    ]);
    expect(segments.at(-1)).toMatchObject({ end: at(168) });
  });
});
