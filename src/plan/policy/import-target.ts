import { HOUR_MS } from "../../core/domain/interval.js";
import { terminalWorthCt } from "../terminal-value.js";
import { costToGoLayers, terminalLayers } from "./cost-to-go.js";
import type { ImportTarget, PolicyInput } from "./policy-input.js";
import { defaultTerminal, rulesOf } from "./rules.js";
import { runPolicy, sampleCourses } from "./sample-runs.js";
import { stagesOf } from "./stages.js";

/** The price on the highest mean import of the month in progress. */
export interface PeakPrice {
  /** Charged in any case: the highest import of the month so far, or the least power that is charged, kW. */
  floorKw: number;
  /** Price of a kW for the month, ct, from `overKw` on; ascending, the first from 0. */
  tiers: readonly { overKw: number; ctPerKw: number }[];
  /** End of the month. */
  end: Date;
}

/** Candidates between the floor and the highest import of the policy without a target, as shares of the distance. */
const SHARES = [0, 0.06, 0.13, 0.21, 0.3, 0.4, 0.55, 0.75, 1];
/** The target stays while another is expected to save no more in the month, ct. */
const LEAST_GAIN_CT = 10;

/**
 * The import that is worth paying for: of a list of targets from the floor upwards the one with the lowest expected sum of energy
 * cost until the end of the month and price of the month's peak, over sampled loads. What the horizon of the plan costs stands for
 * the rest of the month; what comes after the month has a peak of its own. undefined where nothing is charged for a peak. Pure.
 */
export function chooseImportTarget({
  site,
  socKwh,
  price,
  previousKw,
  samples = 12,
}: {
  site: PolicyInput;
  socKwh: number;
  price: PeakPrice;
  /** The target in force. */
  previousKw?: number | undefined;
  samples?: number;
}): ImportTarget | undefined {
  const { floorKw, tiers, end } = price;
  const plain = stagesOf(site);
  if (plain.length === 0 || tiers.every(({ ctPerKw }) => ctPerKw <= 0)) return undefined;
  const startMs = plain[0]!.startMs;
  const horizonMs = Math.min(plain.at(-1)!.endMs, end.getTime()) - startMs;
  const repeated = Math.max(1, (end.getTime() - startMs) / Math.max(HOUR_MS, horizonMs));
  const rules = rulesOf(site);
  const tranches = site.terminal ?? defaultTerminal(plain, rules);
  const terminal = terminalLayers(rules, (stored) => -terminalWorthCt(tranches, stored));
  const courses = sampleCourses({ stages: plain, rules }, rules.chain.count === 1 ? 1 : samples, 1);
  const steps = site.steps.map((step) => (step.start < end ? step : { ...step, targetApplies: false }));
  const evaluate = (kw: number) => {
    const target = targetAt(price, kw);
    const stages = stagesOf({ ...site, steps, grid: { ...site.grid, importTarget: target } });
    const values = costToGoLayers(stages, rules, terminal);
    const solved = { stages, rules, values, tranches, targets: [], changes: [] };
    let ct = 0;
    for (const run of runPolicy(solved, { socKwh }, courses)) {
      let peakKw = floorKw;
      for (const [t, stage] of stages.entries()) {
        if (stage.overCtKw > 0) peakKw = Math.max(peakKw, run.gridKwh[t]! / stage.hours);
      }
      const energyCt = run.costCt - terminalWorthCt(tranches, run.socKwh.at(-1) ?? socKwh);
      ct += repeated * energyCt + powerCt(tiers, peakKw);
    }
    return { target, ct: ct / courses.length };
  };
  const highestNetKw = Math.max(...plain.map(({ netKwh, hours }) => Math.max(...netKwh) / hours));
  const canCharge = rules.controls.has("charge");
  const topKw = Math.min(
    Math.max(0, highestNetKw) + (canCharge ? rules.battery.maxChargePowerKw : 0),
    Math.max(floorKw, rules.importLimitKw),
  );
  const spanKw = Math.max(0, topKw - floorKw);
  let best: ReturnType<typeof evaluate> | undefined;
  for (const share of spanKw > 0 ? SHARES : [0]) {
    const candidate = evaluate(floorKw + share * spanKw);
    if (best === undefined || candidate.ct < best.ct - 1e-6) best = candidate;
  }
  if (previousKw === undefined || previousKw < floorKw) return best!.target;
  const held = evaluate(previousKw);
  return held.ct - best!.ct <= LEAST_GAIN_CT ? held.target : best!.target;
}

/** The target at a power, at least the floor. */
export function targetAt({ floorKw, tiers }: PeakPrice, atKw: number): ImportTarget {
  const kw = Math.max(floorKw, atKw);
  return { kw, ctPerKw: marginalCt(tiers, kw) };
}

function marginalCt(tiers: PeakPrice["tiers"], kw: number): number {
  return (tiers.findLast(({ overKw }) => overKw <= kw) ?? tiers[0]!).ctPerKw;
}

/** Price of a month's peak, ct. */
function powerCt(tiers: PeakPrice["tiers"], kw: number): number {
  return tiers.reduce((sum, { overKw, ctPerKw }, index) => {
    const upTo = Math.min(kw, tiers[index + 1]?.overKw ?? Infinity);
    return sum + Math.max(0, upTo - overKw) * ctPerKw;
  }, 0);
}
