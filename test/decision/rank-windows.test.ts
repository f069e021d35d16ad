import { describe, expect, it } from "vitest";
import { rankWindows } from "../../src/decision/rank-windows.js";
import type { WindowsRequest } from "../../src/decision/windows-request.js";
import { draw, drawn, MIDNIGHT, slotsOf } from "./windows-support.js";

const at = (hour: number) => new Date(MIDNIGHT.getTime() + hour * 3_600_000);

/** One hour each: `#` chosen, `.` not, `_` a hole in the prices. */
const drawings: [prices: string, picture: string, asked: Omit<WindowsRequest, "slots">, why: string][] = [
  ["5 1 4 1 3", ".#.#.", { demandHours: 2 }, "any two"],
  ["2 2 2 2 2", "##...", { demandHours: 2 }, "ties to the earlier"],
  ["3 1 3 1 3", "##.#.", { demandHours: 3 }, "the tie for the last one, too"],
  ["5 1 4 1 3", "#.#..", { demandHours: 2, mode: "expensive" }, "the dearest"],
  ["2 2 2 2 2", "##...", { demandHours: 2, mode: "expensive" }, "dearest ties to the earlier"],
  ["0.30000000000000004 0.3", "#.", { demandHours: 1 }, "rounding noise is no difference in price"],
  ["5 -1 4 -3 3", ".#.#.", { demandHours: 2 }, "negative prices"],
  ["5 1 4 1 3", ".#.##", { demandHours: 2.01 }, "a begun slot is a whole slot"],
  ["5 1 4 1 3", "#####", {}, "no demand: all are ranked"],
  ["5 1 4 1 3", ".....", { demandHours: 0 }, "a demand of nothing"],
  ["5 1 _ 1 3", "##_##", { demandHours: 9 }, "more than there is"],

  ["5 1 4 1 1", "...##", { demandHours: 2, consecutive: "required" }, "one run"],
  [
    "1 9 9 1 2 1 9",
    "...###.",
    { demandHours: 3, consecutive: "required" },
    "one run, not the best single slots",
  ],
  ["2 2 2 2 2", "##...", { demandHours: 2, consecutive: "required" }, "the earliest of equal runs"],
  ["1 1 9 9 1 1 1", "##..###", { segments: [3, 2], consecutive: "required" }, "segments in the other order"],
  ["9 1 1 1 1 1 9", ".#####.", { segments: [2, 3], consecutive: "required" }, "two segments may adjoin"],
  ["9 8 1 7 9", "##.##", { segments: [2, 2], consecutive: "required", mode: "expensive" }, "dear runs"],
  ["1 1 _ 1 1 9 9", "##_##..", { segments: [2, 2], consecutive: "required" }, "a run each side of a hole"],
  ["1 1 _ 1 5 9", ".._###", { demandHours: 3, consecutive: "required" }, "a hole is not free, it ends a run"],
  ["5 4 5 4", "####", { segments: [3, 2], consecutive: "required" }, "3 and 2 in 4 hours: one is cut short"],
  [
    "9 1 2 _ 3 1 9",
    ".##_##.",
    { segments: [2, 2], consecutive: "required" },
    "nothing is cut where all fit whole",
  ],
  ["5 5 5 5", "####", { segments: [9, 9], consecutive: "required" }, "no more than there is"],
  [
    "3 1 1 _ 9 2 _ 1",
    "###_.#_#",
    { segments: [3, 1, 1], consecutive: "required" },
    "the whole ones at the least cost",
  ],
  [
    "1 1 1 _ 9 9 9 9",
    "..._####",
    { demandHours: 5, consecutive: "required" },
    "more hours come before cheaper ones",
  ],
  [
    "4 5 _ 3 4 5 _ 1",
    "##_###_.",
    { segments: [9, 4], consecutive: "required" },
    "two cut short, the third stretch is left",
  ],
  [
    "2 1 1 2 _ 1",
    "####_#",
    { segments: [2, 1, 1, 9], consecutive: "required" },
    "pieces of several segments side by side",
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
    "a break as dear as 4 ct",
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
    "a hole is a break",
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
    "dear runs with breaks of 1 ct",
  ],

  ["9 9 _ 1 1 9", "##_#..", { demandHours: 3, allocation: "earliest" }, "from the front, whatever it costs"],
  ["9 1 _ 1 1 9", ".._###", { demandHours: 3, allocation: "latest" }, "from the back"],
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
  for (const [prices, picture, asked, why] of drawings) {
    it(`${prices}  ->  ${picture}  ${why}`, () => {
      const slots = drawn(prices);
      expect(draw(slots, rankWindows({ slots, ...asked }).slots)).toBe(picture);
    });
  }
});

describe("rankWindows, the result", () => {
  it("lists slots in order of time, windows from the best on, segments as they were asked for", () => {
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

  it("ranks the dearest first when asked for the dearest, equal windows by time", () => {
    const result = rankWindows({ slots: drawn("5 1 7 1 5"), demandHours: 3, mode: "expensive" });
    expect(result.slots.map(({ rank }) => rank)).toEqual([2, 1, 3]);
    expect(result.windows.map(({ start, rank }) => [start, rank])).toEqual([
      [at(2), 1],
      [at(0), 2],
      [at(4), 3],
    ]);
  });

  it("merges two adjoining segments into one window and still tells them apart, the first listed first", () => {
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

  it("places segments that adjoin in the order in which they were listed", () => {
    const { segments } = rankWindows({
      slots: drawn("1 1 1 1"),
      segments: [1, 2, 1],
      consecutive: "required",
    });
    expect(segments.map(({ start }) => start)).toEqual([at(0), at(1), at(3)]);
  });

  it("tells what is unmet: demand beyond the slots, segments that do not fit, no slot at all", () => {
    const unmet = (prices: string, asked: Omit<WindowsRequest, "slots">) => {
      const { demandHours, unmetHours, feasible } = rankWindows({ slots: drawn(prices), ...asked });
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

  it("cuts the later segment short, as the first is laid as long as it can be", () => {
    const placed = (segments: number[]) =>
      rankWindows({ slots: drawn("5 5 5 5"), segments, consecutive: "required" }).segments.map(
        ({ hours }) => hours,
      );
    expect(placed([3, 2])).toEqual([3, 1]);
    expect(placed([2, 3])).toEqual([2, 2]);
    expect(placed([6, 2])).toEqual([4]);
  });

  it("rounds the sum of the segments up once, but each required run for itself", () => {
    const slots = slotsOf(Array(40).fill(1), { minutes: 15 });
    const segments = [2.1, 1.1];
    expect(rankWindows({ slots, segments }).demandHours).toBe(3.25);
    expect(rankWindows({ slots, segments, consecutive: "soft" }).demandHours).toBe(3.25);
    const required = rankWindows({ slots, segments, consecutive: "required" });
    expect(required.demandHours).toBe(3.5);
    expect(required.segments.map(({ hours }) => hours)).toEqual([2.25, 1.25]);
    // 1.1 + 2.2 is 3.3000000000000003; 0.3 / 0.1 is 2.9999999999999996: neither is a slot more than meant.
    const sixMinutes = slotsOf(Array(40).fill(1), { minutes: 6 });
    expect(rankWindows({ slots: sixMinutes, segments: [1.1, 2.2] }).slots).toHaveLength(33);
    expect(rankWindows({ slots: sixMinutes, demandHours: 0.3 }).slots).toHaveLength(3);
  });

  it("compares totals without the noise of floating sums: 0.1 + 0.2 ties with 0.3 + 0", () => {
    const slots = drawn("0.1 0.2 9 0.3 0");
    const { segments } = rankWindows({ slots, demandHours: 2, consecutive: "required" });
    expect(segments[0]!.start).toEqual(at(0));
  });

  it("holds up with prices beyond all reason", () => {
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

  it("starts a run inside an hour of one price, on any quarter-hour", () => {
    // Hours of 8, 1 and 9 ct, 1.25 hours wanted: the last quarter of the first hour beats the first of the third.
    const quarters = [8, 1, 9].flatMap((price) => Array<number>(4).fill(price));
    const { segments } = rankWindows({
      slots: slotsOf(quarters, { minutes: 15 }),
      demandHours: 1.25,
      consecutive: "required",
    });
    expect(segments).toEqual([{ start: at(0.75), end: at(2), hours: 1.25 }]);
  });
});

describe("rankWindows refuses, naming the field", () => {
  const slots = drawn("1 2 3");
  const refused: [field: RegExp, request: WindowsRequest][] = [
    [/^slots\[2\]\.start .* ascend/, { slots: [slots[0]!, slots[2]!, slots[1]!] }],
    [/^slots\[1\]\.start .* ascend/, { slots: [slots[0]!, slots[0]!] }],
    [/^slots\[1\] .* equal length/, { slots: [slots[0]!, { ...slots[1]!, end: at(1.5) }] }],
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

  it("more different segments than can be placed exactly, but not many equal ones", () => {
    const week = slotsOf(Array(672).fill(1), { minutes: 15 });
    const lengths = Array.from({ length: 20 }, (_, index) => (index + 1) / 4);
    expect(() => rankWindows({ slots: week, segments: lengths, consecutive: "required" })).toThrow(
      /^segments/,
    );
    const equal = rankWindows({ slots: week, segments: Array(60).fill(1), consecutive: "required" });
    expect(equal.feasible).toBe(true);
  });

  it("more different segments than can be cut short exactly, where gaps leave a choice", () => {
    const days = slotsOf(
      Array.from({ length: 672 }, (_, index) => (index % 96 < 92 ? index % 7 : null)),
      { minutes: 15 },
    );
    const lengths = (count: number) => Array.from({ length: count }, (_, index) => 15 + index / 4);
    const ask = (count: number) =>
      rankWindows({ slots: days, segments: lengths(count), consecutive: "required" });
    expect(() => ask(12)).toThrow(/^segments: they do not all fit/);
    // Seven days of 23 hours each hold one of these; what is left of a day takes a piece of another.
    expect(ask(10).segments.every(({ hours }) => hours > 0)).toBe(true);
    expect(ask(10).feasible).toBe(false);
  });

  it("not where there is nothing to choose: one stretch that they fill is taken in the order of the list", () => {
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
