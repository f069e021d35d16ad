import { describe, expect, it } from "vitest";
import { achievedSavingCt, type MeasuredQuarter } from "../../src/calibration/compare-day.js";

const BATTERY = {
  minSocKwh: 0,
  maxSocKwh: 10,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 5,
  chargeEfficiency: 1,
  dischargeEfficiency: 1,
  wearCtKwh: 1,
};

/** A day with 0.25 kWh a quarter-hour: 10 ct in the first two hours, then 40 ct; `batteryKwh` as given. */
function day(batteryKwhAt: (quarter: number) => number): MeasuredQuarter[] {
  return Array.from({ length: 96 }, (_, quarter) => {
    const batteryKwh = batteryKwhAt(quarter);
    const netKwh = 0.25 + batteryKwh;
    return {
      importCtKwh: quarter < 8 ? 10 : 40,
      exportCtKwh: 5,
      importKwh: Math.max(0, netKwh),
      exportKwh: Math.max(0, -netKwh),
      pvKwh: 0,
      batteryKwh,
    };
  });
}
const saving = (quarters: MeasuredQuarter[], socStartKwh = 0, socEndKwh = 0) =>
  achievedSavingCt({ quarters, battery: BATTERY, socStartKwh, socEndKwh });

describe("achievedSavingCt", () => {
  it("is what charging at 10 ct and serving the load at 40 ct saves, less wear", () => {
    // 8 kWh for 80 ct, of which 8 kWh serve the load of 32 quarter-hours: 320 ct less, wear 8 ct.
    expect(saving(day((quarter) => (quarter < 8 ? 1 : quarter < 40 ? -0.25 : 0)))).toBeCloseTo(
      320 - 80 - 8,
      9,
    );
  });

  it("counts energy that is left at what storing it cost", () => {
    expect(
      saving(
        day((quarter) => (quarter < 4 ? 1 : 0)),
        0,
        4,
      ),
    ).toBeCloseTo(0, 9);
  });

  it("is negative where the uncontrolled battery had done better", () => {
    // 4 kWh stored in the evening before stay there; uncontrolled they serve 8 quarters at 10 ct and 8 at 40 ct.
    const quarters = day(() => 0);
    expect(saving(quarters, 4, 4)).toBeCloseTo(-(2 * 10 + 2 * 40 - 4) + 4 * 10, 9);
  });

  it("runs the uncontrolled battery on the PV as measured", () => {
    // 1 kWh surplus at noon is exported for 5 ct; uncontrolled it saves 1 kWh of import at 40 ct less wear.
    const quarters = day(() => 0).map((quarter, k) =>
      k === 48 ? { ...quarter, pvKwh: 1.25, importKwh: 0, exportKwh: 1 } : quarter,
    );
    expect(saving(quarters)).toBeCloseTo(5 - 39, 9);
  });

  it("needs nine tenths of the quarter-hours, and counts the others on neither side", () => {
    const quarters = day((quarter) => (quarter < 8 ? 1 : quarter < 40 ? -0.25 : 0));
    const without = (from: number, to: number) =>
      quarters.map((quarter, k) => (k >= from && k < to ? { ...quarter, importKwh: undefined } : quarter));
    expect(saving(without(80, 89))).toBeCloseTo(232, 9);
    expect(saving(without(80, 90))).toBeUndefined();
    expect(saving(quarters.map((quarter) => ({ ...quarter, importCtKwh: undefined })))).toBeUndefined();
  });
});
