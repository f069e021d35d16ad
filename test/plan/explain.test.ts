import { expect, it } from "vitest";
import { explain } from "../../src/plan/explain.js";
import { reasonText } from "../../src/plan/reason-text.js";
import type { PlanProblem } from "../../src/plan/solve.js";

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
    return reasonText(explain(problem(step), 0, solved, 2).reason, "de");
  };
  const grid = { importPriceCtKwh: 18, pvKwh: 0 };
  expect(text(grid, 25)).toBe(
    "Lädt aus dem Netz: Eine gespeicherte kWh kostet 20,00 ct und ist später mindestens 25,00 ct wert.",
  );
  expect(text(grid, 19.9)).toBe(
    "Lädt aus dem Netz: Der Bezug kostet jetzt 18,00 ct/kWh und später wahrscheinlich mehr.",
  );
  const sun = { importPriceCtKwh: 18, pvKwh: 3 };
  expect(text(sun, 25)).toBe(
    "Speichert PV-Überschuss (2,00 von 6,00 kW): Eine gespeicherte kWh ist später 25,00 ct wert, die Einspeisung brächte 5,00 ct.",
  );
  expect(text(sun, -1.6)).toBe("Speichert PV-Überschuss (2,00 von 6,00 kW) für den späteren Verbrauch.");
});

it("gives reasons that an earlier version recorded without powers", () => {
  const reason = { code: "pv_surplus" as const, figures: { surplusKwh: 3, exportCtKwh: 5 } };
  expect(reasonText(reason, "en")).toBe("Stores PV surplus for later consumption.");
});
