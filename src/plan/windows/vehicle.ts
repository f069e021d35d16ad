import type { SlotSettings, VehicleSettings } from "../../config/settings.js";
import { chargingPower, fixedBatteryShare } from "../../config/slot-rules.js";
import { addDays, instantOf, localDate } from "../../core/time/zone.js";
import type { FlexRequest } from "./request.js";

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** A vehicle as it is planned; energies kWh stored, powers kW at the wallbox. */
export interface PlannedVehicle {
  storedKwh: number;
  minKwh: number;
  targetKwh: number;
  efficiency: number;
  minPowerKw: number;
  maxPowerKw: number;
}

/** The vehicle of a slot at a state of charge; without one it counts as just reaching its least. */
export function vehicleOf(
  { power_kw }: Pick<SlotSettings, "power_kw">,
  vehicle: VehicleSettings,
  socPct: number | undefined,
): PlannedVehicle {
  const { minKw, maxKw } = chargingPower(vehicle, power_kw);
  const kwh = (pct: number) => (vehicle.capacity_kwh * pct) / 100;
  return {
    storedKwh: kwh(socPct ?? vehicle.min_soc_pct),
    minKwh: kwh(vehicle.min_soc_pct),
    targetKwh: kwh(vehicle.target_soc_pct),
    efficiency: vehicle.efficiency_pct / 100,
    minPowerKw: Math.min(minKw, maxKw),
    maxPowerKw: maxKw,
  };
}

/** Departures after `now` and up to `until`, in order of time. */
export function departuresOf(
  { departure }: Pick<VehicleSettings, "departure">,
  { now, until, zone }: { now: Date; until: Date; zone: string },
): Date[] {
  const departures: Date[] = [];
  for (let date = localDate(now, zone); ; date = addDays(date, 1)) {
    const midnight = instantOf(date, 0, zone);
    if (midnight > until) return departures;
    const weekday = WEEKDAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7]!;
    const time = typeof departure === "string" ? departure : departure[weekday];
    if (time === undefined || time === null) continue;
    const [hour, minute] = time.split(":").map(Number) as [number, number];
    const at = new Date(instantOf(date, hour, zone).getTime() + minute * 60_000);
    if (at > now && at <= until) departures.push(at);
  }
}

/** The demand of a vehicle until its next departure; undefined without a departure in the horizon. */
export function vehicleRequest(
  slot: SlotSettings,
  { socPct, now, until, zone }: { socPct?: number | undefined; now: Date; until: Date; zone: string },
): FlexRequest | undefined {
  if (slot.vehicle === null) return undefined;
  const [end] = departuresOf(slot.vehicle, { now, until, zone });
  if (end === undefined) return undefined;
  const { storedKwh, minKwh, targetKwh, efficiency, maxPowerKw } = vehicleOf(slot, slot.vehicle, socPct);
  return {
    gridMinutes: 15,
    window: { kind: "fixed", end },
    energyKwh: Math.max(0, targetKwh - storedKwh) / efficiency,
    atOnceKwh: Math.max(0, minKwh - storedKwh) / efficiency,
    maxPowerKw,
    consecutive: "off",
    batterySharePct: fixedBatteryShare(slot),
  };
}
