import type { BatteryMode } from "../../core/domain/battery.js";
import { BLOCK, FREE, HOLD, type PolicyRules, STANDBY, type StageCosts } from "./stage-costs.js";
import type { Stage } from "./stages.js";
import type { Targets } from "./targets.js";

/** What a mode is expected to cost, and what it needs to be commanded. */
export interface ModeOption {
  mode: BatteryMode;
  ct: number;
  stopSocKwh: number;
  /** Energy given in the rest of the stage, kWh. */
  dischargeKwh: number;
}

/** Expected cost of the modes that the installation can carry out, from the SOC of the last `costs.at`. */
export function optionsOf(input: {
  costs: StageCosts;
  stage: Stage;
  rules: PolicyRules;
  socKwh: number;
  weights: Float64Array;
  /** Those of `costs` for the weights, where they are known already. */
  targets?: Targets;
  /** Where a charge may end; left out: at the target, or so that surplus leads up to it. */
  stopsKwh?: readonly number[] | undefined;
  /** Also charge at prices that are not published yet: they will be when the step begins. */
  provisional?: boolean;
}): ModeOption[] {
  const { costs, stage, rules, socKwh, weights, targets = costs.targets(weights) } = input;
  const { battery, controls } = rules;
  const option = (mode: BatteryMode, ct: number): ModeOption => ({
    mode,
    ct,
    stopSocKwh: battery.maxSocKwh,
    dischargeKwh: 0,
  });
  const options = [option("free", expected(costs.byMode[FREE], weights))];
  if (controls.has("hold")) options.push(option("hold", expected(costs.byMode[HOLD], weights)));
  if (controls.has("block")) options.push(option("block", expected(costs.byMode[BLOCK], weights)));
  if (controls.has("standby")) options.push(option("standby", expected(costs.byMode[STANDBY], weights)));
  if (controls.has("charge") && (stage.published || input.provisional) && battery.maxChargePowerKw > 0) {
    let best: ModeOption | undefined;
    for (const stopSocKwh of input.stopsKwh ?? stopsOf(costs, targets, weights)) {
      if (stopSocKwh <= socKwh + 1e-6) continue;
      const ct = costs.chargeCt(stopSocKwh, weights);
      if (best === undefined || ct < best.ct - TIE_CT)
        best = { mode: "charge", ct, stopSocKwh, dischargeKwh: 0 };
    }
    if (best !== undefined) options.push(best);
  }
  if (controls.has("discharge") && stage.importCt >= 0) {
    const { energyKwh, ct } = costs.discharge(targets.floorsKwh, weights);
    if (energyKwh > 0)
      options.push({ mode: "discharge", ct, stopSocKwh: battery.maxSocKwh, dischargeKwh: energyKwh });
  }
  return options;
}

/** The ends of a charge that may be best: surplus after it leads up to the target, or it ends there and surplus comes on top. */
function stopsOf(costs: StageCosts, { stopSocKwh }: Targets, weights: Float64Array): number[] {
  const beforeKwh = costs.stopBefore(stopSocKwh, weights);
  return beforeKwh < stopSocKwh ? [beforeKwh, stopSocKwh] : [stopSocKwh];
}

/** Gains below this are ties, ct. */
export const TIE_CT = 1e-6;

/** The option with the lowest cost; the first one in a tie. */
export function cheapest(options: readonly ModeOption[]): ModeOption {
  let best = options[0]!;
  for (const option of options) if (option.ct < best.ct - TIE_CT) best = option;
  return best;
}

function expected(values: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let w = 0; w < values.length; w++) sum += values[w]! * weights[w]!;
  return sum;
}
