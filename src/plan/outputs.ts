import type { SitePlan } from "./site-plan.js";

export const OUTPUT_NAMES = [
  "O1",
  "O2",
  "O3",
  "O4",
  "O5",
  "O6",
  "O7",
  "O8",
  "O9",
  "O10",
  "O11",
  "O12",
  "O13",
] as const;

export type OutputName = (typeof OUTPUT_NAMES)[number];

/** The outputs of docs/spec/outputs-and-plan.md section 1, all as numbers: powers kW, energies kWh, times h or minutes, prices ct/kWh. */
export function outputsOf({ scalars }: SitePlan): Record<OutputName, number> {
  return {
    O1: scalars.chargeNow,
    O2: scalars.chargePowerKw,
    O3: scalars.hoursNeeded,
    O4: scalars.hoursNeededToday,
    O5: scalars.energyChargeKwh,
    O6: scalars.minutesToChargeStart,
    O7: scalars.currentQuartile,
    O8: scalars.currentPriceCtKwh,
    O9: scalars.chargeStopSocPct,
    O10: scalars.adaptiveDischarge ? 1 : 0,
    O11: scalars.minSocPct,
    O12: scalars.dischargePowerKw,
    O13: scalars.gridChargeAllowed ? 1 : 0,
  };
}
