import type { BatteryMode } from "../../core/domain/battery.js";
import { POLICY_SETTINGS } from "./settings.js";
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

/**
 * The cheapest option; the mode in force while another gains no more than the hysteresis of a step of `stepHours`: a quarter-hour gains
 * a quarter of what an hour does. The less the net load spreads, by `spreadKw`, the better are the costs known, and the smaller it is.
 */
export function choose(
  options: readonly ModeOption[],
  { capacityKwh, stepHours, spreadKw }: { capacityKwh: number; stepHours: number; spreadKw: number },
  previous: BatteryMode | undefined,
): ModeOption {
  const { hysteresisCt, usualSpreadKw, leastHysteresis, mostHysteresis } = POLICY_SETTINGS;
  const share = Math.min(mostHysteresis, Math.max(leastHysteresis, spreadKw / usualSpreadKw));
  const leastGainCt = (share * hysteresisCt * Math.min(1, stepHours) * capacityKwh) / 10;
  let best = options[0]!;
  for (const option of options) if (option.ct < best.ct - TIE_CT) best = option;
  const held = options.find((option) => option.mode === previous);
  return held !== undefined && held.ct - best.ct <= leastGainCt ? held : best;
}

/** Length of the step that a stage is in, hours: the first stage may be the rest of its step, and the next one is whole. */
export function stepHours(stages: readonly Stage[], t: number): number {
  return Math.max(stages[t]!.hours, stages[t + 1]?.hours ?? 0);
}

function expected(values: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let w = 0; w < values.length; w++) sum += values[w]! * weights[w]!;
  return sum;
}
