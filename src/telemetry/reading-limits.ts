import type { BatterySettings, PlantSettings, SlotSettings } from "../config/settings.js";
import { type LimitedPlant, type PowerRange, siteLimits } from "../config/site-limits.js";
import { chargingPower } from "../config/slot-rules.js";
import { oneWayEfficiency } from "../core/domain/battery.js";
import { isPossibleStep, isRunning, type TimedValue } from "../core/domain/counter.js";
import { HOUR_MS } from "../core/domain/interval.js";
import { type Reading, readingOfBattery, readingOfSlot } from "../core/domain/sample.js";
import { slotNumber } from "../core/domain/slot.js";

/** How far a quantity can get from one reading to the next. */
interface ChangeLimits {
  upPerHour: number;
  downPerHour: number;
  /** Difference of two readings that needs no time: resolution, rounding and corrections by the device. */
  tolerance: number;
  /** What the quantity cannot be at any time; left out: not limited. */
  range?: { least: number; most: number };
}

/** Devices exceed the powers of the settings: another source, an inverter set below its rating, a battery that ages. */
const RESERVE = 2;
const SOC_TOLERANCE_PCT = 5;
const TEMPERATURE_TOLERANCE_K = 10;
/** Water in a tank neither freezes nor boils, °C: anything else is another unit or a broken sensor. */
const WATER_C = { least: 0, most: 100 };
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
  const efficiency = oneWayEfficiency(battery.efficiency_pct);
  return {
    upPerHour: perKw * battery.max_charge_power_kw,
    downPerHour: (perKw * battery.max_discharge_power_kw) / efficiency,
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
    range: WATER_C,
  };
}

/** Whether a quantity can have changed from one reading to a later one. */
export function isPossibleChange(from: TimedValue, to: TimedValue, limits: ChangeLimits): boolean {
  const hours = Math.max(0, to.at.getTime() - from.at.getTime()) / HOUR_MS;
  const change = to.value - from.value;
  const perHour = change > 0 ? limits.upPerHour : limits.downPerHour;
  return Math.abs(change) <= limits.tolerance + perHour * hours;
}

/** A power within a range. */
export interface PowerLimits extends PowerRange {
  kind: "power";
  /** How far beyond the range several readings in a row are believed, as a multiple of it. */
  believedTimes: number;
}

/** A cumulative counter: it never falls, and rises at most with this power. */
export interface CounterLimits {
  kind: "counter";
  mostKw: number;
}

/** What a reading can be; a state of charge or a temperature is limited by its speed of change. */
export type ReadingLimits = (ChangeLimits & { kind?: undefined }) | PowerLimits | CounterLimits;

/** The limits of the readings of a site; others are not limited. */
export type LimitsByReading = ReadonlyMap<Reading, ReadingLimits>;

/** A device may be larger than its settings; a larger factor is another unit or a faulty register. */
const LARGER_DEVICE_TIMES = 5;

/** Readings in a row that agree with one another and are then believed, although earlier ones rule them out. */
export function confirmations({ kind }: ReadingLimits): number {
  return kind === undefined ? 2 : 3;
}

/** Whether a value is possible after the last one, if any. `excessKwh`: what a counter had counted beyond its limit by then. */
export function isPossible(
  from: TimedValue | undefined,
  to: TimedValue,
  limits: ReadingLimits,
  excessKwh = 0,
): boolean {
  if (limits.kind === "power")
    return (
      isWithin(to.value, limits, 1) ||
      // The device has been believed before.
      (from !== undefined && !isWithin(from.value, limits, 1) && isSameDevice(from, to, limits))
    );
  if (isOutOfRange(to.value, limits)) return false;
  if (from === undefined) return true;
  if (limits.kind === "counter") return isPossibleStep(from, to, limits.mostKw, excessKwh);
  return isPossibleChange(from, to, limits);
}

/** Whether a quantity cannot have a value, whatever it had before. */
export function isOutOfRange(value: number, limits: ReadingLimits): boolean {
  const range = limits.kind === undefined ? limits.range : undefined;
  return range !== undefined && (value < range.least || value > range.most);
}

/** Whether an impossible reading confirms the impossible one before it. */
export function confirms(held: TimedValue, next: TimedValue, limits: ReadingLimits): boolean {
  if (next.at <= held.at) return false;
  if (limits.kind === "power") return isSameDevice(held, next, limits);
  if (limits.kind === "counter") return isRunning(held, next, limits.mostKw);
  return isPossible(held, next, limits);
}

const UNIT_FACTOR = 1000;
const UNIT_TOLERANCE = 0.01;

/** Whether a counter seems to have changed between Wh and kWh, or kWh and MWh. */
export function isOtherUnit(from: TimedValue | undefined, to: TimedValue, { kind }: ReadingLimits): boolean {
  if (kind !== "counter" || from === undefined) return false;
  return [from.value / to.value, to.value / from.value].some(
    (factor) => Math.abs(factor / UNIT_FACTOR - 1) < UNIT_TOLERANCE,
  );
}

/** Whether two powers can be those of a device that is larger than its settings. */
function isSameDevice(one: TimedValue, other: TimedValue, limits: PowerLimits): boolean {
  return (
    Math.sign(one.value) === Math.sign(other.value) &&
    isWithin(one.value, limits, limits.believedTimes) &&
    isWithin(other.value, limits, limits.believedTimes)
  );
}

function isWithin(value: number, { minKw, maxKw }: PowerRange, times: number): boolean {
  return value >= times * minKw && value <= times * maxKw;
}

/** The range of the power of a device; undefined: not limited. */
export function powerRange(limits: LimitsByReading, reading: Reading): PowerRange | undefined {
  const limit = limits.get(reading);
  return limit?.kind === "power" ? limit : undefined;
}

const known = new WeakMap<LimitedPlant, LimitsByReading>();

/** The limits of the readings of a plant by its settings; computed once for each object of settings. */
export function readingLimits(plant: LimitedPlant): LimitsByReading {
  const before = known.get(plant);
  if (before !== undefined) return before;
  const limits = computeLimits(plant);
  known.set(plant, limits);
  return limits;
}

function computeLimits(plant: LimitedPlant): LimitsByReading {
  const { battery, batteries, slots } = plant;
  const site = siteLimits(plant);
  const connection = { minKw: -site.connectionKw, maxKw: site.connectionKw };
  const device = (range: PowerRange, isKnown = true): PowerLimits => ({
    kind: "power",
    ...range,
    believedTimes: isKnown ? LARGER_DEVICE_TIMES : 1,
  });
  const limits = new Map<Reading, ReadingLimits>([
    ["import_kwh", { kind: "counter", mostKw: site.connectionKw }],
    ["export_kwh", { kind: "counter", mostKw: site.connectionKw }],
    ["pv_kwh", { kind: "counter", mostKw: LARGER_DEVICE_TIMES * site.pv.maxKw }],
    ["charge_kwh", { kind: "counter", mostKw: LARGER_DEVICE_TIMES * site.battery.maxKw }],
    ["discharge_kwh", { kind: "counter", mostKw: LARGER_DEVICE_TIMES * -site.battery.minKw }],
    ["grid_power_kw", device(connection, false)],
    ["load_power_kw", device(site.load, false)],
    ["ev_power_kw", device(connection, false)],
    ["pv_power_kw", device(site.pv, (plant.pv?.length ?? 0) > 0)],
    ["battery_power_kw", device(site.battery, battery !== null)],
  ]);
  if (battery !== null) limits.set("soc_pct", batteryLimits(battery));
  for (const one of batteries) {
    limits.set(readingOfBattery(one.id, "soc_pct"), batteryLimits(one));
    limits.set(readingOfBattery(one.id, "power_kw"), device(site.batteries.get(one.id) ?? connection));
  }
  for (const slot of slots) addSlot(slot);
  return limits;

  function addSlot(slot: PlantSettings["slots"][number]): void {
    const number = slotNumber(slot.slot);
    if (number === undefined) return;
    const range = site.slots.get(number) ?? connection;
    limits.set(readingOfSlot(number, "power_kw"), device(range, range.maxKw < connection.maxKw));
    limits.set(readingOfSlot(number, "energy_kwh"), {
      kind: "counter",
      mostKw: Math.min(LARGER_DEVICE_TIMES * range.maxKw, site.connectionKw),
    });
    if (slot.vehicle !== null)
      limits.set(readingOfSlot(number, "soc_pct"), vehicleLimits(slot, slot.vehicle));
    if (slot.store !== null) limits.set(readingOfSlot(number, "temperature_c"), tankLimits(slot, slot.store));
  }
}
