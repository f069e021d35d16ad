import { oneWayEfficiency } from "../core/domain/battery.js";
import { HOUR_MS, hoursOf } from "../core/domain/interval.js";
import type { PlanProblem } from "./exact/solve.js";
import type { Step } from "./exact/step.js";
import type { SiteInput } from "./site-input.js";
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
}: SiteInput): PlanProblem {
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
