import { DAY_MS } from "../../domain/interval.js";
import { type TerminalTranche, terminalWorthCt } from "../terminal-value.js";
import { checkPolicyInput } from "./check-policy-input.js";
import { costToGoLayers, terminalLayers } from "./cost-to-go.js";
import type { PolicyInput } from "./policy-input.js";
import { defaultTerminal, rulesOf } from "./rules.js";
import { POLICY_SETTINGS } from "./settings.js";
import { type Policy, SolvedPolicy } from "./solved-policy.js";
import type { Layers } from "./stage-costs.js";
import { type Stage, stagesOf } from "./stages.js";

/**
 * The least-cost policy of one battery under an uncertain load: stochastic dynamic programming over the modes that the
 * installation can carry out (docs/planner.md). Throws a RangeError that names the field for input that makes no sense.
 *
 * @example
 * const policy = planPolicy({ now, steps, ratios, battery, controls: ["charge", "hold", "block"], grid: {} });
 * policy.act({ now, socKwh: 4.2, netLoadKw: 0.8 }).mode; // "hold"
 */
export function planPolicy(input: PolicyInput): Policy {
  checkPolicyInput(input);
  const stages = stagesOf(input);
  const rules = rulesOf(input, stages);
  const tranches: readonly TerminalTranche[] = input.terminal ?? defaultTerminal(stages, rules);
  const scenarios = stages[0]?.netKwh.length ?? 1;
  const worthOf = (slices: readonly TerminalTranche[]) =>
    terminalLayers(rules, scenarios, (socKwh) => -terminalWorthCt(slices, socKwh));
  const published = stages.findIndex((stage) => !stage.published);
  // With PV one day says little about the next: there the forecast alone was better.
  if (published < 1 || stages.some((stage) => stage.pvKwh > 0)) {
    return new SolvedPolicy({
      stages,
      rules,
      tranches,
      values: costToGoLayers(stages, rules, worthOf(tranches)),
    });
  }
  const later = costToGoLayers(stages.slice(published), rules, worthOf(tranches));
  const mixed = mixLayers(
    later[0]!,
    worthOf(defaultTerminal(aroundEnd(stages, published), rules)),
    rules.points,
  );
  const first = costToGoLayers(stages.slice(0, published), rules, mixed);
  return new SolvedPolicy({ stages, rules, tranches, values: [...first, ...later.slice(1)] });
}

/** The last 24 hours of published prices; where less is left of them, the hours that follow fill it up. */
function aroundEnd(stages: readonly Stage[], published: number): Stage[] {
  const from = Math.max(stages[published]!.startMs - DAY_MS, stages[0]!.startMs);
  return stages.filter((stage) => stage.startMs >= from && stage.endMs <= from + DAY_MS);
}

/** Costs to go of the forecast and of the last published day, mixed; only their shapes matter. */
function mixLayers(forecast: Layers, lastDay: Layers, points: number): Layers {
  const share = POLICY_SETTINGS.lastDayShare;
  return forecast.map((ct, k) => {
    const base = k - (k % points);
    return ct + share * (lastDay[k]! - lastDay[base]! - (ct - forecast[base]!));
  });
}
