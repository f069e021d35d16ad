import { describe, expect, it } from "vitest";
import { improvementOf } from "../../src/app/notifications.js";
import type { WhatIfResult } from "../../src/money/compare/what-if-answers.js";

const YEAR: WhatIfResult = {
  id: "1",
  period: "year",
  change: { tariff: "awattar_hourly" },
  from: "2025-06-01",
  to: "2026-05-31",
  basis: "measured",
  cost: "computed",
  costEur: 900,
  changedEur: 850,
  savedEur: 50,
};

describe("what an answer about the past suggests", () => {
  it("is a supplier that would have cost less in a year, not in the weeks that are known", () => {
    expect(improvementOf(YEAR)).toMatchObject([{ kind: "tariff", worthEur: 50 }]);
    expect(improvementOf({ ...YEAR, from: "2026-05-10" })).toEqual([]);
  });
});
