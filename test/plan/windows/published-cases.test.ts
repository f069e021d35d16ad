import { expect, test } from "vitest";
import { rankWindows } from "../../../src/plan/windows/rank-windows.js";
import type { WindowsRequest } from "../../../src/plan/windows/windows-request.js";

// Results that other planners publish in their own tests, converted by hand.

const HOUR_MINUTES = 60;

/** The chosen slots, by index. */
function chosen(prices: readonly number[], request: Omit<WindowsRequest, "slots">, minutes = HOUR_MINUTES) {
  const at = (index: number) => new Date(index * minutes * 60_000);
  const slots = prices.map((ctKwh, index) => ({ start: at(index), end: at(index + 1), ctKwh }));
  return rankWindows({ slots, ...request }).slots.map(({ start }) => start.getTime() / (minutes * 60_000));
}

const sum = (prices: readonly number[], slots: readonly number[]) =>
  slots.reduce((total, slot) => total + prices[slot]!, 0);

test("evcc, core/planner: cheapest slots, at most three windows, one window", () => {
  const six = [20, 60, 10, 80, 40, 90];
  expect(chosen(six, { demandHours: 1 })).toEqual([2]);
  expect(chosen(six, { demandHours: 2 })).toEqual([0, 2]);
  const quarters = six.flatMap((price) => [price, price, price, price]);
  expect(sum(quarters, chosen(quarters, { demandHours: 1.5 }, 15)) / 4).toBe(20);
  // Four hours in three windows: one has two hours.
  const three = { segments: [1, 1, 2], consecutive: "required" } as const;
  for (const [prices, cost] of [
    [[10, 50, 10, 50, 10, 50, 10, 15, 50], 45],
    [[10, 80, 10, 80, 10, 80, 10, 80, 10, 81], 110],
  ] as const)
    expect(sum(prices, chosen(prices, three))).toBe(cost);
  const one = { demandHours: 2, consecutive: "required" } as const;
  expect(chosen([9, 20, 10, 11, 11, 25], one)).toEqual([2, 3]);
  expect(chosen([20, 9, 10, 15, 11, 25], one)).toEqual([1, 2]);
  expect(chosen([10, 15], { ...one, demandHours: 3 })).toEqual([0, 1]);
});

test("node-red-contrib-power-saver, lowest price from 10 to 20 o'clock on 12 October 2021", () => {
  const prices = [53.46, 52.24, 50.71, 50.45, 50.24, 50.38, 51.18, 51.11, 51.08, 50.55];
  expect(chosen(prices, { demandHours: 4, consecutive: "required" })).toEqual([2, 3, 4, 5]);
  expect(chosen(prices, { demandHours: 6 })).toEqual([2, 3, 4, 5, 8, 9]);
  expect(chosen(prices, { demandHours: 1 })).toEqual([4]);
  expect(chosen(prices, { demandHours: 24, consecutive: "required" })).toHaveLength(10);
});

test("ev_smart_charging: the night of 30 September 2022, from 23 to 4 o'clock", () => {
  const prices = [49.64, 68.63, 67.75, 54.58, 24.2];
  expect(chosen(prices, { demandHours: 4 })).toEqual([0, 2, 3, 4]);
  expect(chosen(prices, { demandHours: 4, consecutive: "required" })).toEqual([1, 2, 3, 4]);
  expect(chosen(prices, { demandHours: 6 })).toEqual([0, 1, 2, 3, 4]);
});

test("openhab-spot-price-optimizer: 1.1 hours in one run are five quarter-hours", () => {
  const prices = [
    4.0083, 4.1669, 4.4206, 4.7265, 4.9584, 4.596, 4.904, 4.6755, 5.0188, 5.098, 5.1017, 4.6975, 4.4507,
    4.3442, 5.0555, 4.3631, 4.2946, 4.9737,
  ];
  expect(chosen(prices, { demandHours: 1.1, consecutive: "required" }, 15)).toEqual([0, 1, 2, 3, 4]);
});
