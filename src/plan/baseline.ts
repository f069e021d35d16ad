import { actionRange, type Flows, flowsOf, type Rules, type Step } from "./step.js";
import { acEnergy, type EnergyBand, storedChange } from "./value-function.js";

/**
 * The same house without grid charging: the battery takes PV surplus as it comes and feeds the load as long as it has
 * energy (docs/spec/outputs-and-plan.md section 1, baseline). Flows of each step, and what is stored at the end.
 */
export function baseline(
  steps: readonly Step[],
  rules: Rules,
  band: EnergyBand,
  socKwh: number,
): { flows: Flows[]; socEndKwh: number } {
  const selfConsumption: Rules = { ...rules, gridChargeAllowed: false, exportAllowed: false };
  let soc = socKwh;
  const flows = steps.map((step) => {
    const range = actionRange(step, selfConsumption);
    const room = acEnergy(rules, Math.max(0, band.maxKwh - soc));
    const held = -acEnergy(rules, -Math.max(0, soc - band.minKwh));
    const charge = Math.min(range.highest, room);
    const discharge = Math.min(-range.lowest, held);
    const ac = charge > 0 && charge >= range.chargeFrom ? charge : -discharge;
    soc += storedChange(rules, ac);
    return flowsOf(step, selfConsumption, ac);
  });
  return { flows, socEndKwh: soc };
}
