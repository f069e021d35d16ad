import { expect, it } from "vitest";
import type { MeterQuantity } from "../../src/core/domain/meter.js";
import { type MeteredSource, meteredQuarters } from "../../src/telemetry/metered-energy.js";

const START = new Date("2026-07-01T10:00:00Z");
const END = new Date("2026-07-01T10:15:00Z");

it("finds no share below zero where the residual draw of a file exceeds its draw", async () => {
  const kwh: Partial<Record<MeterQuantity, number>> = { import: 1, residual: 1.2 };
  const source: MeteredSource = {
    quantities: () => ["import", "residual"],
    spans: () => [],
    energy: async (_, quantity) => [
      { start: START, end: END, kwh: kwh[quantity]!, isEstimated: false, communities: ["RC100001"] },
    ],
  };
  const community: MeteredSource = {
    ...source,
    spans: (_, quantity) =>
      quantity === "community" ? [{ communities: ["RC100001"], firstMs: 0, lastMs: 0 }] : [],
  };
  const [quarter] = await meteredQuarters(community, "home", { start: START, end: END });
  expect(quarter).toMatchObject({ importKwh: 1, communityKwh: 0 });
});
