import { emptyFunction, type PiecewiseLinear } from "./piecewise-linear.js";
import type { Rules, Step } from "./step.js";

/** A slice of stored energy at the end of the horizon and what a kWh of it is worth; slices stack from 0 kWh up. */
export interface TerminalTranche {
  kwh: number;
  ctKwh: number;
}

/** Worth of the energy stored at the end, ct. Energy above the last tranche is worth nothing. */
export function terminalWorthCt(tranches: readonly TerminalTranche[], socKwh: number): number {
  let left = socKwh;
  let worth = 0;
  for (const tranche of tranches) {
    if (left <= 0) break;
    const taken = Math.min(left, tranche.kwh);
    worth += taken * tranche.ctKwh;
    left -= taken;
  }
  return worth;
}

/** The terminal function `-worth(s)` over `[low, high]`. */
export function terminalFunction(
  tranches: readonly TerminalTranche[],
  low: number,
  high: number,
): PiecewiseLinear {
  const f = emptyFunction();
  let bottom = 0;
  for (const { kwh, ctKwh } of [...tranches, { kwh: Infinity, ctKwh: 0 }]) {
    const from = Math.max(bottom, low);
    const to = Math.min(bottom + kwh, high);
    if (to > from) {
      f.from.push(from);
      f.to.push(to);
      f.value.push(-terminalWorthCt(tranches, from));
      f.slope.push(-ctKwh);
    }
    bottom += kwh;
  }
  if (f.from.length === 0) f.points.push({ x: low, y: -terminalWorthCt(tranches, low) });
  return f;
}

const GROUPS = 3;

/**
 * What the energy left at the end is expected to be worth, read off the last day of the horizon as the best picture
 * of the day after it (docs/spec/outputs-and-plan.md section 4 rule 9): first the energy that its dear hours would take from the battery,
 * at their price times discharge efficiency less wear, dearest first, in at most three slices; the rest at the price
 * of the cheapest refill. The refill counts once, without losses: charging for it at the same price would not pay,
 * nor would giving it away below it. Nor is any of it worth more than its best use: where prices are flat nobody would
 * refill, and a battery that is held for its refill price would be held for ever.
 */
export function expectedTerminalValue(
  lastDay: readonly Step[],
  rules: Omit<Rules, "breachPenaltyCtKwh">,
  band: { minKwh: number; maxKwh: number },
): TerminalTranche[] {
  const refillCt = cheapestRefill(lastDay, rules);
  const all = lastDay.flatMap((step) => usesOf(step, rules)).filter((use) => use.kwh > 0);
  const uses = all.filter((use) => use.ctKwh > refillCt).sort((a, b) => b.ctKwh - a.ctKwh);
  const bestUseCt = Math.max(0, ...all.map((use) => use.ctKwh));
  const restCt = all.length === 0 ? refillCt : Math.min(refillCt, bestUseCt);
  const roomKwh = band.maxKwh - band.minKwh;
  const slices = groupUses(uses, roomKwh);
  const usedKwh = slices.reduce((sum, slice) => sum + slice.kwh, 0);
  const best = slices[0]?.ctKwh ?? restCt;
  return [
    // What lies below the band is never used; its worth only shifts the objective.
    { kwh: band.minKwh, ctKwh: best },
    ...slices,
    { kwh: Math.max(0, roomKwh - usedKwh), ctKwh: restCt },
  ];
}

/** Cheapest way to fill the store on that day, ct/kWh and never negative; 0 where nothing is known. */
function cheapestRefill(lastDay: readonly Step[], rules: Omit<Rules, "breachPenaltyCtKwh">): number {
  const prices = lastDay.flatMap((step) => {
    const ways: number[] = [];
    if (rules.gridChargeAllowed && step.maxChargeKwh > 0) ways.push(step.importPriceCtKwh);
    if (step.pvKwh > step.loadKwh) ways.push(step.exportPriceCtKwh);
    return ways;
  });
  return prices.length === 0 ? 0 : Math.max(0, Math.min(...prices));
}

/** What discharging in the step would bring per stored kWh: first the load, then export where that is allowed. */
function usesOf(step: Step, rules: Omit<Rules, "breachPenaltyCtKwh">): TerminalTranche[] {
  const forLoad = Math.min(step.maxDischargeKwh, Math.max(0, step.loadKwh - step.pvKwh));
  const forExport = rules.exportAllowed ? Math.min(step.maxDischargeKwh - forLoad, step.exportLimitKwh) : 0;
  const worth = (priceCtKwh: number) => priceCtKwh * rules.dischargeEfficiency - rules.wearCtKwh;
  return [
    { kwh: forLoad / rules.dischargeEfficiency, ctKwh: worth(step.importPriceCtKwh) },
    { kwh: forExport / rules.dischargeEfficiency, ctKwh: worth(step.exportPriceCtKwh) },
  ];
}

/** The best `roomKwh` of the uses (descending by worth) as a few slices of about equal energy at their mean worth. */
function groupUses(uses: readonly TerminalTranche[], roomKwh: number): TerminalTranche[] {
  const total = Math.min(
    roomKwh,
    uses.reduce((sum, use) => sum + use.kwh, 0),
  );
  if (!(total > 0)) return [];
  const size = total / GROUPS;
  const slices: TerminalTranche[] = [];
  let slice = { kwh: 0, worth: 0 };
  for (const use of uses) {
    let left = use.kwh;
    while (left > 1e-12 && slices.length < GROUPS) {
      const taken = Math.min(left, size - slice.kwh);
      slice.kwh += taken;
      slice.worth += taken * use.ctKwh;
      left -= taken;
      if (slice.kwh >= size - 1e-12) {
        slices.push({ kwh: slice.kwh, ctKwh: slice.worth / slice.kwh });
        slice = { kwh: 0, worth: 0 };
      }
    }
  }
  return slices;
}
