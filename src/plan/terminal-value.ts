import { emptyFunction, type PiecewiseLinear } from "./exact/piecewise-linear.js";
import type { Rules, Step } from "./exact/step.js";

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
 * Expected worth of the energy left at the end, derived from the last day of the horizon as the best estimate of the day
 * after it (docs/spec/outputs-and-plan.md section 4 rule 9). First comes the energy that the battery would discharge in
 * its expensive hours, at their price times discharge efficiency less wear, highest first, in at most three tranches; the
 * rest is worth the price of the cheapest refill. The refill price includes no losses, so that neither charging nor
 * discharging for it alone pays. No tranche is worth more than its best use: with flat prices a battery valued at its
 * refill price would never be discharged.
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
  return falling([
    // Energy below the band is never used; its worth only shifts the objective.
    { kwh: band.minKwh, ctKwh: best },
    ...slices,
    { kwh: Math.max(0, roomKwh - usedKwh), ctKwh: restCt },
  ]);
}

/** The tranches without the rises that rounding leaves between means of equal prices. */
function falling(tranches: readonly TerminalTranche[]): TerminalTranche[] {
  let mostCt = Infinity;
  return tranches.map(({ kwh, ctKwh }) => {
    mostCt = Math.min(mostCt, ctKwh);
    return { kwh, ctKwh: mostCt };
  });
}

/** Cheapest price of charging on that day, ct/kWh and never negative; 0 without any. */
function cheapestRefill(lastDay: readonly Step[], rules: Omit<Rules, "breachPenaltyCtKwh">): number {
  const prices = lastDay.flatMap((step) => {
    const ways: number[] = [];
    if (rules.gridChargeAllowed && step.maxChargeKwh > 0) ways.push(step.importPriceCtKwh);
    if (step.pvKwh > step.loadKwh) ways.push(step.exportPriceCtKwh);
    return ways;
  });
  return prices.length === 0 ? 0 : Math.max(0, Math.min(...prices));
}

/** Revenue of discharging in the step per stored kWh: first into the load, then by export where allowed. */
function usesOf(step: Step, rules: Omit<Rules, "breachPenaltyCtKwh">): TerminalTranche[] {
  const forLoad = Math.min(step.maxDischargeKwh, Math.max(0, step.loadKwh - step.pvKwh));
  const forExport = rules.exportAllowed ? Math.min(step.maxDischargeKwh - forLoad, step.exportLimitKwh) : 0;
  const worth = (priceCtKwh: number) => priceCtKwh * rules.dischargeEfficiency - rules.wearCtKwh;
  return [
    { kwh: forLoad / rules.dischargeEfficiency, ctKwh: worth(step.importPriceCtKwh) },
    { kwh: forExport / rules.dischargeEfficiency, ctKwh: worth(step.exportPriceCtKwh) },
  ];
}

/** The best `roomKwh` of the uses (descending by worth) as at most `GROUPS` tranches of about equal energy and mean worth. */
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
