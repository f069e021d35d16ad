import { describe, expect, it } from "vitest";
import type { PlanProblem } from "../../src/plan/exact/solve.js";
import { explain, type StepReason } from "../../src/plan/explain.js";
import { withPriceAhead } from "../../src/plan/price-ahead.js";
import { reasonText } from "../../src/plan/reason-text.js";
import type { StepPrice } from "../../src/plan/site-input.js";

const VIENNA = { language: "de", zone: "Europe/Vienna" } as const;

const problem = (step: { importPriceCtKwh: number; pvKwh: number }) =>
  ({
    steps: [{ exportPriceCtKwh: 5, loadKwh: 0, importLimitKwh: Infinity, maxDischargeKwh: 5, ...step }],
    rules: { chargeEfficiency: 0.9, dischargeEfficiency: 0.9 },
    band: { minKwh: 0 },
  }) as unknown as PlanProblem;

it("never says that energy is stored because it is worth less than it costs", () => {
  const text = (step: { importPriceCtKwh: number; pvKwh: number }, lastKwhValueCt: number) => {
    const solved = {
      hours: 0.5,
      chargeKwh: 1,
      dischargeKwh: 0,
      valueCtKwh: 0,
      lastKwhValueCt,
      againstBreach: false,
    };
    return reasonText(explain(problem(step), 0, solved, 2).reason, VIENNA);
  };
  const grid = { importPriceCtKwh: 18, pvKwh: 0 };
  expect(text(grid, 25)).toBe("Strom kostet 18,0 ct/kWh und später wahrscheinlich mehr.");
  expect(text(grid, 19.9)).toBe("Strom kostet 18,0 ct/kWh und später wahrscheinlich mehr.");
  const sun = { importPriceCtKwh: 18, pvKwh: 3 };
  expect(text(sun, 25)).toBe("Die Energie (2,00 von 6,00 kW) ist für den späteren Verbrauch.");
  expect(text(sun, -1.6)).toBe("Die Energie (2,00 von 6,00 kW) ist für den späteren Verbrauch.");
});

it("gives reasons that an earlier version recorded without powers", () => {
  const reason = { code: "pv_surplus" as const, figures: { surplusKwh: 3, exportCtKwh: 5 } };
  expect(reasonText(reason, { ...VIENNA, language: "en" })).toBe("The energy is for later consumption.");
});

describe("the price that an owner compares with", () => {
  // 18:00 in Vienna; hourly.
  const START_MS = Date.parse("2026-06-01T16:00:00Z");
  const series = (ct: readonly number[], source: StepPrice["source"] = "day_ahead"): StepPrice[] =>
    ct.map((importCtKwh, hour) => ({
      start: new Date(START_MS + hour * 3_600_000),
      end: new Date(START_MS + (hour + 1) * 3_600_000),
      priceCtKwh: importCtKwh,
      importCtKwh,
      exportCtKwh: 5,
      source,
    }));
  const text = (reason: StepReason, prices: StepPrice[], language: "de" | "en" = "en") =>
    reasonText(withPriceAhead(reason, 0, { prices, needsEnergy: () => true }), {
      zone: "Europe/Vienna",
      language,
    });
  const kept = { code: "kept_for_later", figures: { importCtKwh: 24.04, valueCtKwh: 27 } } as const;

  it("is the dearest of the next 24 hours for energy that is kept, stored or bought", () => {
    const day = [24.04, 31.25, ...Array<number>(22).fill(20), 60];
    expect(text(kept, series(day))).toBe("Electricity costs 24.0 ct/kWh, but 31.3 ct at 19:00.");
    expect(text(kept, series(day), "de")).toBe("Strom kostet 24,0 ct/kWh, um 19:00 aber 31,3 ct.");
    const bought = {
      code: "cheap_import",
      figures: { importCtKwh: 10, storedCtKwh: 11.1, valueCtKwh: 20 },
    } as const;
    expect(text(bought, series(day, "forecast"))).toBe(
      "Electricity costs 10.0 ct/kWh, but about 31.3 ct at 19:00.",
    );
    const sun = {
      code: "pv_surplus",
      figures: { exportCtKwh: 5, valueCtKwh: 20, storedKw: 2, surplusKw: 2.5 },
    } as const;
    expect(text(sun, series(day))).toBe(
      "Feed-in would earn 5.0 ct/kWh, but electricity costs 31.3 ct at 19:00 (2.00 of 2.50 kW).",
    );
  });

  it("is the cheapest one for energy that is used", () => {
    const used = { code: "dear_import", figures: { importCtKwh: 31.25, valueCtKwh: 20 } } as const;
    expect(text(used, series([31.25, 28, 24, 26]))).toBe(
      "Electricity costs 31.3 ct/kWh, but 24.0 ct at 20:00.",
    );
    expect(text(used, series([31.25, 40]), "de")).toBe(
      "Strom kostet 31,3 ct/kWh; die Energie zu behalten, würde weniger ersparen.",
    );
  });

  it("is left out where it does not explain the action", () => {
    expect(text(kept, series([24.04, 24.1, 20]))).toBe("More expensive hours are likely to follow.");
    const stored = { code: "pv_surplus", figures: { exportCtKwh: 5 } } as const;
    expect(text(stored, series([24, 31]))).toBe("The energy is for later consumption.");
  });
});
