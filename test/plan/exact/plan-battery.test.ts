import { describe, expect, it } from "vitest";
import { type PlanBatteryInput, planBattery } from "../../../src/plan/exact/plan-battery.js";

const battery = {
  capacityKwh: 10,
  socKwh: 0,
  minSocKwh: 0,
  maxSocKwh: 10,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 5,
  chargeEfficiency: 0.9,
  dischargeEfficiency: 0.9,
};
const zeros = (count: number) => new Array<number>(count).fill(0);
const start = new Date("2026-01-15T00:00:00Z");

describe("planBattery, calculated by hand", () => {
  it("charges in the cheap hour the energy used in the expensive hour", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [10, 40],
      exportPriceCtKwh: [0, 0],
      loadKwh: [0, 1.62],
      pvKwh: [0, 0],
      battery,
      terminalValueCtKwh: 0,
    });
    // 1.62 kWh out need 1.62 / 0.81 = 2 kWh in, at 10 ct.
    expect(plan.costCt).toBeCloseTo(20, 9);
    expect(plan.steps.map((step) => [step.action, step.reason.code])).toEqual([
      ["grid_charge", "cheap_import"],
      ["discharge", "dear_import"],
    ]);
    expect(plan.steps[0]!.chargeKwh).toBeCloseTo(2, 9);
  });

  it("prefers the earlier of two equal hours, and one run to two", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [10, 10, 10, 10, 50],
      exportPriceCtKwh: zeros(5),
      loadKwh: [0, 0, 0, 0, 5],
      pvKwh: zeros(5),
      battery,
      terminalValueCtKwh: 0,
    });
    // 5 kWh out need 6.17 kWh in: a full hour and 1.17 kWh.
    const charges = plan.steps.map((step) => Math.round(step.chargeKwh * 100) / 100);
    expect(charges).toEqual([5, 1.17, 0, 0, 0]);
  });

  it("prefers the earlier hour without losses too, and does not cycle needlessly", () => {
    const lossless = { ...battery, chargeEfficiency: 1, dischargeEfficiency: 1 };
    const moves = (input: Partial<PlanBatteryInput> & Pick<PlanBatteryInput, "importPriceCtKwh">) => {
      const none = zeros(input.importPriceCtKwh.length);
      const plan = planBattery({
        start,
        stepMinutes: 60,
        exportPriceCtKwh: none,
        loadKwh: none,
        pvKwh: none,
        battery: lossless,
        terminalValueCtKwh: 0,
        ...input,
      });
      return plan.steps.map(({ chargeKwh, dischargeKwh }) => chargeKwh - dischargeKwh);
    };
    const flat = Array(4).fill(30);
    expect(moves({ importPriceCtKwh: [10, 10, 10, 40], loadKwh: [0, 0, 0, 4] })).toEqual([4, 0, 0, -4]);
    // evcc-io/optimizer, tests/test_early_charge.py: four hours of surplus, room for two of them.
    const early = { ...lossless, maxSocKwh: 4, maxChargePowerKw: 2, maxDischargePowerKw: 0 };
    const surplus = { importPriceCtKwh: flat, exportPriceCtKwh: Array(4).fill(10), pvKwh: Array(4).fill(2) };
    expect(
      moves({ ...surplus, battery: { ...early, gridChargeAllowed: false }, terminalValueCtKwh: 40 }),
    ).toEqual([2, 2, 0, 0]);
    // Stored energy serves the load at once; buying and selling at one price gains nothing.
    const loads = { importPriceCtKwh: flat, loadKwh: Array(4).fill(1) };
    expect(moves({ ...loads, battery: { ...lossless, socKwh: 2 } })).toEqual([-1, -1, 0, 0]);
    expect(moves({ ...loads, exportPriceCtKwh: flat, terminalValueCtKwh: 30 })).toEqual([0, 0, 0, 0]);
  });

  it("serves the load from the battery at flat prices instead of keeping the energy", () => {
    const flat = planBattery({
      start: new Date("2026-01-15T00:00:00Z"),
      stepMinutes: 60,
      importPriceCtKwh: Array(48).fill(10),
      exportPriceCtKwh: Array(48).fill(2),
      loadKwh: Array(48).fill(0.5),
      pvKwh: Array(48).fill(0),
      battery: {
        ...battery,
        socKwh: 5,
        chargeEfficiency: 0.95,
        dischargeEfficiency: 0.95,
        exportAllowed: false,
      },
    });
    expect(flat.steps.slice(0, 9).map(({ dischargeKwh }) => dischargeKwh)).toEqual(Array(9).fill(0.5));
    expect(flat.steps.at(-1)?.socEndKwh).toBeCloseTo(0, 9);
    expect(flat.steps.every(({ chargeKwh }) => chargeKwh === 0)).toBe(true);
  });

  it("does not discharge in place of PV that is then curtailed where that costs nothing", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [40, 30],
      exportPriceCtKwh: [5, 5],
      loadKwh: [2, 1],
      pvKwh: [3, 0],
      battery: { ...battery, socKwh: 5 },
      grid: { exportLimitKw: 0 },
      terminalValueCtKwh: 0,
    });
    expect(plan.steps[0]!.dischargeKwh).toBe(0);
    expect(plan.steps[1]!.dischargeKwh).toBeCloseTo(1, 9);
    expect(plan.costCt).toBeCloseTo(0, 9);
  });

  it("shortens the first step to the next grid line", () => {
    const plan = planBattery({
      start: new Date("2026-01-15T00:45:00Z"),
      stepMinutes: 60,
      importPriceCtKwh: [1, 100],
      exportPriceCtKwh: [0, 0],
      loadKwh: [0, 20],
      pvKwh: [0, 0],
      battery,
      terminalValueCtKwh: 0,
    });
    expect(plan.steps[0]!.chargeKwh).toBeCloseTo(5 * 0.25, 9);
    expect(plan.steps.map((step) => step.end.toISOString())).toEqual([
      "2026-01-15T01:00:00.000Z",
      "2026-01-15T02:00:00.000Z",
    ]);
  });

  it("charges back into the band as fast as allowed, at any cost", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [90, 80, 1, 1],
      exportPriceCtKwh: zeros(4),
      loadKwh: zeros(4),
      pvKwh: zeros(4),
      battery: { ...battery, socKwh: 1, minSocKwh: 7, chargeEfficiency: 1, dischargeEfficiency: 1 },
      terminalValueCtKwh: 0,
    });
    expect(plan.steps.map((step) => step.chargeKwh)).toEqual([5, 1, 0, 0]);
    expect(plan.steps[0]!.reason.code).toBe("recover_min_soc");
    expect(plan.optimalityGapCt).toBeCloseTo(0, 9);
  });

  it("charges back into the band from PV only if grid charging is not allowed", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [1, 1, 1],
      exportPriceCtKwh: [50, 50, 50],
      loadKwh: [1, 1, 1],
      pvKwh: [0, 3, 9],
      battery: { ...battery, socKwh: 0, minSocKwh: 4, gridChargeAllowed: false, chargeEfficiency: 1 },
      terminalValueCtKwh: 0,
    });
    // The surplus of 2, then up to 4 from the surplus of 8; the rest is sold at 50.
    expect(plan.steps.map((step) => step.chargeKwh)).toEqual([0, 2, 2]);
  });

  it("charges nothing above the band, and is not forced to discharge", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [-50, 10, -50, 30],
      exportPriceCtKwh: zeros(4),
      loadKwh: [0, 1, 0, 0],
      pvKwh: zeros(4),
      battery: { ...battery, socKwh: 9, maxSocKwh: 8, exportAllowed: false, dischargeEfficiency: 1 },
      terminalValueCtKwh: 0,
    });
    // It cannot charge at the negative price of the first hour. The load of the second brings it down to 8, the end of the band.
    expect(plan.steps.map((step) => step.chargeKwh)).toEqual([0, 0, 0, 0]);
    expect(plan.steps[1]!.dischargeKwh).toBe(1);
  });

  it("finds a state that only charging with the least power reaches", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [10, 60],
      exportPriceCtKwh: [0, 0],
      loadKwh: [0, 5],
      pvKwh: [0, 0],
      battery: {
        ...battery,
        capacityKwh: 5,
        maxSocKwh: 5,
        minChargePowerKw: 5,
        chargeEfficiency: 1,
        dischargeEfficiency: 1,
      },
      terminalValueCtKwh: 0,
    });
    expect(plan.steps[0]!.chargeKwh).toBe(5);
    expect(plan.costCt).toBe(50);
  });

  it("prefers a smaller breach of the import limit to any saving", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [90, 1, 1],
      exportPriceCtKwh: zeros(3),
      loadKwh: [1, 1, 4],
      pvKwh: zeros(3),
      battery: { ...battery, socKwh: 1, chargeEfficiency: 1, dischargeEfficiency: 1 },
      grid: { importLimitKw: 1.5 },
      terminalValueCtKwh: 0,
    });
    // 2.5 kWh are missing in the last hour: 1 is stored, 0.5 fits under the limit in each hour before it.
    expect(plan.importLimitExceededKwh).toBeCloseTo(0.5, 9);
    expect(plan.steps.map((step) => step.chargeKwh)).toEqual([0.5, 0.5, 0]);
  });

  it.each([
    [{ loadKwh: [1] }, /loadKwh has 1 entries/],
    [{ pvKwh: [0, -1] }, /pvKwh\[1\]/],
    [{ importPriceCtKwh: [Number.NaN, 1] }, /importPriceCtKwh\[0\]/],
    [{ battery: { ...battery, minSocKwh: 11 } }, /minSocKwh/],
    [{ battery: { ...battery, chargeEfficiency: 0 } }, /chargeEfficiency/],
    [
      {
        terminalValueCtKwh: [
          { kwh: 1, ctKwh: 1 },
          { kwh: 1, ctKwh: 2 },
        ],
      },
      /terminalValueCtKwh\[1\]/,
    ],
    [{ start: new Date(Number.NaN) }, /start/],
    [{ loadKwh: "12" }, /loadKwh must be an array/],
    [{ pvKwh: undefined }, /pvKwh must be an array/],
    [{ battery: null }, /battery must be an object/],
    [{ battery: { ...battery, dischargeEfficiency: "0.9" } }, /dischargeEfficiency/],
    [{ battery: { ...battery, exportAllowed: "no" } }, /exportAllowed/],
    [{ grid: null }, /grid must be an object/],
    [{ grid: { importLimitKw: "5" } }, /importLimitKw/],
    [{ grid: { exportLimitKw: Infinity } }, /exportLimitKw/],
    [{ terminalValueCtKwh: "5" }, /terminalValueCtKwh/],
    [{ terminalValueCtKwh: [null] }, /terminalValueCtKwh\[0\]/],
  ])("names the invalid field: %#", (wrong, message) => {
    const input = {
      start,
      stepMinutes: 60 as const,
      importPriceCtKwh: [1, 1],
      exportPriceCtKwh: [1, 1],
      loadKwh: [1, 1],
      pvKwh: [0, 0],
      battery,
    };
    const attempt = () => planBattery({ ...input, ...wrong } as PlanBatteryInput);
    expect(attempt).toThrow(RangeError);
    expect(attempt).toThrow(message);
  });

  it("ignores an empty tranche of terminal value", () => {
    const input = {
      start,
      stepMinutes: 60 as const,
      importPriceCtKwh: [10],
      exportPriceCtKwh: [5],
      loadKwh: [0],
      pvKwh: [0],
      battery: { ...battery, maxChargePowerKw: 10, chargeEfficiency: 1, dischargeEfficiency: 1 },
    };
    const tranches = [
      { kwh: 5, ctKwh: 30 },
      { kwh: 5, ctKwh: 20 },
    ];
    for (const terminalValueCtKwh of [tranches, [{ kwh: 0, ctKwh: 30 }, ...tranches]]) {
      const plan = planBattery({ ...input, terminalValueCtKwh });
      expect(plan.steps[0]!.chargeKwh).toBe(10);
      expect(plan.objectiveCt).toBe(-150);
    }
  });

  it("gives the same plan with a minimum of 0 as with almost 0", () => {
    const input = {
      start,
      stepMinutes: 60 as const,
      importPriceCtKwh: [10, 30, 20],
      exportPriceCtKwh: zeros(3),
      loadKwh: [0, 3, 2],
      pvKwh: zeros(3),
      battery: { ...battery, maxChargePowerKw: 10, chargeEfficiency: 1, dischargeEfficiency: 1 },
    };
    const [zero, nearly] = [0, 1e-6].map((minSocKwh) =>
      planBattery({ ...input, battery: { ...input.battery, minSocKwh } }),
    );
    expect(zero!.optimalityGapCt).toBeCloseTo(0, 9);
    expect(zero!.objectiveCt).toBeCloseTo(nearly!.objectiveCt, 3);
    expect(zero!.steps[0]!.chargeKwh).toBeCloseTo(nearly!.steps[0]!.chargeKwh, 3);
  });

  it.each([
    ["no capacity at all", { capacityKwh: 0, socKwh: 0, minSocKwh: 0, maxSocKwh: 0 }],
    ["a band without width", { capacityKwh: 1, socKwh: 0.8, minSocKwh: 0.8, maxSocKwh: 0.8 }],
    [
      "a band narrower than rounding",
      { capacityKwh: 1, socKwh: 0.8, minSocKwh: 0.8, maxSocKwh: 0.8 + 1e-12 },
    ],
  ])("does not use a battery with %s", (_, band) => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [0, -10, 50],
      exportPriceCtKwh: [0, 40, 40],
      loadKwh: [0, 1, 1],
      pvKwh: [0, 1, 0],
      battery: { ...battery, ...band },
      terminalValueCtKwh: 10,
    });
    expect(plan.steps.map((step) => step.socEndKwh)).toEqual(new Array(3).fill(band.socKwh));
    expect(plan.optimalityGapCt).toBeCloseTo(0, 9);
    expect(plan.costCt).toBeCloseTo(50, 9);
  });

  it("does not charge if the least power exceeds the greatest", () => {
    const plan = planBattery({
      start,
      stepMinutes: 60,
      importPriceCtKwh: [1, 90],
      exportPriceCtKwh: [5, 5],
      loadKwh: [0, 5],
      pvKwh: [0, 0],
      battery: { ...battery, minChargePowerKw: 6 },
      terminalValueCtKwh: 0,
    });
    expect(plan.steps[0]!.chargeKwh).toBe(0);
  });

  it("returns an empty plan without steps", () => {
    const nothing = { importPriceCtKwh: [], exportPriceCtKwh: [], loadKwh: [], pvKwh: [] };
    const plan = planBattery({ start, stepMinutes: 60, ...nothing, battery });
    expect(plan).toMatchObject({ costCt: 0, steps: [], importLimitExceededKwh: 0 });
  });
});
