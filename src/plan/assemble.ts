import type { PlantSettings } from "../config/settings.js";
import { DEFAULT_CONTROLS } from "../domain/battery-mode.js";
import { floorTo, HOUR_MS, hourOf, hoursOf, type Interval, QUARTER_MS } from "../domain/interval.js";
import type { ForecastHour } from "../forecast/forecast.js";
import { forecastLoad } from "../load/forecast-load.js";
import type { LoadModel } from "../load/load-model.js";
import type { Prices } from "../market/tariff.js";
import { AUSTRIA, spreadDailyYield } from "../solar/day-shape.js";
import { dayOf, localDate } from "../time/zone.js";
import { locationOf } from "../weather/place.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import { evenDays, expectedLoad, hourlyEnergy } from "./load-profile.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
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
  /** The learned load; undefined or left out: the load of the settings. */
  load?: LoadModel | undefined;
  /** Load less PV as measured over the last quarter-hour, kW. */
  netLoadKw?: number | undefined;
  /** Forecast PV energy of each step, kWh; undefined or left out: none. */
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
  const { kwh: siteKwh, ratios } = loadOf(prices, facts, overrides);
  const flexKwh = facts.flex?.loadKwh(prices);
  const evPowerKw = overrides.evPowerKw ?? facts.evPowerKw;
  const { import_limit_kw: importLimitKw, export_limit_kw: exportLimitKw } = facts.plant.grid;
  return {
    siteId: facts.siteId,
    now: facts.now,
    zone: facts.plant.timezone,
    stepMinutes: facts.stepMinutes,
    prices,
    loadKwh: withFlex(siteKwh, flexKwh),
    loadRatios: ratios,
    pvKwh: pvOf(prices, facts, overrides),
    ...dischargeLimits(facts, prices, { siteKwh, evPowerKw, powerKw: battery.maxDischargePowerKw }),
    battery,
    grid: {
      ...(importLimitKw !== null && { importLimitKw }),
      ...(exportLimitKw !== null && { exportLimitKw }),
      curtailmentAllowed: facts.plant.pv.length > 0 && facts.plant.pv.every(({ curtailable }) => curtailable),
    },
    soc,
    ev: { powerKw: evPowerKw, batterySharePct: facts.flex?.batterySharePct ?? 0 },
    ...housePower(overrides.loadPowerKw ?? facts.housePowerKw ?? powerOfFirst(prices, siteKwh)),
    ...netLoad(prices, facts, { overrides, flexKwh }),
    currentQuartile: facts.currentQuartile,
  };
}

/** Measured net load with the devices' planned load of the current step, kW; what the caller gives counts before. */
function netLoad(
  prices: readonly Interval[],
  facts: AssemblyInput,
  { overrides, flexKwh }: { overrides: PlanOverrides; flexKwh: readonly number[] | undefined },
): { netLoadKw?: number } {
  const { loadPowerKw, pvPowerKw } = overrides;
  const given = loadPowerKw === undefined ? undefined : loadPowerKw - (pvPowerKw ?? 0);
  const siteKw = given ?? facts.netLoadKw;
  const first = prices[0];
  if (siteKw === undefined || first === undefined) return {};
  return { netLoadKw: siteKw + (flexKwh?.[0] ?? 0) / hoursOf(first) };
}

/** Names the SOC and whatever else of the battery is missing, so that one answer lists everything. */
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

function withFlex(siteKwh: readonly number[], flexKwh: readonly number[] | undefined): readonly number[] {
  return flexKwh === undefined ? siteKwh : siteKwh.map((kwh, t) => kwh + (flexKwh[t] ?? 0));
}

/** The load of the step in progress as the house alone has it, kW. */
function powerOfFirst(steps: readonly Interval[], siteKwh: readonly number[]): number | undefined {
  const first = steps[0];
  return first === undefined ? undefined : (siteKwh[0] ?? 0) / hoursOf(first);
}

/**
 * What the battery may give in the steps in which a wallbox is to charge: nothing without a share of its own, else the
 * house and that share (docs/spec/outputs-and-plan.md section 2, ev_charge_block and ev_charge_limit). In the step in progress what the
 * wallbox really draws decides.
 */
function dischargeLimits(
  { flex }: AssemblyInput,
  steps: readonly Interval[],
  site: { siteKwh: readonly number[]; evPowerKw: number; powerKw: number },
): { dischargeLimitKwh?: (number | undefined)[] } {
  if (flex === undefined) return {};
  const limits = flex.wallboxes(steps).map(({ hours, fromBatteryKwh }, t) => {
    if (hours === 0 || (t === 0 && site.evPowerKw <= EV_CHARGES_KW)) return undefined;
    const stepHours = hoursOf(steps[t]!);
    const freeKwh = site.powerKw * Math.max(0, stepHours - hours);
    if (fromBatteryKwh === 0) return freeKwh;
    return freeKwh + (site.siteKwh[t] ?? 0) * Math.min(1, hours / stepHours) + fromBatteryKwh;
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
    wearCtKwh: settings?.wear_ct_kwh ?? 1,
    gridChargeAllowed: overrides.gridChargeAllowed ?? settings?.grid_charge_allowed ?? true,
    exportAllowed: settings?.export_allowed ?? false,
    controls: settings?.controls ?? DEFAULT_CONTROLS,
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

/**
 * Steps from now to the end of the forecast, with their prices: hours, and quarter-hours while their prices are published
 * where the tariff settles quarter-hours.
 */
function stepPrices(facts: AssemblyInput): StepPrice[] {
  const { now, hours, stepMinutes, quarter, tariff } = facts;
  const steps: StepPrice[] = [];
  const add = (hour: ForecastHour, start: Date, endMs: number, isQuarterly: boolean) => {
    // The clock may have passed the hour since `now` was read: until then the first hour's price applies.
    const atMs = Math.max(hour.start.getTime(), floorTo(start.getTime(), QUARTER_MS));
    const priceCtKwh = (isQuarterly ? quarter(hour, atMs) : hour.p50) / 10;
    steps.push({
      start,
      end: new Date(endMs),
      priceCtKwh,
      importCtKwh: tariff?.importCtKwh(priceCtKwh, start) ?? priceCtKwh,
      exportCtKwh: tariff?.exportCtKwh(priceCtKwh, start) ?? priceCtKwh,
      source: hour.source,
    });
  };
  for (const hour of hours) {
    const startOfHourMs = hour.start.getTime();
    const isQuarterly = stepMinutes === 15 && (hour.source === "day_ahead" || steps.length === 0);
    if (steps.length === 0 && now < hour.start) add(hour, now, startOfHourMs, isQuarterly);
    const lengthMs = isQuarterly ? QUARTER_MS : HOUR_MS;
    for (let endMs = startOfHourMs + lengthMs; endMs <= startOfHourMs + HOUR_MS; endMs += lengthMs) {
      if (endMs > now.getTime())
        add(hour, new Date(Math.max(now.getTime(), endMs - lengthMs)), endMs, isQuarterly);
    }
  }
  return steps;
}

/** A power given for now counts for the current step. */
function withPresent(energies: number[], steps: readonly Interval[], powerKw: number | undefined): number[] {
  const first = steps[0];
  if (powerKw === undefined || first === undefined) return energies;
  const hours = hoursOf(first);
  return [Math.max(0, powerKw) * hours, ...energies.slice(1)];
}

/** Expected load of the steps and the factors on it: from the caller, else learned, else from the settings. */
function loadOf(
  steps: readonly Interval[],
  { plant, load: learned }: AssemblyInput,
  overrides: PlanOverrides,
): { kwh: number[]; ratios: (readonly number[])[] } {
  const settings = { dailyKwh: plant.load.daily_kwh, profile: plant.load.profile ?? undefined };
  const forecast =
    learned === undefined
      ? { kwh: expectedLoad(steps, settings, plant.timezone), ratios: [] }
      : learnedLoad(steps, learned);
  const { loadDailyKwh, loadHourlyKwh, loadPowerKw } = overrides;
  const daily =
    loadDailyKwh === undefined
      ? forecast.kwh
      : learned === undefined
        ? expectedLoad(steps, { ...evenDays(settings), dailyKwh: loadDailyKwh }, plant.timezone)
        : scaledToDays(steps, learned, loadDailyKwh);
  if (loadHourlyKwh === undefined) return { ...forecast, kwh: withPresent(daily, steps, loadPowerKw) };
  const given = hourlyEnergy(steps, loadHourlyKwh, daily, plant.timezone);
  return { kwh: withPresent(given, steps, loadPowerKw), ratios: [] };
}

/** The learned load of the steps, hour by hour. */
function learnedLoad(steps: readonly Interval[], model: LoadModel): { kwh: number[]; ratios: number[][] } {
  const first = steps[0];
  if (first === undefined) return { kwh: [], ratios: [] };
  const start = hourOf(first.start);
  const hourAt = ({ start: at }: Interval) => Math.floor((at.getTime() - start.getTime()) / HOUR_MS);
  const forecast = forecastLoad(model, { start, hours: hourAt(steps.at(-1)!) + 1 });
  return {
    kwh: steps.map((step) => forecast.loadKwh[hourAt(step)]! * hoursOf(step)),
    ratios: steps.map((step) => forecast.ratios[hourAt(step)]!),
  };
}

/** The learned shape of each local day with the daily load that the caller gives. */
function scaledToDays(steps: readonly Interval[], model: LoadModel, dailyKwh: number): number[] {
  const sums = new Map<string, number>();
  const { kwh } = learnedLoad(steps, model);
  return steps.map((step, t) => {
    const date = localDate(step.start, model.timeZone);
    const known = sums.get(date);
    const sum = known ?? dayKwh(step.start, model);
    sums.set(date, sum);
    return sum > 0 ? (kwh[t]! * dailyKwh) / sum : (dailyKwh / 24) * hoursOf(step);
  });
}

function dayKwh(at: Date, model: LoadModel): number {
  const { start, end } = dayOf(at, model.timeZone);
  const hours = Math.round((end.getTime() - start.getTime()) / HOUR_MS);
  const sum = forecastLoad(model, { start, hours }).loadKwh.reduce((total, kwh) => total + kwh, 0);
  return (sum * 24) / hours;
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
