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
