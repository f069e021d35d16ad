import { type TerminalTranche, terminalWorthCt } from "../terminal-value.js";
import { checkPolicyInput } from "./check-policy-input.js";
import { costToGoLayers, terminalLayers } from "./cost-to-go.js";
import type { PolicyInput } from "./policy-input.js";
import { defaultTerminal, rulesOf } from "./rules.js";
import { type Policy, SolvedPolicy } from "./solved-policy.js";
import type { Layers } from "./stage-costs.js";
import { stagesOf } from "./stages.js";

/**
 * The least-cost policy of one battery under an uncertain load: stochastic dynamic programming over the modes that the
 * installation can carry out (docs/planner.md). Throws a RangeError that names the field for input that makes no sense.
 *
 * @example
 * const policy = planPolicy({ now, steps, ratios, battery, controls: ["charge", "hold", "block"], grid: {} });
 * policy.act({ now, socKwh: 4.2, netLoadKw: 0.8 }).mode; // "hold"
 */
export function planPolicy(input: PolicyInput): Policy {
  const { stages, rules, tranches, terminal } = problemOf(input);
  return new SolvedPolicy({
    stages,
    rules,
    tranches,
    values: costToGoLayers(stages, rules, terminal),
    targets: [],
  });
}

/** Stages that are solved between two pauses: a few milliseconds of work. */
const STAGES_PER_TURN = 16;

/** The same policy, with a pause after every few stages, so that a long horizon does not block the event loop. */
export async function planPolicyWithPauses(input: PolicyInput, pause: () => Promise<void>): Promise<Policy> {
  const { stages, rules, tranches, terminal } = problemOf(input);
  let values: Layers[] = [terminal];
  for (let end = stages.length; end > 0; end -= STAGES_PER_TURN) {
    const part = stages.slice(Math.max(0, end - STAGES_PER_TURN), end);
    values = [...costToGoLayers(part, rules, values[0]!), ...values.slice(1)];
    await pause();
  }
  return new SolvedPolicy({ stages, rules, tranches, values, targets: [] });
}

function problemOf(input: PolicyInput) {
  checkPolicyInput(input);
  const stages = stagesOf(input);
  const rules = rulesOf(input);
  const tranches: readonly TerminalTranche[] = input.terminal ?? defaultTerminal(stages, rules);
  const terminal = terminalLayers(rules, (socKwh) => -terminalWorthCt(tranches, socKwh));
  return { stages, rules, tranches, terminal };
}
