import type { PlantSettings } from "../config/settings.js";
import { DEFAULT_CONTROLS, namedControls } from "../core/domain/battery.js";
import { floorTo, HOUR_MS, hourOf, hoursOf, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import { dayOf, localDate, monthOf } from "../core/time/zone.js";
import type { PresentDevice } from "../forecast/load/device-load.js";
import { forecastLoad } from "../forecast/load/forecast-load.js";
import type { LoadModel } from "../forecast/load/load-model.js";
import { evenDays, expectedLoad, hourlyEnergy } from "../forecast/load/load-profile.js";
import type { ForecastHour } from "../forecast/price/forecast.js";
import { AUSTRIA, spreadDailyYield } from "../forecast/solar/day-shape.js";
import { locationOf } from "../forecast/weather/place.js";
import type { Prices } from "../tariff/compile-tariff.js";
import type { BatteryOverride } from "./battery-override.js";
import { certainShare } from "./certain-share.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import type { NetLoad } from "./net-load.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import type { PvNodes } from "./policy/policy-input.js";
import { USUAL_PV } from "./policy/uncertainty.js";
import type { BatteryModel, BatterySharePct, SiteInput, StepPrice } from "./site-input.js";

/** The known facts of a site at a moment, without overrides. */
export interface AssemblyInput {
  siteId: string;
  now: Date;
  plant: PlantSettings;
  stepMinutes: 60 | 15;
  /** From the current hour on. */
  hours: readonly ForecastHour[];
  /** Price of a quarter-hour within an hour, EUR/MWh. */
  quarter: (hour: ForecastHour, quarterStartMs: number) => number;
  /** Undefined: no tariff; the market price applies to import and export. */
  tariff: Prices | undefined;
  /** The SOC to plan from; undefined if none was ever received. */
  soc: SiteInput["soc"] | undefined;
  evPowerKw: number;
  sitePowerKw: number | undefined;
  currentQuartile: 1 | 2 | 3 | 4;
  /** The learned load; undefined or left out: the load of the settings. */
  load?: LoadModel | undefined;
  /** Devices of it that are part of the expected load; left out: none. */
  apart?: ExpectedDevices;
  /** What was measured over the last quarter-hour. */
  measured?: NetLoad | undefined;
  /** Forecast PV energy of each step, kWh; undefined or left out: none. */
  pvKwh?: ((steps: readonly Interval[]) => number[] | undefined) | undefined;
  /** Factors on it by what the home measured; undefined or left out: the usual ones. */
  pvNodes?: PvNodes | undefined;
  /** The highest quarter-hour mean import of the local month so far, kW; undefined or left out: not known. */
  peakImportKw?: number | undefined;
  /** Flexible devices; left out: none. */
  flex?: PlannedFlex;
  /** The override of the battery in force; left out: none. */
  override?: BatteryOverride | undefined;
}

/** Devices that are measured apart and part of the expected load. */
export interface ExpectedDevices {
  devices: readonly PresentDevice[];
  /** A vehicle is among them, whose power is part of the net load then. */
  vehicleIsExpected: boolean;
}

/** Flexible devices in the plan. */
export interface PlannedFlex {
  /** Their energy in each step, kWh. */
  loadKwh(steps: readonly Interval[]): number[];
  /** Charging time of the wallboxes with a fixed share of the battery in each step, and the energy that it may serve. */
  wallboxes(steps: readonly Interval[]): { hours: number; fromBatteryKwh: number }[];
  batterySharePct: BatterySharePct;
}

/**
 * The input of a plan: overrides first, then the known facts, then the plant's settings (docs/spec/http-api.md section 8).
 * Throws PlanInputError with the request fields that are missing or invalid.
 */
export function assemble(facts: AssemblyInput, overrides: PlanOverrides): SiteInput {
  const soc =
    overrides.socPct === undefined ? facts.soc : { pct: overrides.socPct, ageMinutes: 0, lost: false };
  if (soc === undefined) throw withoutSoc(facts.plant, overrides);
  const battery = batteryOf(facts.plant, overrides);
  const prices = stepPrices(facts);
  const { kwh: siteKwh, ratios, ranks } = loadOf(prices, facts, overrides);
  const pvKwh = pvOf(prices, facts, overrides);
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
    // The energy of devices is planned, so only the rest of the load is uncertain.
    loadRatios: ratios.map((row, t) => certainShare(row, siteKwh[t]!, siteKwh[t]! + (flexKwh?.[t] ?? 0))),
    ...(ranks !== undefined && { loadRanks: ranks }),
    pvKwh,
    // What a request gives is taken as it is.
    ...(pvKwh.some((kwh) => kwh > 0) &&
      overrides.pvDailyKwh === undefined &&
      overrides.pvHourlyKwh === undefined && { pvNodes: facts.pvNodes ?? USUAL_PV }),
    ...dischargeLimits(facts, prices, { siteKwh, evPowerKw, powerKw: battery.maxDischargePowerKw }),
    battery,
    grid: {
      ...(importLimitKw !== null && { importLimitKw }),
      ...(exportLimitKw !== null && { exportLimitKw }),
      curtailmentAllowed: facts.plant.pv.length > 0 && facts.plant.pv.every(({ curtailable }) => curtailable),
    },
    ...peakOf(prices, facts),
    soc,
    ev: { powerKw: evPowerKw, batterySharePct: facts.flex?.batterySharePct ?? 0 },
    ...sitePower(overrides.loadPowerKw ?? facts.sitePowerKw ?? firstPowerKw(prices, siteKwh)),
    ...netLoad(prices, facts, { overrides, flexKwh }),
    currentQuartile: facts.currentQuartile,
    ...(facts.override !== undefined && { override: facts.override }),
  };
}

/** The price on the peak of the local month in progress, with what is charged in any case. */
function peakOf(
  steps: readonly Interval[],
  { now, tariff, plant, peakImportKw = 0 }: AssemblyInput,
): Pick<SiteInput, "peak"> {
  const price = tariff?.peakPrice?.(now);
  if (price === undefined) return {};
  return {
    peak: {
      floorKw: Math.max(price.minKw, peakImportKw),
      tiers: price.tiers,
      end: monthOf(now, plant.timezone).end,
      counts: steps.map(({ start }) => price.counts(start)),
    },
  };
}

/** Net load with the devices' planned load of the current step, and PV, kW: from the overrides, else as measured. */
function netLoad(
  prices: readonly Interval[],
  facts: AssemblyInput,
  { overrides, flexKwh }: { overrides: PlanOverrides; flexKwh: readonly number[] | undefined },
): { netLoadKw?: number; pvKw?: number } {
  const { loadPowerKw, pvPowerKw } = overrides;
  const given = loadPowerKw === undefined ? undefined : loadPowerKw - (pvPowerKw ?? 0);
  // The measured one is without vehicles.
  const vehicleKw = facts.apart?.vehicleIsExpected ? facts.evPowerKw : 0;
  const measuredKw = facts.measured === undefined ? undefined : facts.measured.netLoadKw + vehicleKw;
  const siteKw = given ?? measuredKw;
  const first = prices[0];
  if (siteKw === undefined || first === undefined) return {};
  const pvKw = given === undefined ? facts.measured?.pvKw : pvPowerKw;
  return {
    netLoadKw: siteKw + (flexKwh?.[0] ?? 0) / hoursOf(first),
    ...(pvKw !== undefined && { pvKw }),
  };
}

/** Error that names the SOC and all other invalid fields of the battery. */
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

/** Mean load of the current step without flexible devices, kW. */
function firstPowerKw(steps: readonly Interval[], siteKwh: readonly number[]): number | undefined {
  const first = steps[0];
  return first === undefined ? undefined : (siteKwh[0] ?? 0) / hoursOf(first);
}

/**
 * Most that the battery may discharge in steps with a charging wallbox: nothing for the time of charging without a share
 * of the battery, else the load and that share (docs/spec/outputs-and-plan.md section 2, ev_charge_block and
 * ev_charge_limit). In the current step this depends on the measured power of the wallbox.
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

function sitePower(powerKw: number | undefined): { sitePowerKw?: number } {
  return powerKw === undefined ? {} : { sitePowerKw: powerKw };
}

/** The battery as configured, with the overrides. Throws PlanInputError. */
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
    controls: settings ? namedControls(settings) : DEFAULT_CONTROLS,
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
 * Steps from now to the end of the forecast, with their prices: hours; with a tariff that settles quarter-hours,
 * quarter-hours as far as their prices are published.
 */
function stepPrices(facts: AssemblyInput): StepPrice[] {
  const { now, hours, stepMinutes, quarter, tariff } = facts;
  const steps: StepPrice[] = [];
  const add = (hour: ForecastHour, start: Date, endMs: number, isQuarterly: boolean) => {
    // A new hour may have begun after `now` was read; the first hour's price then applies from `now` on.
    const atMs = Math.max(hour.start.getTime(), floorTo(start.getTime(), QUARTER_MS));
    const priceCtKwh = (isQuarterly ? quarter(hour, atMs) : hour.p50) / 10;
    const importSpotCt = tariff?.settlementMinutes?.(start) === 60 ? hour.p50 / 10 : priceCtKwh;
    steps.push({
      start,
      end: new Date(endMs),
      priceCtKwh,
      importCtKwh: tariff?.importCtKwh(importSpotCt, start) ?? priceCtKwh,
      exportCtKwh: tariff?.exportCtKwh(priceCtKwh, start) ?? priceCtKwh,
      source: hour.source,
    });
  };
  for (const hour of hours) {
    const startOfHourMs = hour.start.getTime();
    const isQuarterly = stepMinutes === 15 && (hour.source === "day_ahead" || steps.length === 0);
    if (steps.length === 0 && now < hour.start) add(hour, now, startOfHourMs, isQuarterly);
    // The hour in which an override ends is planned by quarter-hours, too.
    const endsMs = facts.override?.until.getTime() ?? startOfHourMs;
    const isSplit = startOfHourMs < endsMs && endsMs < startOfHourMs + HOUR_MS;
    const lengthMs = isQuarterly || isSplit ? QUARTER_MS : HOUR_MS;
    for (let endMs = startOfHourMs + lengthMs; endMs <= startOfHourMs + HOUR_MS; endMs += lengthMs) {
      if (endMs > now.getTime())
        add(hour, new Date(Math.max(now.getTime(), endMs - lengthMs)), endMs, isQuarterly);
    }
  }
  return steps;
}

/** The energies with the given current power in the first step. */
function withPresent(energies: number[], steps: readonly Interval[], powerKw: number | undefined): number[] {
  const first = steps[0];
  if (powerKw === undefined || first === undefined) return energies;
  const hours = hoursOf(first);
  return [Math.max(0, powerKw) * hours, ...energies.slice(1)];
}

interface ExpectedLoad {
  kwh: number[];
  ratios: (readonly number[])[];
  ranks?: NonNullable<SiteInput["loadRanks"]>;
}

/** Expected load of the steps and the factors on it: from the overrides, else learned, else from the settings. */
function loadOf(
  steps: readonly Interval[],
  { plant, load: learned, apart }: AssemblyInput,
  overrides: PlanOverrides,
): ExpectedLoad {
  const settings = { dailyKwh: plant.load.daily_kwh, profile: plant.load.profile ?? undefined };
  const forecast: ExpectedLoad =
    learned === undefined
      ? { kwh: expectedLoad(steps, settings, plant.timezone), ratios: [] }
      : learnedLoad(steps, learned, apart?.devices);
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

/** The learned load of the steps. */
function learnedLoad(
  steps: readonly Interval[],
  model: LoadModel,
  devices?: readonly PresentDevice[],
): ExpectedLoad {
  const first = steps[0];
  if (first === undefined) return { kwh: [], ratios: [] };
  const start = hourOf(first.start);
  const hourAt = ({ start: at }: Interval) => Math.floor((at.getTime() - start.getTime()) / HOUR_MS);
  const forecast = forecastLoad(model, { start, hours: hourAt(steps.at(-1)!) + 1, devices });
  return {
    kwh: steps.map((step) => forecast.loadKwh[hourAt(step)]! * hoursOf(step)),
    ratios: steps.map((step) => forecast.ratios[hourAt(step)]!),
    ranks: { shares: forecast.shares, persistence: forecast.persistence },
  };
}

/** The learned shape of each local day, scaled to the given daily load. */
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

/** Learned load of the local day of `at`, scaled to 24 hours, kWh. */
function dayKwh(at: Date, model: LoadModel): number {
  const { start, end } = dayOf(at, model.timeZone);
  const hours = Math.round((end.getTime() - start.getTime()) / HOUR_MS);
  const sum = forecastLoad(model, { start, hours }).loadKwh.reduce((total, kwh) => total + kwh, 0);
  return (sum * 24) / hours;
}

/** PV energy of the steps, kWh: from the overrides, else the forecast, also beyond the days given. */
function pvOf(
  steps: readonly Interval[],
  { plant, pvKwh: forecast }: AssemblyInput,
  overrides: PlanOverrides,
): number[] {
  const { timezone } = plant;
  const location = locationOf(plant) ?? AUSTRIA;
  const expected = forecast?.(steps) ?? steps.map(() => 0);
  const givenDays = overrides.pvDailyKwh ?? [];
  const spread = spreadDailyYield(steps, givenDays, location, timezone);
  const dates = [...new Set(steps.map(({ start }) => localDate(start, timezone)))];
  const givenDates = new Set(dates.slice(0, givenDays.length));
  const daily = steps.map(({ start }, t) =>
    givenDates.has(localDate(start, timezone)) ? spread[t]! : (expected[t] ?? 0),
  );
  const hourly = overrides.pvHourlyKwh;
  const pv = hourly === undefined ? daily : hourlyEnergy(steps, hourly, daily, timezone);
  return withPresent(pv, steps, overrides.pvPowerKw);
}
