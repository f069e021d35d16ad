import type { Site } from "../config/site.js";
import type { FreshnessLimits } from "../core/domain/freshness.js";
import type { LiveState, Reading } from "../core/domain/sample.js";
import { type BalancedPlant, type PowerBalance, powerBalance } from "../telemetry/energy-balance.js";
import { freshValue } from "./live-readings.js";
import type { BatterySharePct } from "./site-input.js";

/** The energy balance of the fresh readings of a site. */
export function freshBalance(
  plant: BalancedPlant,
  live: LiveState,
  { now, limits }: { now: Date; limits: FreshnessLimits },
): PowerBalance {
  return powerBalance(plant, (reading: Reading) => freshValue(live[reading], now, limits));
}

/** The present load without vehicles, kW; undefined while it is not measured. */
export function loadWithoutVehicles({ loadKw, vehicleKw = 0 }: PowerBalance): number | undefined {
  if (loadKw === undefined) return undefined;
  // Without float noise: the power of the vehicle may just have been added.
  return Math.max(Math.min(loadKw, 0), Math.round((loadKw - vehicleKw) * 1e9) / 1e9);
}

/** Load plus the battery's share of the wallbox now, kW: the cap while the vehicle charges. */
export function evLimitKw(
  {
    flex,
    freshness: limits,
    telemetry,
  }: {
    flex: { batterySharePct(siteId: string): BatterySharePct };
    freshness: FreshnessLimits;
    telemetry: { live(siteId: string): LiveState };
  },
  site: Site,
  now: Date,
): number {
  const balance = freshBalance(site.plant, telemetry.live(site.id), { now, limits });
  const { vehicleKw = 0 } = balance;
  const share = flex.batterySharePct(site.id);
  const sharePct = share === "auto" ? 100 : share;
  return (loadWithoutVehicles(balance) ?? 0) + (vehicleKw * sharePct) / 100;
}
