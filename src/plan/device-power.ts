import type { Site } from "../config/site.js";
import type { FreshnessLimits } from "../core/domain/freshness.js";
import { type LiveState, readingOfSlot } from "../core/domain/sample.js";
import { type ApartSlot, slotsApart } from "../core/domain/slots-apart.js";
import { freshValue } from "./live-readings.js";
import type { BatterySharePct } from "./site-input.js";

/** Measured powers of what is not part of the site's load, kW; undefined where no reading is fresh. */
export interface DevicePower {
  /** Of the vehicles: `ev_power_kw`, otherwise the sum of the wallboxes' slots. */
  vehicleKw: number | undefined;
  /** Of the other devices that are planned apart. */
  othersKw: number | undefined;
}

/** The powers of a site's devices by their fresh readings. */
export function devicePower(
  live: LiveState,
  slots: readonly ApartSlot[],
  { now, limits }: { now: Date; limits: FreshnessLimits },
): DevicePower {
  const sumOf = (isWallbox: boolean) => {
    const powers = slots
      .filter((slot) => slot.isWallbox === isWallbox)
      .map(({ slot }) => freshValue(live[readingOfSlot(slot, "power_kw")], now, limits))
      .filter((power) => power !== undefined);
    return powers.length === 0 ? undefined : powers.reduce((sum, power) => sum + power, 0);
  };
  return { vehicleKw: freshValue(live.ev_power_kw, now, limits) ?? sumOf(true), othersKw: sumOf(false) };
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
  const live = telemetry.live(site.id);
  const { vehicleKw = 0 } = devicePower(live, slotsApart(site.plant.slots), { now, limits });
  const share = flex.batterySharePct(site.id);
  const sharePct = share === "auto" ? 100 : share;
  return (freshValue(live.load_power_kw, now, limits) ?? 0) + (vehicleKw * sharePct) / 100;
}
