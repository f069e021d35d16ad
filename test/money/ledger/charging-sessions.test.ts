import { expect, it } from "vitest";
import { sessionPart } from "../../../src/money/ledger/charging-sessions.js";
import type { QuarterColumns } from "../../../src/money/ledger/stored-day.js";

const start = new Date("2026-11-26T00:00:00Z");
const columns = {
  importKwh: [1, 0.5, 0, 2],
  importCtKwh: [30, 30, 30, 20],
  exportCtKwh: [5, 5, 5, 5],
  slots: { 1: [1, 2, 1, 2] },
} as unknown as QuarterColumns;

it("counts the part from the grid at its price and PV surplus at that of feed-in", () => {
  // 0:15: 0.5 kWh at 30 ct and 1.5 at 5 ct; 0:30: 1 at 5 ct; 0:45: 2 at 20 ct. Plugged in at 0:20.
  const from = new Date("2026-11-26T00:20:00Z");
  expect(sessionPart(columns, 1, { start, from })).toEqual({
    kwh: 5,
    costEur: expect.closeTo((15 + 7.5 + 5 + 40) / 100, 9),
  });
});

it("knows no cost without a price, and nothing of a device that is not measured", () => {
  const unpriced = { ...columns, importCtKwh: [30, null, 30, 20] };
  expect(sessionPart(unpriced, 1, { start, from: start })).toEqual({ kwh: 6, costEur: undefined });
  expect(sessionPart(columns, 2, { start, from: start })).toEqual({ kwh: undefined, costEur: undefined });
});
