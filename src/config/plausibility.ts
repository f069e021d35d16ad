import type { Language } from "../core/language.js";
import { textsOf } from "../texts/index.js";
import { isInAustria } from "./austria.js";
import type { KeyPath } from "./kit/node.js";
import type {
  BatterySettings,
  FlatTariffSettings,
  PlantSettings,
  PvArraySettings,
  SlotSettings,
} from "./settings.js";
import { chargingPower } from "./slot-rules.js";

/** What is unlikely about a value; the texts are in the catalogue. */
export type PlausibilityCode = keyof ReturnType<typeof textsOf>["plausibility"]["sentences"];

/** A valid but unlikely value of a plant, at a path such as `["tariff", "vat_pct"]`. */
export interface PlausibilityWarning {
  path: KeyPath;
  code: PlausibilityCode;
  /** The value in the unit of its setting; `meant`: what it probably should be; `limit`: what it exceeds or misses. */
  params: { value: number; meant?: number; limit?: number };
}

/** The parts of a plant that are examined. */
export type ExaminedPlant = Partial<
  Pick<
    PlantSettings,
    | "latitude"
    | "longitude"
    | "tariff"
    | "battery"
    | "batteries"
    | "pv"
    | "inverters"
    | "load"
    | "grid"
    | "slots"
  >
>;

/** The sentence about a warning, in a language. */
export function plausibilityText({ code, params }: PlausibilityWarning, language: Language): string {
  const { plausibility, format } = textsOf(language);
  const number = (value = 0) =>
    value.toLocaleString(format.locale, { maximumFractionDigits: 4, useGrouping: value >= 10_000 });
  return plausibility.sentences[code]({
    value: number(params.value),
    meant: number(params.meant),
    limit: number(params.limit),
  });
}

/**
 * Unlikely values of a plant: wrong units, percentages as fractions, swapped coordinates. The plant need not be valid;
 * nothing is refused. The battery beside several ones is their sum and not examined.
 */
export function plausibilityWarnings(plant: ExaminedPlant): PlausibilityWarning[] {
  const found = new Warnings();
  placeWarnings(plant, found);
  tariffWarnings(plant.tariff ?? null, found);
  const batteries = plant.batteries ?? [];
  const importLimit = plant.grid?.import_limit_kw ?? null;
  if (batteries.length === 0 && plant.battery)
    batteryWarnings(plant.battery, importLimit, found.at("battery"));
  for (const [index, battery] of batteries.entries())
    batteryWarnings(battery, importLimit, found.at("batteries", String(index)));
  const arrays = plant.pv ?? [];
  for (const [index, array] of arrays.entries()) pvWarnings(array, found.at("pv", String(index)));
  for (const [index, { id, kw }] of (plant.inverters ?? []).entries()) {
    const peakKw = arrays.reduce((sum, array) => sum + (array.inverter === id ? array.peak_kw : 0), 0);
    inverterWarnings("kw", kw, { peakKw, found: found.at("inverters", String(index)) });
  }
  for (const [key, limit] of Object.entries(plant.grid ?? {}))
    if (limit !== null) found.at("grid").power(key, limit, { usual: 200 });
  loadWarnings(plant, found);
  for (const [index, slot] of (plant.slots ?? []).entries())
    slotWarnings(slot, importLimit, found.at("slots", String(index)));
  return found.list;
}

class Warnings {
  constructor(
    readonly list: PlausibilityWarning[] = [],
    readonly path: KeyPath = [],
  ) {}

  /** The same list at a place below. */
  at(...path: string[]): Warnings {
    return new Warnings(this.list, [...this.path, ...path]);
  }

  add(key: string, code: PlausibilityCode, params: PlausibilityWarning["params"]): void {
    this.list.push({ path: [...this.path, ...key.split(".")], code, params });
  }

  /** A percentage between 0 and 1, which is probably a fraction. Returns whether it is one. */
  fraction(key: string, value: number | null | undefined, { includes1 = false } = {}): boolean {
    if (value === null || value === undefined) return false;
    const isFraction = value > 0 && (value < 1 || (includes1 && value === 1));
    if (isFraction) this.add(key, "fraction", { value, meant: rounded(value * 100) });
    return isFraction;
  }

  /** An amount in ct/kWh that would be usual in EUR/kWh or in EUR/MWh. */
  cents(key: string, value: number | undefined, { low, high }: { low: number; high: number }): void {
    if (value === undefined || value === 0) return;
    if (Math.abs(value) < low) this.add(key, "euro_per_kwh", { value, meant: rounded(value * 100) });
    else if (value > high) this.add(key, "euro_per_mwh", { value, meant: rounded(value / 10) });
  }

  /** A power in kW that is probably in W, or more than a home has. */
  power(key: string, value: number, { usual }: { usual: number }): void {
    if (value >= 600) this.add(key, "watt", { value, meant: rounded(value / 1000) });
    else if (value > usual) this.add(key, "power_large", { value, limit: usual });
  }
}

const rounded = (value: number) => Number(value.toPrecision(8));

function placeWarnings({ latitude, longitude }: ExaminedPlant, found: Warnings): void {
  if (latitude === null || latitude === undefined || longitude === null || longitude === undefined) return;
  if (isInAustria(latitude, longitude)) return;
  const isSwapped = isInAustria(longitude, latitude);
  found.add("latitude", isSwapped ? "place_swapped" : "place_abroad", {
    value: latitude,
    meant: longitude,
  });
}

/** Amounts outside of these are probably in another unit, ct/kWh. */
const USUAL = {
  markup: { low: 0.05, high: 10 },
  levies: { low: 0.05, high: 15 },
  gridFee: { low: 0.5, high: 30 },
  price: { low: 1, high: 70 },
  feedIn: { low: 0.5, high: 40 },
};

function tariffWarnings(tariff: PlantSettings["tariff"], found: Warnings): void {
  if (tariff === null) return;
  if (!Array.isArray(tariff)) {
    flatTariffWarnings(tariff as FlatTariffSettings, found.at("tariff"));
    return;
  }
  for (const [index, { vat_pct, energy, grid_usage, feed_in }] of tariff.entries()) {
    const period = found.at("tariff", String(index));
    vatWarnings(vat_pct, period);
    period.cents("energy.ct_kwh", energy?.ct_kwh, USUAL.price);
    period.cents("energy.markup_ct_kwh", energy?.markup_ct_kwh, USUAL.markup);
    period.cents("grid_usage.ct_kwh", grid_usage?.ct_kwh, USUAL.gridFee);
    for (const [row, window] of (grid_usage?.windows ?? []).entries())
      period.cents(`grid_usage.windows.${row}.ct_kwh`, window.ct_kwh, USUAL.gridFee);
    if (feed_in?.type === "fixed") period.cents("feed_in.ct_kwh", feed_in.ct_kwh, USUAL.feedIn);
  }
}

function flatTariffWarnings(tariff: FlatTariffSettings, found: Warnings): void {
  vatWarnings(tariff.vat_pct, found);
  found.cents("markup_ct_kwh", tariff.markup_ct_kwh, USUAL.markup);
  found.fraction("markup_pct", tariff.markup_pct);
  found.cents("levies_ct_kwh", tariff.levies_ct_kwh, USUAL.levies);
  const fee = tariff.grid_fee_ct_kwh;
  if (typeof fee === "number") found.cents("grid_fee_ct_kwh", fee, USUAL.gridFee);
  else
    for (const [row, { ct_kwh }] of fee.entries())
      found.cents(`grid_fee_ct_kwh.${row}.ct_kwh`, ct_kwh, USUAL.gridFee);
  const feedIn = tariff.feed_in;
  if (feedIn === null) return;
  if (feedIn.type === "fixed") found.cents("feed_in.ct_kwh", feedIn.ct_kwh ?? undefined, USUAL.feedIn);
  found.cents("feed_in.deduct_ct_kwh", feedIn.deduct_ct_kwh, USUAL.markup);
  found.fraction("feed_in.deduct_pct", feedIn.deduct_pct);
}

/** Highest standard rate of the European Union, percent; the lowest reduced one in Austria's neighbourhood is about 5. */
const HIGHEST_VAT_PCT = 27;
const LOWEST_VAT_PCT = 5;

function vatWarnings(value: number | undefined, found: Warnings): void {
  if (value === undefined || found.fraction("vat_pct", value)) return;
  if (value > HIGHEST_VAT_PCT || (value > 0 && value < LOWEST_VAT_PCT))
    found.add("vat_pct", "vat_unusual", { value });
}

/** A battery of a home is below this, kWh. */
const LARGE_BATTERY_KWH = 100;
const LEAST_EFFICIENCY_PCT = 65;

function batteryWarnings(battery: BatterySettings, importLimit: number | null, found: Warnings): void {
  const { capacity_kwh: capacity, efficiency_pct: efficiency, wear_ct_kwh: wear } = battery;
  if (capacity >= 1000) found.add("capacity_kwh", "watt_hours", { value: capacity, meant: capacity / 1000 });
  else if (capacity > LARGE_BATTERY_KWH)
    found.add("capacity_kwh", "capacity_large", { value: capacity, limit: LARGE_BATTERY_KWH });
  if (!found.fraction("efficiency_pct", efficiency, { includes1: true }) && efficiency < LEAST_EFFICIENCY_PCT)
    found.add("efficiency_pct", "efficiency_low", { value: efficiency });
  for (const key of ["max_charge_power_kw", "max_discharge_power_kw"] as const) {
    const power = battery[key];
    found.power(key, power, { usual: Math.max(30, capacity) });
    if (power < 600 && capacity < 1000 && power < capacity / 20)
      found.add(key, "power_small", { value: power, limit: capacity });
  }
  const charge = battery.max_charge_power_kw;
  if (importLimit !== null && charge < 600 && charge > importLimit)
    found.add("max_charge_power_kw", "above_grid", { value: charge, limit: importLimit });
  found.fraction("min_soc_pct", battery.min_soc_pct);
  found.fraction("max_soc_pct", battery.max_soc_pct, { includes1: true });
  found.fraction("reserve_pct", battery.reserve_pct);
  // As much as a quarter of a usual price: the battery would hardly ever be used.
  if (wear >= 20) found.add("wear_ct_kwh", "wear_high", { value: wear });
}

/** Roofs of homes have less, kW. */
const LARGE_PV_KW = 40;

function pvWarnings(array: PvArraySettings, found: Warnings): void {
  const { peak_kw: peak, tilt_deg: tilt, azimuth_deg: azimuth, inverter_kw: inverter } = array;
  if (peak >= 1000) found.add("peak_kw", "watt", { value: peak, meant: peak / 1000 });
  else if (peak > LARGE_PV_KW) found.add("peak_kw", "peak_large", { value: peak, limit: LARGE_PV_KW });
  if (tilt > 90) found.add("tilt_deg", "tilt", { value: tilt });
  else if (tilt > 0 && tilt < 1) found.add("tilt_deg", "tilt", { value: tilt });
  // The convention of other programs: south is 0, east negative.
  const isNorth = azimuth < 60 || azimuth > 300;
  if (isNorth && tilt >= 10)
    found.add("azimuth_deg", "faces_north", { value: azimuth, meant: (azimuth + 180 + 360) % 360 });
  found.fraction("losses_pct", array.losses_pct);
  if (inverter !== null) inverterWarnings("inverter_kw", inverter, { peakKw: peak, found });
}

/** The power of an inverter beside the peak power of its arrays. */
function inverterWarnings(
  key: string,
  kw: number,
  { peakKw, found }: { peakKw: number; found: Warnings },
): void {
  if (kw >= 600 && kw > peakKw * 20) found.add(key, "watt", { value: kw, meant: kw / 1000 });
  else if (kw < peakKw / 3) found.add(key, "inverter_small", { value: kw, limit: rounded(peakKw) });
}

/** A home needs less, kWh a day; a larger number is probably that of a month or year. */
const LARGE_DAY_KWH = 150;

function loadWarnings({ load }: ExaminedPlant, found: Warnings): void {
  const value = load?.daily_kwh ?? 0;
  if (value > LARGE_DAY_KWH)
    found.add("load.daily_kwh", "year_as_day", { value, meant: Math.round((value / 365) * 10) / 10 });
  else if (value > 0 && value < 1) found.add("load.daily_kwh", "day_small", { value });
}

function slotWarnings(slot: SlotSettings, importLimit: number | null, found: Warnings): void {
  const { power_kw: power, energy_kwh: energy, vehicle, store } = slot;
  if (power !== null) {
    found.power("power_kw", power, { usual: 50 });
    if (importLimit !== null && power < 600 && power > importLimit)
      found.add("power_kw", "above_grid", { value: power, limit: importLimit });
    const hours = windowHours(slot);
    if (hours !== undefined && energy !== null && power < 600 && energy > power * hours)
      found.add("energy_kwh", "energy_unreachable", { value: energy, limit: rounded(power * hours) });
  }
  if (vehicle !== null) {
    if (vehicle.capacity_kwh > 250)
      found.add("vehicle.capacity_kwh", "capacity_large", { value: vehicle.capacity_kwh, limit: 250 });
    found.fraction("vehicle.min_soc_pct", vehicle.min_soc_pct);
    found.fraction("vehicle.target_soc_pct", vehicle.target_soc_pct, { includes1: true });
    found.fraction("vehicle.efficiency_pct", vehicle.efficiency_pct, { includes1: true });
    const { maxKw } = chargingPower(vehicle, power);
    if (importLimit !== null && power === null && maxKw > importLimit)
      found.add("vehicle.max_power_kw", "above_grid", { value: maxKw, limit: importLimit });
  }
  if (store !== null && (store.litres < 5 || store.litres > 3000))
    found.add("store.litres", "litres", { value: store.litres });
}

/** Length of the device's daily window, hours. */
function windowHours({ window_start_hour: start, window_end_hour: end }: SlotSettings): number | undefined {
  if (start === null || end === null) return undefined;
  return start === end ? 24 : (end - start + 24) % 24;
}
