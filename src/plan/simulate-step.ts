import { actionRange, type Flows, flowsOf, type Rules, type Step } from "./step.js";
import { acEnergy, type EnergyBand, storedChange } from "./value-function.js";

/** What a controller is told for an hour. */
export interface BatteryCommand {
  chargeNow: boolean;
  chargePowerKw: number;
  /** Stored energy at which charging from the grid ends. */
  stopKwh: number;
  /** The discharge cap O12. */
  dischargePowerKw: number;
}

/** What a battery does that nobody steers. */
export const UNCONTROLLED: BatteryCommand = {
  chargeNow: false,
  chargePowerKw: 0,
  stopKwh: 0,
  dischargePowerKw: Infinity,
};

/**
 * What the battery's own control makes of a command in an hour as it really is: it charges from the grid while told to,
 * up to the stop; it stores PV surplus; it feeds the load up to the cap. `acKwh` is positive while charging.
 */
export function simulateStep(
  step: Step,
  rules: Rules,
  band: EnergyBand,
  socKwh: number,
  command: BatteryCommand,
): { acKwh: number; flows: Flows; socEndKwh: number } {
  const range = actionRange(step, { ...rules, exportAllowed: false });
  const room = (upToKwh: number) => acEnergy(rules, Math.max(0, Math.min(upToKwh, band.maxKwh) - socKwh));
  const surplusKwh = Math.max(0, step.pvKwh - step.loadKwh);
  let acKwh = Math.min(range.highest, surplusKwh, room(band.maxKwh));
  if (command.chargeNow) {
    acKwh = Math.max(acKwh, Math.min(range.highest, command.chargePowerKw, room(command.stopKwh)));
  } else if (surplusKwh === 0) {
    const heldKwh = -acEnergy(rules, -Math.max(0, socKwh - band.minKwh));
    acKwh = 0 - Math.min(-range.lowest, command.dischargePowerKw, heldKwh);
  }
  return { acKwh, flows: flowsOf(step, rules, acKwh), socEndKwh: socKwh + storedChange(rules, acKwh) };
}
