import type { ControlledMode } from "../../core/domain/battery.js";
import type { PolicyBattery } from "./policy-input.js";
import type { Stage } from "./stages.js";

/** Stored energies at which buying or giving one more kWh stops to pay, for a distribution of scenarios. */
export interface Targets {
  /** Where a charge from the grid ends. */
  stopSocKwh: number;
  /** Where giving at the export and at the import price ends; empty where the battery gives nothing. */
  floorsKwh: readonly number[];
}

/** The targets of a stage for the expected cost to go at its end, by the stored energies of the points. */
export function targetsOf(
  ahead: Float64Array,
  {
    stage,
    rules: { battery, wearCt, controls },
    socs,
  }: {
    stage: Stage;
    rules: { battery: PolicyBattery; wearCt: number; controls: ReadonlySet<ControlledMode> };
    socs: Float64Array;
  },
): Targets {
  const { importCt, exportCt } = stage;
  const { chargeEfficiency, dischargeEfficiency } = battery;
  const canCharge = controls.has("charge") && battery.maxChargePowerKw > 0;
  const canGive = controls.has("discharge") && importCt >= 0;
  const { minSocKwh } = battery;
  return {
    stopSocKwh: canCharge ? targetOf(importCt / chargeEfficiency, ahead, socs) : minSocKwh,
    floorsKwh: canGive
      ? [
          minSocKwh,
          targetOf((exportCt - wearCt) * dischargeEfficiency, ahead, socs),
          targetOf((importCt - wearCt) * dischargeEfficiency, ahead, socs),
        ]
      : [],
  };
}

/**
 * Where a charge from the grid ends so that the surplus after it leads up to the target: what the sun gives is not bought. The target
 * itself where there is no time for that. Energies of the stage, AC: what the battery takes at full power, and what of it is surplus.
 */
export function stopBefore(
  targetKwh: number,
  { socKwh, mostKwh, surplusKwh }: { socKwh: number; mostKwh: number; surplusKwh: number },
  { chargeEfficiency }: Pick<PolicyBattery, "chargeEfficiency">,
): number {
  const missingKwh = (targetKwh - socKwh) / chargeEfficiency;
  if (missingKwh >= mostKwh) return targetKwh;
  if (missingKwh <= surplusKwh) return socKwh;
  const share = (missingKwh - surplusKwh) / (mostKwh - surplusKwh);
  return socKwh + chargeEfficiency * mostKwh * share;
}

/** Most power with which the battery may charge from the grid so that no scenario's import is above the target, kW. */
export function chargeBelowTargetKw(
  { targetKw }: Stage,
  { hours, netKwh }: { hours: number; netKwh: Float64Array },
): number {
  let highest = -Infinity;
  for (const kwh of netKwh) highest = Math.max(highest, kwh);
  return Math.max(0, targetKw - highest / hours);
}

/** Whether the battery is not discharged in any mode: importing earns money, and the installation can stop discharging alone. */
export function isKeptFull(
  { importCt }: Pick<Stage, "importCt">,
  { controls }: { controls: ReadonlySet<ControlledMode> },
): boolean {
  return importCt < 0 && controls.has("hold");
}

/** The stored energy at which buying one more kWh (or giving one more away) at `ctPerStoredKwh` stops to pay. */
function targetOf(ctPerStoredKwh: number, ahead: Float64Array, socs: Float64Array): number {
  let best = Infinity;
  let at = 0;
  for (let i = 0; i < socs.length; i++) {
    const value = ctPerStoredKwh * (socs[i]! - socs[0]!) + ahead[i]!;
    if (value < best - 1e-9) {
      best = value;
      at = i;
    }
  }
  return socs[at]!;
}
