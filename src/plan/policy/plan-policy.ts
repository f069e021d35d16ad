import { type TerminalTranche, terminalWorthCt } from "../terminal-value.js";
import { checkPolicyInput } from "./check-policy-input.js";
import { costToGoLayers, terminalLayers } from "./cost-to-go.js";
import { TIE_CT } from "./decide.js";
import type { PolicyInput } from "./policy-input.js";
import { defaultTerminal, rulesOf } from "./rules.js";
import { expectedRun } from "./simulate-policy.js";
import { type Policy, SolvedPolicy } from "./solved-policy.js";
import type { SolvedStages } from "./solved-stages.js";
import type { Layers } from "./stage-costs.js";
import { isSameStage, stagesOf } from "./stages.js";
import type { Targets } from "./targets.js";

/**
 * The least-cost policy of one battery under an uncertain load: stochastic dynamic programming over the modes that the
 * installation can carry out (docs/planner.md). Throws a RangeError that names the field for input that makes no sense.
 *
 * @example
 * const policy = planPolicy({ now, steps, ratios, battery, controls: ["charge", "hold", "block"], grid: {} });
 * policy.act({ now, socKwh: 4.2, netLoadKw: 0.8 }).mode; // "hold"
 */
export function planPolicy(input: PolicyInput): Policy {
  return new SolvedPolicy(solveStages(input));
}

/** The stages solved; what does not differ from the end of the horizon back to a stage is taken from the earlier solution. */
export function solveStages(input: PolicyInput, earlier?: SolvedStages): SolvedStages {
  const { stages, rules, tranches, terminal } = problemOf(input);
  const known = earlier === undefined ? 0 : stagesInCommon({ stages, rules, tranches }, earlier);
  const first = stages.length - known;
  // The layer before the stages in common is theirs too.
  const kept = known === 0 ? [terminal] : earlier!.values.slice(-1 - known);
  const targets: Targets[][] = new Array(first);
  const changes: Float64Array[] = new Array(first);
  if (known > 0) {
    targets.push(...earlier!.targets.slice(earlier!.stages.length - known));
    changes.push(...earlier!.changes.slice(earlier!.stages.length - known));
  }
  return {
    stages,
    rules,
    tranches,
    values: [...costToGoLayers(stages.slice(0, first), rules, kept[0]!), ...kept.slice(1)],
    targets,
    changes,
  };
}

/** Number of stages at the end that have the same cost to go in both. */
function stagesInCommon(
  now: Omit<SolvedStages, "values" | "targets" | "changes">,
  earlier: SolvedStages,
): number {
  const shared = ({ rules, tranches }: Pick<SolvedStages, "rules" | "tranches">) =>
    JSON.stringify([{ ...rules, controls: [...rules.controls] }, tranches]);
  if (shared(now) !== shared(earlier)) return 0;
  const most = Math.min(now.stages.length, earlier.stages.length);
  let count = 0;
  while (count < most && isSameStage(now.stages.at(-1 - count)!, earlier.stages.at(-1 - count)!)) count++;
  return count;
}

/** Stages that are solved at once: a few milliseconds of work. */
const STAGES_PER_TURN = 16;

/** The same policy, with a pause after every few stages, so that a long horizon does not block the event loop. */
export async function planPolicyWithPauses(input: PolicyInput, pause: () => Promise<void>): Promise<Policy> {
  const problem = problemOf(input);
  let values: Layers[] = [problem.terminal];
  for (values of solvedInTurns(problem)) await pause();
  return new SolvedPolicy({ ...problem, values, targets: [], changes: [] });
}

/** The layers from the end of the horizon back, after every few stages. */
function* solvedInTurns({ stages, rules, terminal }: Problem): Generator<Layers[]> {
  let values: Layers[] = [terminal];
  for (let end = stages.length; end > 0; end -= STAGES_PER_TURN) {
    const part = stages.slice(Math.max(0, end - STAGES_PER_TURN), end);
    values = [...costToGoLayers(part, rules, values[0]!), ...values.slice(1)];
    yield values;
  }
}

/** Stored energies that differ by less are the same, kWh. */
const SAME_KWH = 1e-6;

/**
 * Whether what the battery is expected to store in the stages that start before an instant differs between the lowest and the highest
 * worth of what is left at the end of the horizon, ct/kWh.
 */
export function dependsOnTerminal(
  input: PolicyInput,
  worths: readonly number[],
  { socKwh, until }: { socKwh: number; until: Date },
): boolean {
  const problemAt = (ctKwh: number) =>
    problemOf({ ...input, terminal: [{ kwh: input.battery.maxSocKwh, ctKwh }] });
  const low = problemAt(Math.min(...worths));
  const high = problemAt(Math.max(...worths));
  const { stages } = low;
  const count = stages.filter(({ startMs }) => startMs < until.getTime()).length;
  let lows: Layers[] = [low.terminal];
  let highs: Layers[] = [high.terminal];
  const turns = solvedInTurns(high);
  for (lows of solvedInTurns(low)) {
    highs = turns.next().value as Layers[];
    // From here back the costs to go differ by an amount that does not depend on what is stored, and so nothing else does.
    if (lows.length <= stages.length - count + 1 && isSameWorth(lows[0]!, highs[0]!)) return false;
  }
  const storedKwh = (problem: Problem, values: readonly Layers[]) =>
    expectedRun({ ...problem, values, targets: [], changes: [] }, { socKwh }).socKwh.subarray(0, count);
  const lowKwh = storedKwh(low, lows);
  return storedKwh(high, highs).some((kwh, t) => Math.abs(kwh - lowKwh[t]!) > SAME_KWH);
}

function isSameWorth(one: Layers, other: Layers): boolean {
  const offset = one[0]! - other[0]!;
  return one.every((ct, index) => Math.abs(ct - other[index]! - offset) < TIE_CT);
}

type Problem = ReturnType<typeof problemOf>;

function problemOf(input: PolicyInput) {
  checkPolicyInput(input);
  const stages = stagesOf(input);
  const rules = rulesOf(input);
  const tranches: readonly TerminalTranche[] = input.terminal ?? defaultTerminal(stages, rules);
  const terminal = terminalLayers(rules, (socKwh) => -terminalWorthCt(tranches, socKwh));
  return { stages, rules, tranches, terminal };
}
