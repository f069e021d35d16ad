import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectedTerminalValue } from "../../src/plan/terminal-value.js";

const rules = {
  chargeEfficiency: 0.95,
  dischargeEfficiency: 0.95,
  wearCtKwh: 1,
  gridChargeAllowed: true,
  exportAllowed: false,
  curtailmentAllowed: true,
};

describe("the worth of what is stored at the end", () => {
  it("falls with the amount at a price that is the same in all hours", () => {
    const kwh = fc.integer({ min: 0, max: 3000 }).map((wh) => wh / 1000);
    fc.assert(
      fc.property(
        fc.array(fc.record({ loadKwh: kwh, pvKwh: kwh }), { minLength: 1, maxLength: 96 }),
        fc.integer({ min: 0, max: 5000 }).map((price) => price / 100),
        fc.constantFrom(10, 200),
        (day, importPriceCtKwh, maxKwh) => {
          const steps = day.map(({ loadKwh, pvKwh }) => ({
            importPriceCtKwh,
            exportPriceCtKwh: 5,
            loadKwh,
            pvKwh,
            maxChargeKwh: 1.25,
            minChargeKwh: 0,
            maxDischargeKwh: 1.25,
            importLimitKwh: Infinity,
            exportLimitKwh: Infinity,
          }));
          const worths = expectedTerminalValue(steps, rules, { minKwh: 1, maxKwh }).map(({ ctKwh }) => ctKwh);
          expect(worths).toEqual([...worths].sort((a, b) => b - a));
        },
      ),
    );
  });
});
