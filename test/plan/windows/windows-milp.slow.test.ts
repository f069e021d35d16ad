import highsLoader from "highs";
import { describe, expect, it } from "vitest";
import { rankWindows } from "../../../src/plan/windows/rank-windows.js";
import { HOURLY_PRICES, recordedText } from "../../support/recorded-data.js";
import { slotsOf } from "./windows-support.js";

/**
 * The same optimum as an integer programme, solved by HiGHS, over recorded Austrian prices: sizes that enumeration
 * cannot reach. Totals are compared, in ct for 1 kW.
 */
// The package's types describe its CommonJS build, where the loader is one level deeper than in the ESM build.
const loadHighs = highsLoader as unknown as typeof highsLoader.default;
const highs = await loadHighs();
const recorded = recordedText(HOURLY_PRICES)
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => Number(line.split(",")[1]) / 10);

/** Case `index`: hours of another part of the record; every third case has a gap. */
function recordedHours(index: number, count: number): (number | null)[] {
  const from = (index * 1009) % (recorded.length - count);
  const prices: (number | null)[] = recorded.slice(from, from + count);
  if (index % 3 === 0) prices.fill(null, 20, 23);
  return prices;
}

const sum = (terms: readonly string[]) => terms.join(" + ").replaceAll("+ -", "- ");

function solve(objective: string[], constraints: string[], binary: string[]): number {
  const model = [
    "Minimize",
    ` obj: ${sum(objective)}`,
    "Subject To",
    ...constraints.map((constraint, index) => ` c${index}: ${constraint}`),
    "Binary",
    ` ${binary.join(" ")}`,
    "End",
  ].join("\n");
  const solution = highs.solve(model, { mip_rel_gap: 0, mip_abs_gap: 1e-9 });
  expect(solution.Status).toBe("Optimal");
  return solution.ObjectiveValue;
}

describe("rankWindows against HiGHS on recorded prices", () => {
  it("soft: 60 cases of 72 hours", () => {
    for (let index = 0; index < 60; index++) {
      const prices = recordedHours(index, 72);
      const known = prices.flatMap((price, hour) => (price === null ? [] : [hour]));
      const count = 6 + (index % 13);
      const segmentCount = 1 + (index % 4);
      const penalty = 0.2 * (1 + (index % 9));
      // x chosen, s begins a run, e runs beyond the segments.
      const milp = solve(
        [...known.map((hour) => `${prices[hour]} x${hour}`), `${penalty} e`],
        [
          `${sum(known.map((hour) => `x${hour}`))} = ${count}`,
          ...known.map((hour) =>
            prices[hour - 1] == null ? `s${hour} - x${hour} >= 0` : `s${hour} - x${hour} + x${hour - 1} >= 0`,
          ),
          `${sum(known.map((hour) => `s${hour}`))} - e <= ${segmentCount}`,
        ],
        known.map((hour) => `x${hour}`),
      );
      const result = rankWindows({
        slots: slotsOf(prices),
        segments: Array(segmentCount).fill(count / segmentCount),
        consecutive: "soft",
        breakPenaltyCtKwh: penalty,
      });
      expect(result.slots).toHaveLength(count);
      const extra = Math.max(0, result.windows.length - segmentCount);
      expect(result.averageCtKwh * count + extra * penalty).toBeCloseTo(milp, 6);
    }
  });

  it("required: 60 cases of 96 hours, three to five segments of several lengths", () => {
    for (let index = 0; index < 60; index++) {
      const prices = recordedHours(index, 96);
      const segments = Array.from({ length: 3 + (index % 3) }, (_, each) => 1 + ((index + 3 * each) % 7));
      const sign = index % 5 === 0 ? -1 : 1;
      const starts: { name: string; length: number; first: number; cost: number }[] = [];
      for (const length of new Set(segments))
        for (let first = 0; first + length <= prices.length; first++) {
          const run = prices.slice(first, first + length);
          if (run.includes(null)) continue;
          const cost = run.reduce<number>((total, price) => total + (price ?? 0), 0) * sign;
          starts.push({ name: `y${length}_${first}`, length, first, cost });
        }
      const milp = solve(
        starts.map(({ name, cost }) => `${cost.toFixed(6)} ${name}`),
        [
          ...[...new Set(segments)].map((length) => {
            const count = segments.filter((each) => each === length).length;
            return `${sum(starts.filter((start) => start.length === length).map(({ name }) => name))} = ${count}`;
          }),
          ...prices.flatMap((price, hour) => {
            const over = starts.filter(({ first, length }) => first <= hour && hour < first + length);
            return price === null ? [] : [`${sum(over.map(({ name }) => name))} <= 1`];
          }),
        ],
        starts.map(({ name }) => name),
      );
      const result = rankWindows({
        slots: slotsOf(prices),
        segments,
        consecutive: "required",
        mode: sign < 0 ? "expensive" : "cheapest",
      });
      expect(result.segments.map(({ hours }) => hours)).toEqual(segments);
      expect(result.averageCtKwh * result.slots.length * sign).toBeCloseTo(milp, 4);
    }
  });
});
