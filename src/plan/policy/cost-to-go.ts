import { staying } from "./persistence.js";
import { POLICY_SETTINGS } from "./settings.js";
import { type Layers, type PolicyRules, StageCosts, type Targets } from "./stage-costs.js";
import type { Stage } from "./stages.js";

/**
 * The backward pass: lowest expected cost to go before each stage and after the last, by scenario of the stage before and
 * stored energy.
 */
export function costToGoLayers(stages: readonly Stage[], rules: PolicyRules, terminal: Layers): Layers[] {
  const { points, spacingKwh, battery, controls } = rules;
  const scenarios = stages[0]?.netKwh.length ?? 1;
  const values: Layers[] = new Array<Layers>(stages.length + 1);
  values[stages.length] = terminal;
  const costs = new StageCosts(rules, scenarios);
  const weights = Array.from({ length: scenarios }, () => new Float64Array(scenarios));
  const targets: Targets[] = [];
  const [free, hold, block, standby] = costs.byMode;
  const canHold = controls.has("hold");
  const canBlock = controls.has("block");
  const canRest = controls.has("standby");
  for (let t = stages.length - 1; t >= 0; t--) {
    const stage = stages[t]!;
    const value = new Float64Array(scenarios * points);
    values[t] = value;
    costs.of(stage, values[t + 1]!);
    const stay = staying(POLICY_SETTINGS.persistence, stage.hours);
    const layers = stay === 0 ? 1 : scenarios;
    // Charging counts at prices that are forecast, too: they will be published when the stage begins.
    const canCharge = controls.has("charge") && battery.maxChargePowerKw > 0;
    const canGive = controls.has("discharge") && stage.importCt >= 0;
    for (let before = 0; before < layers; before++) {
      const row = weights[before]!.fill((1 - stay) / scenarios);
      row[before]! += stay;
      targets[before] = costs.targets(row);
    }
    for (let i = 0; i < points; i++) {
      costs.at(battery.minSocKwh + i * spacingKwh);
      const meanFree = mean(free);
      const meanHold = canHold ? mean(hold) : 0;
      const meanBlock = canBlock ? mean(block) : 0;
      const meanStandby = canRest ? mean(standby) : 0;
      for (let before = 0; before < layers; before++) {
        let best = meanFree + stay * (free[before]! - meanFree);
        if (canHold) best = Math.min(best, meanHold + stay * (hold[before]! - meanHold));
        if (canBlock) best = Math.min(best, meanBlock + stay * (block[before]! - meanBlock));
        if (canRest) best = Math.min(best, meanStandby + stay * (standby[before]! - meanStandby));
        if (canCharge) best = Math.min(best, costs.chargeCt(targets[before]!.stopSocKwh, weights[before]!));
        if (canGive) best = Math.min(best, costs.discharge(targets[before]!.floorsKwh, weights[before]!).ct);
        value[before * points + i] = best;
      }
    }
    for (let w = layers; w < scenarios; w++) value.copyWithin(w * points, 0, points);
  }
  return values;
}

/** The same cost to go in each scenario. */
export function terminalLayers(
  rules: PolicyRules,
  scenarios: number,
  costToGoCt: (socKwh: number) => number,
): Layers {
  const { points, spacingKwh, battery } = rules;
  return Float64Array.from({ length: scenarios * points }, (_, k) =>
    costToGoCt(battery.minSocKwh + (k % points) * spacingKwh),
  );
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (let w = 0; w < values.length; w++) sum += values[w]!;
  return sum / values.length;
}
