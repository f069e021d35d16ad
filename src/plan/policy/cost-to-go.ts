import { type Layers, type PolicyRules, StageCosts } from "./stage-costs.js";
import type { Stage } from "./stages.js";

/**
 * The backward pass: lowest expected cost to go before each stage and after the last, by scenario of the stage before and
 * stored energy.
 */
export function costToGoLayers(stages: readonly Stage[], rules: PolicyRules, terminal: Layers): Layers[] {
  const { points, spacingKwh, battery, controls, chain } = rules;
  const values: Layers[] = new Array<Layers>(stages.length + 1);
  values[stages.length] = terminal;
  const costs = new StageCosts(rules);
  const [free, hold, block, standby] = costs.byMode;
  const canHold = controls.has("hold");
  const canBlock = controls.has("block");
  const canRest = controls.has("standby");
  const best = new Float64Array(chain.count);
  const expected = new Float64Array(chain.count);
  const targeted = new Float64Array(chain.count);
  for (let t = stages.length - 1; t >= 0; t--) {
    const stage = stages[t]!;
    const before = chain.countBefore(stage);
    const value = new Float64Array(chain.count * points);
    values[t] = value;
    costs.of(stage, values[t + 1]!);
    // Charging counts at prices that are forecast, too: they will be published when the stage begins.
    const canCharge = controls.has("charge") && battery.maxChargePowerKw > 0;
    const canGive = controls.has("discharge") && stage.importCt >= 0;
    const targets = canCharge || canGive ? costs.targetsBefore() : [];
    const stops = canCharge ? alike(targets.map(({ stopSocKwh }) => stopSocKwh)) : [];
    const floors = canGive
      ? [0, 1, 2].flatMap((f) => alike(targets.map(({ floorsKwh }) => floorsKwh[f]!)))
      : [];
    const lower = (cts: Float64Array, which?: readonly number[]) => {
      chain.expectations(cts, stage, expected);
      if (which !== undefined) for (const v of which) best[v] = Math.min(best[v]!, expected[v]!);
      else for (let v = 0; v < before; v++) if (expected[v]! < best[v]!) best[v] = expected[v]!;
    };
    for (let i = 0; i < points; i++) {
      const socKwh = battery.minSocKwh + i * spacingKwh;
      costs.at(socKwh);
      chain.expectations(free, stage, best);
      if (canHold) lower(hold);
      if (canBlock) lower(block);
      if (canRest) lower(standby);
      for (const { target, which } of stops) {
        // A charge that has reached its stop is the same as `hold`.
        if (target > socKwh || !canHold) lower(costs.chargeCts(target, targeted), which);
      }
      for (const { target, which } of floors) {
        const cts = costs.dischargeCts(target, targeted);
        if (cts !== undefined) lower(cts, which);
      }
      for (let v = 0; v < before; v++) value[v * points + i] = best[v]!;
    }
    for (let v = before; v < chain.count; v += before) value.copyWithin(v * points, 0, before * points);
  }
  return values;
}

/** Indices of the values that are the same. */
function alike(values: readonly number[]): { target: number; which: number[] }[] {
  const groups = new Map<number, number[]>();
  for (const [index, value] of values.entries()) {
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [index]);
    else group.push(index);
  }
  return [...groups].map(([target, which]) => ({ target, which }));
}

/** The same cost to go in each scenario. */
export function terminalLayers(
  { points, spacingKwh, battery, chain }: PolicyRules,
  costToGoCt: (socKwh: number) => number,
): Layers {
  return Float64Array.from({ length: chain.count * points }, (_, k) =>
    costToGoCt(battery.minSocKwh + (k % points) * spacingKwh),
  );
}
