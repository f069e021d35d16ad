import type { BatterySettings, SlotSettings } from "../config/settings.js";
import { chargingPower } from "../config/slot-rules.js";
import type { TimedValue } from "../core/domain/counter.js";
import { HOUR_MS } from "../core/domain/interval.js";

/** How far a quantity can get from one reading to the next. */
export interface ChangeLimits {
  upPerHour: number;
  downPerHour: number;
  /** Difference of two readings that needs no time: resolution, rounding and corrections by the device. */
  tolerance: number;
}

/** Devices exceed the powers of the settings: another source, an inverter set below its rating, a battery that ages. */
const RESERVE = 2;
const SOC_TOLERANCE_PCT = 5;
const TEMPERATURE_TOLERANCE_K = 10;
/** Average power of a vehicle on a fast road, kW. */
const DRIVING_KW = 50;
/** Other heat sources of a tank, such as a stove or solar collectors, kW. */
const OTHER_HEAT_KW = 15;
/** Water drawn from a tank with all taps open, litres per hour, and how much colder the water is that flows in, K. */
const DRAW_LITRES_PER_HOUR = 1800;
const DRAW_K = 60;
/** Heat stored in water, kWh per litre and K. */
const WATER_KWH_PER_LITRE_K = 0.001_163;

/** State of charge of a battery, percent: by its capacity and powers. */
export function batteryLimits(
  battery: Pick<
    BatterySettings,
    "capacity_kwh" | "max_charge_power_kw" | "max_discharge_power_kw" | "efficiency_pct"
  >,
): ChangeLimits {
  const perKw = (100 * RESERVE) / battery.capacity_kwh;
  const oneWayEfficiency = Math.sqrt(battery.efficiency_pct / 100);
  return {
    upPerHour: perKw * battery.max_charge_power_kw,
    downPerHour: (perKw * battery.max_discharge_power_kw) / oneWayEfficiency,
    tolerance: SOC_TOLERANCE_PCT,
  };
}

/** State of charge of a vehicle, percent: by its capacity, the power of its charger, and driving. */
export function vehicleLimits(
  slot: Pick<SlotSettings, "power_kw">,
  vehicle: NonNullable<SlotSettings["vehicle"]>,
): ChangeLimits {
  const perKw = (100 * RESERVE) / vehicle.capacity_kwh;
  return {
    upPerHour: perKw * chargingPower(vehicle, slot.power_kw).maxKw,
    downPerHour: perKw * DRIVING_KW,
    tolerance: SOC_TOLERANCE_PCT,
  };
}

/** Temperature of a tank, °C: by its volume, the power of its element, and the water that can be drawn. */
export function tankLimits(
  { power_kw }: Pick<SlotSettings, "power_kw">,
  { litres }: Pick<NonNullable<SlotSettings["store"]>, "litres">,
): ChangeLimits {
  return {
    upPerHour: (RESERVE * Math.max(power_kw ?? 0, OTHER_HEAT_KW)) / (litres * WATER_KWH_PER_LITRE_K),
    downPerHour: (DRAW_LITRES_PER_HOUR / litres) * DRAW_K,
    tolerance: TEMPERATURE_TOLERANCE_K,
  };
}

/** Whether a quantity can have changed from one reading to a later one. */
export function isPossibleChange(from: TimedValue, to: TimedValue, limits: ChangeLimits): boolean {
  const hours = Math.max(0, to.at.getTime() - from.at.getTime()) / HOUR_MS;
  const change = to.value - from.value;
  const perHour = change > 0 ? limits.upPerHour : limits.downPerHour;
  return Math.abs(change) <= limits.tolerance + perHour * hours;
}
