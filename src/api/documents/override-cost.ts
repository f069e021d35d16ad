import { energyKwh, moneyEur } from "../../core/domain/rounding.js";
import type { DeviceOverrideCost } from "../../plan/windows/override-cost.js";

/** What an override of a device costs, and the plan for the energy that it replaces; null where that is not known. */
export function deviceCostDocument(cost: DeviceOverrideCost | undefined) {
  if (cost === undefined) return null;
  const { override, plan, atOnce } = cost;
  return {
    energy_kwh: energyKwh(override.energyKwh),
    cost_eur: moneyEur(override.costEur),
    plan_energy_kwh: energyKwh(plan.energyKwh),
    plan_cost_eur: moneyEur(plan.costEur),
    ...(atOnce !== undefined && { at_once_cost_eur: moneyEur(atOnce.costEur) }),
  };
}

/** What an override of the battery costs more than the plan; null where that is not known. */
export function batteryCostDocument(moreEur: number | undefined) {
  return moreEur === undefined ? null : { more_than_plan_eur: moneyEur(moreEur) };
}
