import { type BatteryCommand, simulateStep } from "./simulate-step.js";
import type { PlanProblem } from "./solve.js";
import { type Flows, flowsOf, type Rules, type Step } from "./step.js";
import type { EnergyBand } from "./value-function.js";

/** What a way of running the battery came to. */
export interface SimulatedRun {
  /** Money over the period less the worth of what is stored at its end, EUR. */
  costEur: number;
  importKwh: number;
  exportKwh: number;
  /** AC energies. */
  chargeKwh: number;
  dischargeKwh: number;
  storedEndKwh: number;
  /** Energy taken out of the store over the battery's capacity. */
  cycles: number;
}

/** A house over a period as it really was. */
export interface RealSite {
  steps: readonly Step[];
  rules: Rules;
  band: EnergyBand;
  capacityKwh: number;
  socKwh: number;
  /** What a kWh stored at the end counts, ct. */
  storedWorthCtKwh: number;
}

/** The real hours of a problem, with the worth of what is stored at the end (`storedWorth`). */
export function realSite(problem: PlanProblem, capacityKwh: number): RealSite {
  const rules: Rules = { ...problem.rules, breachPenaltyCtKwh: 0 };
  const { band, socKwh, steps } = problem;
  return {
    steps,
    rules,
    band: { ...band, topKwh: Math.max(band.maxKwh, socKwh) },
    capacityKwh,
    socKwh,
    storedWorthCtKwh: storedWorth(steps, rules),
  };
}

/**
 * What a kWh stored at the end of a period counts, ct: what it costs to store one anew (the cheapest import price of a
 * day over the charging efficiency), but no more than it could save (the dearest one times the discharging efficiency
 * less wear), as means over the last seven days; never negative. At that price nobody gains by filling the battery for
 * the end, nor loses by leaving it full.
 */
function storedWorth(steps: readonly Step[], rules: Rules): number {
  const days: number[][] = [];
  for (let end = steps.length; end > 0 && days.length < 7; end -= 24) {
    const usable = steps.slice(Math.max(0, end - 24), end).filter((step) => step.maxChargeKwh > 0);
    if (usable.length > 0) days.push(usable.map((step) => step.importPriceCtKwh));
  }
  if (days.length === 0) return 0;
  const mean = (price: (prices: number[]) => number) =>
    days.reduce((sum, prices) => sum + price(prices), 0) / days.length;
  const refillCt = mean((prices) => Math.min(...prices)) / rules.chargeEfficiency;
  const savesCt = mean((prices) => Math.max(...prices)) * rules.dischargeEfficiency - rules.wearCtKwh;
  return Math.max(0, Math.min(refillCt, savesCt));
}

/** Runs the real hours one after the other under the commands; `undefined` leaves the battery at rest. */
export function runSite(
  house: RealSite,
  command: (t: number, socKwh: number) => BatteryCommand | undefined,
): SimulatedRun {
  let socKwh = house.socKwh;
  const flows = house.steps.map((step, t): Flows => {
    const told = command(t, socKwh);
    if (told === undefined) return flowsOf(step, house.rules, 0);
    const hour = simulateStep(step, house.rules, house.band, socKwh, told);
    socKwh = hour.socEndKwh;
    return hour.flows;
  });
  return totals(house, flows, socKwh);
}

/** The sums over the hours of a run that ended with `storedEndKwh`. */
export function totals(house: RealSite, flows: readonly Flows[], storedEndKwh: number): SimulatedRun {
  const sum = (value: (flow: Flows) => number) => flows.reduce((total, flow) => total + value(flow), 0);
  const dischargeKwh = sum((flow) => flow.dischargeKwh);
  return {
    costEur: (sum((flow) => flow.costCt) - house.storedWorthCtKwh * storedEndKwh) / 100,
    importKwh: sum((flow) => flow.importKwh),
    exportKwh: sum((flow) => flow.exportKwh),
    chargeKwh: sum((flow) => flow.chargeKwh),
    dischargeKwh,
    storedEndKwh,
    cycles: dischargeKwh / house.rules.dischargeEfficiency / house.capacityKwh,
  };
}
