import type { Site } from "../accounts/sites.js";
import { planHash } from "../plan/charge-runs.js";
import type { Present } from "../plan/site-facts.js";
import type { PlanScalars } from "../plan/site-plan.js";

/**
 * The values without a plan (fail-safe of docs/spec/outputs-and-plan.md section 3): no charging from the grid, full
 * discharge power. An age of -1 means unknown.
 */
export function safeScalars({ plant }: Site, present: Present | undefined, now: Date): PlanScalars {
  const { battery } = plant;
  return {
    hoursNeeded: 0,
    hoursNeededToday: 0,
    energyChargeKwh: 0,
    prefixHoursNeededToday: 0,
    prefixPeriodHoursToday: 0,
    prefixEnergyChargeKwh: 0,
    chargeNow: 0,
    chargeStopSocPct: battery?.max_soc_pct ?? 0,
    dischargePowerKw: battery?.max_discharge_power_kw ?? 0,
    dischargeReason: "telemetry_lost",
    adaptiveDischarge: false,
    minSocPct: battery?.min_soc_pct ?? 0,
    chargePowerKw: 0,
    gridChargeAllowed: battery?.grid_charge_allowed ?? false,
    chargeCapKw: battery?.max_charge_power_kw ?? 0,
    chargeCapReason: "full",
    feedInLimitKw: plant.grid.export_limit_kw,
    dischargeSetKw: 0,
    importTargetKw: null,
    following: "unknown",
    followingCause: "no_telemetry",
    followingSince: now,
    planHash: planHash([]),
    socAgeMinutes: -1,
    socStale: true,
    minutesToChargeStart: -1,
    currentQuartile: present?.currentQuartile ?? 3,
    currentPriceCtKwh: present?.currentPriceCtKwh ?? 0,
  };
}
