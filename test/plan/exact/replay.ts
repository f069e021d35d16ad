import { expect } from "vitest";
import {
  type PlanBatteryInput,
  type PlanBatteryResult,
  stepBounds,
} from "../../../src/plan/exact/plan-battery.js";

/**
 * Replays a plan step by step by the rules of docs/planner.md, independent of the solver, and returns its cost.
 */
export function replay(input: PlanBatteryInput, plan: PlanBatteryResult): number {
  const { battery, grid = {} } = input;
  const near = (actual: number, wanted: number) => expect(Math.abs(actual - wanted)).toBeLessThan(1e-7);
  let soc = battery.socKwh;
  let costCt = 0;
  const bounds = stepBounds(input.start, input.stepMinutes, plan.steps.length);
  for (const [t, step] of plan.steps.entries()) {
    const h = (bounds[t]!.end.getTime() - bounds[t]!.start.getTime()) / 3_600_000;
    const { chargeKwh, dischargeKwh, importKwh, exportKwh, curtailedKwh } = step;
    const load = input.loadKwh[t]!;
    const pv = input.pvKwh[t]!;
    for (const flow of [chargeKwh, dischargeKwh, importKwh, exportKwh, curtailedKwh]) {
      expect(flow).toBeGreaterThanOrEqual(0);
    }
    expect(chargeKwh * dischargeKwh).toBe(0);
    expect(importKwh * exportKwh).toBe(0);
    near(load + chargeKwh + exportKwh, pv - curtailedKwh + dischargeKwh + importKwh);
    expect(chargeKwh).toBeLessThanOrEqual(battery.maxChargePowerKw * h + 1e-9);
    expect(dischargeKwh).toBeLessThanOrEqual(battery.maxDischargePowerKw * h + 1e-9);
    if (chargeKwh > 0) expect(chargeKwh).toBeGreaterThanOrEqual((battery.minChargePowerKw ?? 0) * h - 1e-9);
    if (battery.gridChargeAllowed === false) {
      expect(chargeKwh).toBeLessThanOrEqual(Math.max(0, pv - load) + 1e-9);
    }
    if (battery.exportAllowed === false) {
      expect(dischargeKwh).toBeLessThanOrEqual(Math.max(0, load - pv) + 1e-9);
    }
    if (grid.exportLimitKw !== undefined)
      expect(exportKwh).toBeLessThanOrEqual(grid.exportLimitKw * h + 1e-9);
    if (grid.importLimitKw !== undefined && chargeKwh > 0) {
      expect(importKwh).toBeLessThanOrEqual(grid.importLimitKw * h + 1e-9);
    }
    const atLoss = grid.curtailmentAllowed === true && input.exportPriceCtKwh[t]! < 0;
    const surplus = exportKwh + curtailedKwh;
    near(
      curtailedKwh,
      atLoss ? Math.min(pv, surplus) : Math.max(0, surplus - (grid.exportLimitKw ?? Infinity) * h),
    );
    const socEnd = soc + battery.chargeEfficiency * chargeKwh - dischargeKwh / battery.dischargeEfficiency;
    near(step.socEndKwh, socEnd);
    soc = step.socEndKwh;
    costCt +=
      input.importPriceCtKwh[t]! * importKwh -
      input.exportPriceCtKwh[t]! * exportKwh +
      (battery.wearCtKwh ?? 0) * dischargeKwh;
  }
  return costCt;
}
