import { oneWayEfficiency } from "../core/domain/battery.js";
import { HOUR_MS, hoursOf } from "../core/domain/interval.js";
import { localDate } from "../core/time/zone.js";
import type { PlanProblem } from "./exact/solve.js";
import type { Step } from "./exact/step.js";
import type { CommandInput } from "./site-input.js";
import { expectedTerminalValue } from "./terminal-value.js";

/** The planning problem of a site in the units of the solver. */
export function siteProblem({
  battery,
  grid,
  prices,
  loadKwh,
  pvKwh,
  soc,
  dischargeLimitKwh,
}: CommandInput): PlanProblem {
  const share = (pct: number) => (battery.capacityKwh * pct) / 100;
  const steps = prices.map((price, t): Step => {
    const hours = hoursOf(price);
    return {
      importPriceCtKwh: price.importCtKwh,
      exportPriceCtKwh: price.exportCtKwh,
      loadKwh: loadKwh[t] ?? 0,
      pvKwh: pvKwh[t] ?? 0,
      maxChargeKwh: battery.maxChargePowerKw * hours,
      minChargeKwh: 0,
      maxDischargeKwh: Math.min(battery.maxDischargePowerKw * hours, dischargeLimitKwh?.[t] ?? Infinity),
      importLimitKwh: grid.importLimitKw === undefined ? Infinity : grid.importLimitKw * hours,
      exportLimitKwh: grid.exportLimitKw === undefined ? Infinity : grid.exportLimitKw * hours,
    };
  });
  const oneWay = oneWayEfficiency(battery.efficiencyPct);
  const rules = {
    chargeEfficiency: oneWay,
    dischargeEfficiency: oneWay,
    wearCtKwh: battery.wearCtKwh,
    gridChargeAllowed: battery.gridChargeAllowed,
    exportAllowed: battery.exportAllowed,
    curtailmentAllowed: grid.curtailmentAllowed ?? false,
  };
  const band = { minKwh: share(battery.minSocPct), maxKwh: share(battery.maxSocPct) };
  const lastDay = steps.filter(
    (_, t) => prices.at(-1)!.end.getTime() - prices[t]!.start.getTime() <= 24 * HOUR_MS,
  );
  return {
    steps,
    rules,
    band,
    socKwh: share(soc.pct),
    terminal: expectedTerminalValue(lastDay, rules, band),
  };
}

/** For each step whether discharging into the load earns more than a stored kWh costs at the lowest price of its local day. */
export function worthUsing(
  { steps, rules }: PlanProblem,
  { prices, zone }: Pick<CommandInput, "prices" | "zone">,
): boolean[] {
  const dates = prices.map((price) => localDate(price.start, zone));
  const cheapest = new Map<string, number>();
  steps.forEach((step, t) => {
    const refill = [
      cheapest.get(dates[t]!) ?? Infinity,
      ...(rules.gridChargeAllowed ? [step.importPriceCtKwh] : []),
      ...(step.pvKwh > step.loadKwh ? [step.exportPriceCtKwh] : []),
    ];
    cheapest.set(dates[t]!, Math.min(...refill));
  });
  return steps.map((step, t) => {
    const refill = cheapest.get(dates[t]!)!;
    // If nothing can refill the battery on that day, any use counts.
    const costCt = refill === Infinity ? 0 : refill / rules.chargeEfficiency;
    const bringsCt = step.importPriceCtKwh * rules.dischargeEfficiency - rules.wearCtKwh;
    return bringsCt > costCt && step.loadKwh > step.pvKwh;
  });
}
