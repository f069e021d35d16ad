import fc from "fast-check";
import { expect, it } from "vitest";
import { detailsFromJson, monthFromJson } from "../../../src/money/ledger/stored-day.js";
import { withRubbish } from "../../support/with-rubbish.js";

const FIGURES = {
  date: "2026-05-04",
  complete: true,
  costEur: 1.2,
  noBatteryEur: 2,
  uncontrolledEur: 1.9,
  promisedEur: 1.1,
  perfectEur: null,
  storedChangeEur: 0.1,
  savedEur: -0.7,
  savedBatteryEur: -0.7,
  savedDevicesEur: 0,
  negativeReason: "forecast",
  promisedSavingEur: null,
  kwh: { import: 1, export: 2, pv: 3, load: 4, charge: 5, discharge: 6 },
  missingQuarters: 0,
};
const CLOSING = { uncontrolledKwh: 3, aheadEur: -0.1, batteryOnly: { uncontrolledKwh: 2, aheadEur: 0 } };
const MONTH = {
  version: 1,
  days: { "2026-05-04": { figures: FIGURES, closing: CLOSING, basis: "abc" } },
  earlier: { month: "2026-05", promisedEur: 3, achievedEur: 2, days: 2, daysWithoutTelemetry: 1 },
};
const COLUMN = [0.1, null];
const DETAILS = {
  version: 1,
  promise: { savingEur: 1, steps: [{ startMs: 0, endMs: 1, mode: "charge", stopSocPct: 80 }] },
  forecast: [{ startMs: 0, endMs: 1, pvKwh: 0, loadKwh: 1 }],
  plant: {
    battery: {
      capacityKwh: 10,
      wearCtKwh: 1,
      minSocKwh: 1,
      maxSocKwh: 10,
      maxChargePowerKw: 5,
      maxDischargePowerKw: 5,
      chargeEfficiency: 0.95,
      dischargeEfficiency: 0.95,
    },
    controls: ["charge", "hold"],
    connection: { importLimitKw: 4 },
    curtailmentAllowed: false,
  },
  quarters: {
    importKwh: COLUMN,
    exportKwh: COLUMN,
    pvKwh: COLUMN,
    loadKwh: COLUMN,
    chargeKwh: COLUMN,
    dischargeKwh: COLUMN,
    importCtKwh: COLUMN,
    exportCtKwh: COLUMN,
    slots: { "1": COLUMN },
  },
  uncontrolled: { startKwh: 3, netKwh: COLUMN },
  incidents: { overridden: true },
};

it("reads what is stored as it is", () => {
  expect(monthFromJson(MONTH)).toEqual(MONTH);
  expect(detailsFromJson(DETAILS)).toEqual(DETAILS);
  expect([monthFromJson(undefined), detailsFromJson(null)]).toEqual([
    { version: 1, days: {} },
    { version: 1 },
  ]);
});

it("uses no day and no part with rubbish in it, and the others as they are", () => {
  fc.assert(
    fc.property(withRubbish(MONTH), (stored) => {
      const { days, earlier } = monthFromJson(stored);
      // Another basis: the day is computed again.
      for (const day of Object.values(days))
        expect({ ...day, basis: "abc" }).toEqual(MONTH.days["2026-05-04"]);
      if (earlier !== undefined) expect(earlier).toEqual(MONTH.earlier);
      expect(Object.keys(days).length + (earlier === undefined ? 0 : 1)).toBeLessThanOrEqual(2);
    }),
  );
  fc.assert(
    fc.property(withRubbish(DETAILS), (stored) => {
      for (const [name, part] of Object.entries(detailsFromJson(stored)))
        expect(part).toEqual(DETAILS[name as keyof typeof DETAILS]);
    }),
  );
});
