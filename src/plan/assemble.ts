import type { PlantSettings } from "../config/settings.js";
import { HOUR_MS, hoursOf, type Interval, QUARTER_MS } from "../domain/interval.js";
import type { ForecastHour } from "../forecast/forecast.js";
import type { Prices } from "../market/tariff.js";
import { AUSTRIA, spreadDailyYield } from "../solar/day-shape.js";
import { localDate } from "../time/zone.js";
import { locationOf } from "../weather/place.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import { evenDays, expectedLoad, hourlyEnergy, type LoadProfile } from "./load-profile.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { stepBounds } from "./plan-battery.js";
import type { BatteryModel, SiteInput, StepPrice } from "./site-input.js";

/** What is known of a site at a moment, before anyone's overrides. */
export interface AssemblyInput {
  siteId: string;
  now: Date;
  plant: PlantSettings;
  stepMinutes: 60 | 15;
  /** From the hour in progress on. */
  hours: readonly ForecastHour[];
  /** Price of a quarter-hour of an hour, EUR/MWh. */
  quarter: (hour: ForecastHour, quarterStartMs: number) => number;
  /** Undefined: no tariff, the market price counts both ways. */
  tariff: Prices | undefined;
  /** The SOC to plan from; undefined where none was ever told. */
  soc: SiteInput["soc"] | undefined;
  evPowerKw: number;
  housePowerKw: number | undefined;
  currentQuartile: 1 | 2 | 3 | 4;
  /** What was learnt of the house's use; undefined, or left out: the settings tell. */
  load?: LoadProfile | undefined;
  /** What the PV is forecast to yield in each step, kWh; undefined, or left out: nothing is known of it. */
  pvKwh?: ((steps: readonly Interval[]) => number[] | undefined) | undefined;
  /** Flexible devices; left out: none. */
  flex?: PlannedFlex;
}

/** What the flexible devices mean for the plan. */
export interface PlannedFlex {
  /** Their energy in each step, kWh. */
  loadKwh(steps: readonly Interval[]): number[];
  /** How long wallboxes charge in each step, and what of that the battery may give. */
  wallboxes(steps: readonly Interval[]): { hours: number; fromBatteryKwh: number }[];
  /** Share of the wallbox's power that the battery may give now, percent. */
  batterySharePct: number;
}

/**
 * The input of a plan: what the caller says, else what is known, else the plant's settings (docs/spec/http-api.md section 8).
 * Throws PlanInputError that names the request fields that are missing or do not fit.
 */
export function assemble(facts: AssemblyInput, overrides: PlanOverrides): SiteInput {
  const soc =
    overrides.socPct === undefined ? facts.soc : { pct: overrides.socPct, ageMinutes: 0, lost: false };
  if (soc === undefined) throw withoutSoc(facts.plant, overrides);
  const battery = batteryOf(facts.plant, overrides);
  const prices = stepPrices(facts);
  const houseKwh = loadOf(prices, facts, overrides);
  const evPowerKw = overrides.evPowerKw ?? facts.evPowerKw;
  const { import_limit_kw: importLimitKw, export_limit_kw: exportLimitKw } = facts.plant.grid;
  return {
    siteId: facts.siteId,
    now: facts.now,
    zone: facts.plant.timezone,
    stepMinutes: facts.stepMinutes,
    prices,
    loadKwh: withFlex(houseKwh, facts.flex?.loadKwh(prices)),
    pvKwh: pvOf(prices, facts, overrides),
    ...dischargeLimits(facts, prices, { houseKwh, evPowerKw, powerKw: battery.maxDischargePowerKw }),
    battery,
    grid: {
      ...(importLimitKw !== null && { importLimitKw }),
      ...(exportLimitKw !== null && { exportLimitKw }),
    },
    soc,
    ev: { powerKw: evPowerKw, batterySharePct: facts.flex?.batterySharePct ?? 0 },
    ...housePower(overrides.loadPowerKw ?? facts.housePowerKw ?? powerOfFirst(prices, houseKwh)),
    currentQuartile: facts.currentQuartile,
  };
}

/** Names the SOC, and with it whatever else the battery lacks: nobody should have to ask twice. */
function withoutSoc(plant: PlantSettings, overrides: PlanOverrides): PlanInputError {
  const others = batteryProblem(plant, overrides);
  return new PlanInputError(
    "battery.soc_pct",
    "No state of charge is known: send battery.soc_pct (0 to 100), or telemetry with soc_pct first.",
    others === undefined ? [] : others.problems,
  );
}

function batteryProblem(plant: PlantSettings, overrides: PlanOverrides): PlanInputError | undefined {
  try {
    batteryOf(plant, overrides);
    return undefined;
  } catch (error) {
    if (error instanceof PlanInputError) return error;
    throw error;
  }
}

function withFlex(houseKwh: readonly number[], flexKwh: readonly number[] | undefined): readonly number[] {
  return flexKwh === undefined ? houseKwh : houseKwh.map((kwh, t) => kwh + (flexKwh[t] ?? 0));
}

/** The load of the step in progress as the house alone has it, kW. */
function powerOfFirst(steps: readonly Interval[], houseKwh: readonly number[]): number | undefined {
  const first = steps[0];
  return first === undefined ? undefined : (houseKwh[0] ?? 0) / hoursOf(first);
}

/**
 * What the battery may give in the steps in which a wallbox is to charge: nothing without a share of its own, else the
 * house and that share (docs/spec/outputs-and-plan.md section 2, ev_charge_block and ev_charge_limit). In the step in progress what the
 * wallbox really draws decides.
 */
function dischargeLimits(
  { flex }: AssemblyInput,
  steps: readonly Interval[],
  house: { houseKwh: readonly number[]; evPowerKw: number; powerKw: number },
): { dischargeLimitKwh?: (number | undefined)[] } {
  if (flex === undefined) return {};
  const limits = flex.wallboxes(steps).map(({ hours, fromBatteryKwh }, t) => {
    if (hours === 0 || (t === 0 && house.evPowerKw <= EV_CHARGES_KW)) return undefined;
    const stepHours = hoursOf(steps[t]!);
    const freeKwh = house.powerKw * Math.max(0, stepHours - hours);
    if (fromBatteryKwh === 0) return freeKwh;
    return freeKwh + (house.houseKwh[t] ?? 0) * Math.min(1, hours / stepHours) + fromBatteryKwh;
  });
  return limits.every((limit) => limit === undefined) ? {} : { dischargeLimitKwh: limits };
}

function housePower(powerKw: number | undefined): { housePowerKw?: number } {
  return powerKw === undefined ? {} : { housePowerKw: powerKw };
}

/** The battery as configured, with what the caller says laid over it. Throws PlanInputError. */
export function batteryOf(plant: PlantSettings, overrides: PlanOverrides): BatteryModel {
  const settings = plant.battery;
  const capacityKwh = overrides.capacityKwh ?? settings?.capacity_kwh;
  if (capacityKwh === undefined || capacityKwh <= 0) {
    throw new PlanInputError(
      "battery.capacity_kwh",
      "This plant has no battery in its settings: send battery.capacity_kwh, or configure one.",
    );
  }
  const battery: BatteryModel = {
    capacityKwh,
    minSocPct: overrides.minSocPct ?? settings?.min_soc_pct ?? 10,
    maxSocPct: overrides.maxSocPct ?? settings?.max_soc_pct ?? 100,
    maxChargePowerKw: overrides.maxChargePowerKw ?? settings?.max_charge_power_kw ?? 5,
    maxDischargePowerKw: overrides.maxDischargePowerKw ?? settings?.max_discharge_power_kw ?? 5,
    efficiencyPct: overrides.efficiencyPct ?? settings?.efficiency_pct ?? 90,
    reservePct: settings?.reserve_pct ?? 5,
    wearCtKwh: settings?.wear_ct_kwh ?? 0,
    gridChargeAllowed: overrides.gridChargeAllowed ?? settings?.grid_charge_allowed ?? true,
    exportAllowed: settings?.export_allowed ?? false,
  };
  if (battery.minSocPct >= battery.maxSocPct) {
    const field = overrides.minSocPct === undefined ? "battery.max_soc_pct" : "battery.min_soc_pct";
    throw new PlanInputError(
      field,
      `battery.min_soc_pct (${battery.minSocPct}) must be below battery.max_soc_pct (${battery.maxSocPct}).`,
    );
  }
  return battery;
}

/** Steps from now to the end of the forecast, with their prices. */
function stepPrices(facts: AssemblyInput): StepPrice[] {
  const { now, hours, stepMinutes, quarter, tariff } = facts;
  const last = hours.at(-1);
  if (last === undefined) return [];
  const endMs = last.start.getTime() + HOUR_MS;
  const stepMs = stepMinutes * 60_000;
  const count = Math.ceil((endMs - Math.floor(now.getTime() / stepMs) * stepMs) / stepMs);
  const firstHourMs = hours[0]!.start.getTime();
  return stepBounds(now, stepMinutes, count).map(({ start, end }) => {
    // The hour may have turned since `now` was read: the moments before the first hour have its price.
    const hour = hours[Math.max(0, Math.floor((start.getTime() - firstHourMs) / HOUR_MS))]!;
    const atMs = Math.floor(start.getTime() / QUARTER_MS) * QUARTER_MS;
    const priceCtKwh = (stepMinutes === 15 ? quarter(hour, atMs) : hour.p50) / 10;
    return {
      start,
      end,
      priceCtKwh,
      importCtKwh: tariff?.importCtKwh(priceCtKwh, start) ?? priceCtKwh,
      exportCtKwh: tariff?.exportCtKwh(priceCtKwh, start) ?? priceCtKwh,
      source: hour.source,
    };
  });
}

/** A power told as "now" counts for the step in progress. */
function withPresent(energies: number[], steps: readonly Interval[], powerKw: number | undefined): number[] {
  const first = steps[0];
  if (powerKw === undefined || first === undefined) return energies;
  const hours = hoursOf(first);
  return [Math.max(0, powerKw) * hours, ...energies.slice(1)];
}

function loadOf(
  steps: readonly Interval[],
  { plant, load: learnt }: AssemblyInput,
  overrides: PlanOverrides,
): number[] {
  const settings = { dailyKwh: plant.load.daily_kwh, profile: plant.load.profile ?? undefined };
  const model = learnt ?? settings;
  const toldDaily = overrides.loadDailyKwh;
  const expected = expectedLoad(
    steps,
    toldDaily === undefined ? model : { ...evenDays(model), dailyKwh: toldDaily },
    plant.timezone,
  );
  const told = overrides.loadHourlyKwh;
  const load = told === undefined ? expected : hourlyEnergy(steps, told, expected, plant.timezone);
  return withPresent(load, steps, overrides.loadPowerKw);
}

/** What the caller says of the PV, where it says nothing the forecast: days beyond a list of days included. */
function pvOf(
  steps: readonly Interval[],
  { plant, pvKwh: forecast }: AssemblyInput,
  overrides: PlanOverrides,
): number[] {
  const { timezone } = plant;
  const location = locationOf(plant) ?? AUSTRIA;
  const expected = forecast?.(steps) ?? steps.map(() => 0);
  const toldDays = overrides.pvDailyKwh ?? [];
  const spread = spreadDailyYield(steps, toldDays, location, timezone);
  const dates = [...new Set(steps.map(({ start }) => localDate(start, timezone)))];
  const toldDates = new Set(dates.slice(0, toldDays.length));
  const daily = steps.map(({ start }, t) =>
    toldDates.has(localDate(start, timezone)) ? spread[t]! : (expected[t] ?? 0),
  );
  const told = overrides.pvHourlyKwh;
  const pv = told === undefined ? daily : hourlyEnergy(steps, told, daily, timezone);
  return withPresent(pv, steps, overrides.pvPowerKw);
}
