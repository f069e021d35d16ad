import { expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { EMPTY_PV_LEARNING } from "../../../src/forecast/pv/learning.js";
import { KnownCosts } from "../../../src/money/compare/known-costs.js";
import type { ComparedCase, ComparisonData } from "../../../src/money/compare/site-comparison.js";

const data: ComparisonData = {
  plant: defaultSettings().plants[0]!,
  period: { start: new Date("2026-01-01T00:00:00Z"), end: new Date("2026-02-01T00:00:00Z") },
  stepMinutes: 60,
  load: Float64Array.of(0, 1, 0.5),
  vehicle: new Float64Array(0),
  prices: { startMs: 0, eurPerMwh: Float64Array.of(80, Number.NaN) },
  weather: [],
  pvLearning: EMPTY_PV_LEARNING,
};
const asIs: ComparedCase = { tariff: [], change: {} };
const larger: ComparedCase = { tariff: [], change: { batteryKwh: 15 } };

it("computes a case again only where its past, its settings or its tariff differ", async () => {
  const known = new KnownCosts();
  let count = 0;
  const asked: ComparedCase[][] = [];
  const costs = async (of: ComparisonData, cases: readonly ComparedCase[]) => {
    const all = await known.of(of, cases, async (unknown) => {
      asked.push([...unknown]);
      const none = { meteredEur: null, noBatteryEur: null, uncontrolledEur: null, perfectEur: null };
      return unknown.map(() => ({ ...none, hourgateEur: ++count }));
    });
    return all.map(({ hourgateEur }) => hourgateEur);
  };
  expect(await costs(data, [asIs, larger])).toEqual([1, 2]);
  const dearer: ComparedCase = { tariff: [{ vat_pct: 30 }], change: {} };
  expect(await costs(structuredClone(data), [asIs, dearer, larger])).toEqual([1, 3, 2]);
  expect(asked).toEqual([[asIs, larger], [dearer]]);
  expect(await costs(data, [{ ...asIs, rankedOnly: true }])).toEqual([4]);
  const others: ComparisonData[] = [
    { ...data, plant: { ...data.plant, grid: { ...data.plant.grid, export_limit_kw: 1 } } },
    { ...data, load: Float64Array.of(0, 1, 0.6) },
    { ...data, pv: new Float64Array(0) },
    { ...data, prices: { startMs: 0, eurPerMwh: Float64Array.of(81, Number.NaN) } },
    { ...data, stepMinutes: 15 },
  ];
  for (const [index, other] of others.entries()) expect(await costs(other, [asIs])).toEqual([5 + index]);
  await expect(
    known.of(data, [{ tariff: [{}] }], () => Promise.reject(new Error("stopped"))),
  ).rejects.toThrow();
});
