import { expect, test } from "vitest";
import { type PlanBatteryInput, planBattery } from "../../../src/plan/exact/plan-battery.js";

// Results that other planners publish in their own tests, converted by hand to kWh, ct, the AC side and one battery.

const twice = (values: number[]) => values.flatMap((value) => [value, value]);

test("EMHASS, test_multi_battery_optimization.py: cost and SOC of ten half-hours from 40 to 50 %", () => {
  const watts = (values: number[]) => twice(values).map((value) => value / 4000);
  // EMHASS also charges 5 ct for each kWh charged. Between two given SOCs the charge follows from the discharge:
  // (1 + out / 0.94) / 0.93 kWh, so its charge weight is more wear and a constant.
  const chargeWeightCt = 5;
  const plan = planBattery({
    start: new Date("2026-01-31T22:00:00Z"),
    stepMinutes: 15,
    importPriceCtKwh: twice([30, 28, 28, 32, 10, 10, 12, 35, 40, 38]),
    exportPriceCtKwh: twice([5, 5, 5, 6, 4, 4, 4, 6, 7, 7]),
    loadKwh: watts([600, 550, 600, 700, 900, 1100, 1000, 800, 700, 650]),
    pvKwh: watts([0, 0, 0, 500, 3000, 4500, 3200, 800, 0, 0]),
    battery: {
      capacityKwh: 10,
      socKwh: 4,
      minSocKwh: 2,
      maxSocKwh: 9,
      maxChargePowerKw: 3.5,
      maxDischargePowerKw: 4,
      chargeEfficiency: 0.93,
      dischargeEfficiency: 0.94,
      wearCtKwh: 5 + chargeWeightCt / 0.93 / 0.94,
      exportAllowed: false,
    },
    // Its end is fixed at 50 %: a deficit costs a lot, and so does an excess.
    terminalValueCtKwh: [
      { kwh: 5, ctKwh: 1000 },
      { kwh: 5, ctKwh: -1000 },
    ],
  });
  expect(plan.costCt + chargeWeightCt / 0.93).toBeCloseTo(19.514378860672618, 6);
  const socOfHalfHours = plan.steps
    .filter((_, step) => step % 2 === 1)
    .map(({ socEndKwh }) => socEndKwh / 10);
  const published = [
    0.36808510638, 0.33882978723, 0.30691489362, 0.2962765957446, 0.39392659574, 0.55202659574, 0.57180851064,
    0.57180851064, 0.534574468085, 0.5,
  ];
  for (const [index, soc] of published.entries()) expect(socOfHalfHours[index]).toBeCloseTo(soc, 9);
});

const day = (price: number) => Array<number>(24).fill(price);
const predbat = (
  loadKwh: number,
  battery: Partial<PlanBatteryInput["battery"]>,
  { importPriceCtKwh = day(10), exportPriceCtKwh = day(5), exportLimitKw = 99 } = {},
) =>
  planBattery({
    start: new Date("2026-01-01T00:00:00Z"),
    stepMinutes: 60,
    importPriceCtKwh,
    exportPriceCtKwh,
    loadKwh: day(loadKwh),
    pvKwh: day(0),
    battery: {
      capacityKwh: 100,
      socKwh: 0,
      minSocKwh: 0,
      maxSocKwh: 100,
      maxChargePowerKw: 1,
      maxDischargePowerKw: 1,
      chargeEfficiency: 1,
      dischargeEfficiency: 1,
      ...battery,
    },
    grid: { exportLimitKw },
    terminalValueCtKwh: 0,
  });

test("Predbat, test_model.py: cost of a day with 100 kWh at 1 kW", () => {
  expect(predbat(1, { socKwh: 10 }).costCt).toBeCloseTo(140, 9);
  expect(predbat(2, { socKwh: 100 }).costCt).toBeCloseTo(240, 9);
  expect(predbat(1, { socKwh: 10, minSocKwh: 2, dischargeEfficiency: 0.5 }).costCt).toBeCloseTo(200, 9);
  expect(predbat(0, { socKwh: 10, dischargeEfficiency: 0.5 }).costCt).toBeCloseTo(-25, 9);
  expect(predbat(0, { socKwh: 100 }, { exportLimitKw: 0.5 }).costCt).toBeCloseTo(-60, 9);
});

test("Predbat, test_optimise_levels.py: windows in which charging pays", () => {
  const cheapAt2 = day(10).fill(6, 2, 4);
  const chargedIn = (plan: ReturnType<typeof predbat>) =>
    plan.steps.flatMap(({ chargeKwh }, hour) => (chargeKwh > 1e-9 ? [hour] : []));
  const lossy = { chargeEfficiency: 0.9, dischargeEfficiency: 0.9 };
  expect(chargedIn(predbat(1, lossy))).toEqual([]);
  expect(chargedIn(predbat(0.5, lossy, { importPriceCtKwh: cheapAt2 }))).toEqual([2, 3]);
  const dearAt4 = { importPriceCtKwh: cheapAt2, exportPriceCtKwh: day(5).fill(7.5, 4, 5) };
  expect(predbat(0, {}, dearAt4).costCt).toBeCloseTo(6 - 7.5, 9);
  expect(chargedIn(predbat(0, {}, { importPriceCtKwh: cheapAt2, exportPriceCtKwh: day(6) }))).toEqual([]);
});
