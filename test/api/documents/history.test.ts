import { expect, it } from "vitest";
import { type HistoryDay, historySummary } from "../../../src/api/documents/history.js";
import { savingsDocument } from "../../../src/api/documents/savings.js";
import { ledgerHour } from "../../../src/money/ledger/hour.js";

const day = (kwh: Partial<HistoryDay["figures"]["kwh"]>): HistoryDay => ({
  figures: {
    date: "2026-06-06",
    complete: true,
    costEur: 0.3,
    noBatteryEur: null,
    uncontrolledEur: null,
    promisedEur: null,
    perfectEur: null,
    storedChangeEur: null,
    savedEur: null,
    savedBatteryEur: null,
    savedDevicesEur: null,
    negativeReason: null,
    promisedSavingEur: null,
    kwh: { import: 0, export: 0, pv: 0, load: 0, charge: 0, discharge: 0, ...kwh },
    missingQuarters: 0,
  },
  quarters: undefined,
});

it("a day before the installation has no reason for a loss: nothing was controlled", () => {
  const { figures } = day({});
  const lost = { ...figures, savedEur: -0.02, negativeReason: "forecast" as const };
  const reasonOf = (isEarlier: boolean) =>
    savingsDocument([{ ...lost, ...(isEarlier && { isEarlier }) }]).days[0]!.negative_reason;
  expect([reasonOf(false), reasonOf(true)]).toEqual(["forecast", null]);
});

it("a day on which something was bought is not all of the sun, however much a battery has stored", () => {
  const { sunPct } = historySummary([day({ pv: 20, export: 2, load: 12, charge: 8, import: 2 })]);
  expect(sunPct).toBe(90);
  expect(historySummary([day({ pv: 10, export: 4, load: 6 })]).sunPct).toBe(100);
  expect(historySummary([day({ import: 6, load: 6 })]).sunPct).toBeNull();
});

it("an hour has a cost where nothing measures the feed-in, but not where a quarter-hour of import is missing", () => {
  const none = [null, null, null, null];
  const quarters = {
    importKwh: [0.5, 0.25, 0, 0.25],
    importCtKwh: [20, 20, 40, 24],
    exportKwh: none,
    exportCtKwh: none,
    pvKwh: none,
    loadKwh: none,
    chargeKwh: none,
    dischargeKwh: none,
    slots: {},
  };
  expect(ledgerHour(quarters, 0)).toMatchObject({ import: 1, export: 0, priceCtKwh: 26 });
  // 10 + 5 + 0 + 6 ct.
  expect(ledgerHour(quarters, 0).costEur).toBeCloseTo(0.21, 9);
  expect(ledgerHour({ ...quarters, importKwh: [0.5, null, 0, 0.25] }, 0).costEur).toBeNull();
});
