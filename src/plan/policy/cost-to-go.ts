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
  const canHold = controls.has("hold");
  const canBlock = controls.has("block");
  const expected = new Float64Array(chain.count * points);
  const targeted = new Float64Array(chain.count * points);
  for (let t = stages.length - 1; t >= 0; t--) {
    const stage = stages[t]!;
    const before = chain.countBefore(stage);
    const value = new Float64Array(chain.count * points);
    values[t] = value;
    costs.of(stage, values[t + 1]!);
    const [free, hold, block, standby] = costs.atPoints();
    /** Keeps what is cheaper from the first `until` points; with `target` for the scenarios before the stage that have it. */
    const lower = (cts: Float64Array, until = points, targets?: readonly number[], target?: number) => {
      chain.expectations(cts, stage, expected, { width: points, until });
      for (let v = 0; v < before; v++) {
        if (targets !== undefined && targets[v] !== target) continue;
        const end = v * points + until;
        for (let at = v * points; at < end; at++) if (expected[at]! < value[at]!) value[at] = expected[at]!;
      }
    };
    chain.expectations(free, stage, value, { width: points, until: points });
    const candidates = costs.candidates();
    if (canHold && candidates.hold) lower(hold);
    if (canBlock && candidates.block) lower(block);
    if (controls.has("standby") && (candidates.hold || candidates.block)) lower(standby);
    // Charging counts at prices that are forecast, too: they will be published when the stage begins.
    const canCharge =
      controls.has("charge") && battery.maxChargePowerKw > 0 && (candidates.charge || !canHold);
    const canGive = controls.has("discharge") && stage.importCt >= 0;
    const targets = canCharge || canGive ? costs.targetsBefore() : [];
    if (canCharge) {
      const stops = targets.map(({ stopSocKwh }) => stopSocKwh);
      for (const stop of new Set(stops)) {
        // A charge that has reached its stop is the same as `hold`.
        const until = canHold ? Math.round((stop - battery.minSocKwh) / spacingKwh) : points;
        if (until === 0) continue;
        costs.chargeRows(stop, until, targeted);
        lower(targeted, until, stops, stop);
      }
    }
    for (let f = 0; canGive && f < 3; f++) {
      const floors = targets.map(({ floorsKwh }) => floorsKwh[f]!);
      for (const floor of new Set(floors)) {
        // Nothing to give, or the first of the floors again.
        if (floor >= battery.maxSocKwh || (f > 0 && floor === battery.minSocKwh)) continue;
        costs.dischargeRows(floor, targeted);
        lower(targeted, points, floors, floor);
      }
    }
    for (let v = before; v < chain.count; v += before) value.copyWithin(v * points, 0, before * points);
  }
  return values;
}

/** The same cost to go in each scenario. */
export function terminalLayers(
  { points, spacingKwh, battery, chain }: PolicyRules,
  costToGoCt: (socKwh: number) => number,
): Layers {
  const layers = new Float64Array(chain.count * points);
  for (let i = 0; i < points; i++) layers[i] = costToGoCt(battery.minSocKwh + i * spacingKwh);
  for (let w = 1; w < chain.count; w++) layers.copyWithin(w * points, 0, points);
  return layers;
}
