import type { PlantSettings } from "../config/settings.js";
import type { ForecastHour } from "../forecast/forecast.js";
import type { Prices } from "../market/tariff.js";
import { AUSTRIA, spreadDailyYield } from "../solar/day-shape.js";
import { HOUR_MS, type Interval } from "../time/interval.js";
import { expectedLoad, hourlyEnergy } from "./load-profile.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { stepBounds } from "./plan-battery.js";
import type { BatteryModel, SiteInput, StepPrice } from "./site-input.js";

/** What is known of a site at a moment, before anyone's overrides. */
export interface SiteFacts {
  siteId: string;
  now: Date;
  plant: PlantSettings;
  stepMinutes: 60 | 15;
  /** From the hour in progress on. */
  hours: readonly ForecastHour[];
  /** Published price of a quarter-hour, EUR/MWh. */
  quarter: (atMs: number) => number | undefined;
  /** Undefined: no tariff, the market price counts both ways. */
  tariff: Prices | undefined;
  /** The SOC to plan from; undefined where none was ever told. */
  soc: SiteInput["soc"] | undefined;
  evPowerKw: number;
  housePowerKw: number | undefined;
  currentQuartile: 1 | 2 | 3 | 4;
}

/**
 * The input of a plan: what the caller says, else what is known, else the plant's settings (decisions.md section 8).
 * Throws PlanInputError that names the request field that is missing or does not fit.
 */
export function assemble(facts: SiteFacts, overrides: PlanOverrides): SiteInput {
  const battery = batteryOf(facts.plant, overrides);
  const soc =
    overrides.socPct === undefined ? facts.soc : { pct: overrides.socPct, ageMinutes: 0, lost: false };
  if (soc === undefined) {
    throw new PlanInputError(
      "battery.soc_pct",
      "No state of charge is known: send battery.soc_pct (0 to 100), or telemetry with soc_pct first.",
    );
  }
  const prices = stepPrices(facts);
  const { import_limit_kw: importLimitKw, export_limit_kw: exportLimitKw } = facts.plant.grid;
  return {
    siteId: facts.siteId,
    now: facts.now,
    zone: facts.plant.timezone,
    stepMinutes: facts.stepMinutes,
    prices,
    loadKwh: loadOf(prices, facts.plant, overrides),
    pvKwh: pvOf(prices, facts.plant, overrides),
    battery,
    grid: {
      ...(importLimitKw !== null && { importLimitKw }),
      ...(exportLimitKw !== null && { exportLimitKw }),
    },
    soc,
    ev: { powerKw: overrides.evPowerKw ?? facts.evPowerKw, batterySharePct: 0 },
    ...housePower(overrides.loadPowerKw ?? facts.housePowerKw),
    currentQuartile: facts.currentQuartile,
  };
}

function housePower(powerKw: number | undefined): { housePowerKw?: number } {
  return powerKw === undefined ? {} : { housePowerKw: powerKw };
}

function batteryOf(plant: PlantSettings, overrides: PlanOverrides): BatteryModel {
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
function stepPrices(facts: SiteFacts): StepPrice[] {
  const { now, hours, stepMinutes, quarter, tariff } = facts;
  const last = hours.at(-1);
  if (last === undefined) return [];
  const endMs = last.start.getTime() + HOUR_MS;
  const stepMs = stepMinutes * 60_000;
  const count = Math.ceil((endMs - Math.floor(now.getTime() / stepMs) * stepMs) / stepMs);
  const firstHourMs = hours[0]!.start.getTime();
  return stepBounds(now, stepMinutes, count).map(({ start, end }) => {
    const hour = hours[Math.floor((start.getTime() - firstHourMs) / HOUR_MS)]!;
    const published =
      stepMinutes === 15 && hour.source === "day_ahead" ? quarter(start.getTime()) : undefined;
    const priceCtKwh = (published ?? hour.p50) / 10;
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
  const hours = (first.end.getTime() - first.start.getTime()) / HOUR_MS;
  return [Math.max(0, powerKw) * hours, ...energies.slice(1)];
}

function loadOf(steps: readonly Interval[], plant: PlantSettings, overrides: PlanOverrides): number[] {
  const profile = plant.load.profile ?? undefined;
  const dailyKwh = overrides.loadDailyKwh ?? plant.load.daily_kwh;
  const expected = expectedLoad(steps, { dailyKwh, profile }, plant.timezone);
  const told = overrides.loadHourlyKwh;
  const load = told === undefined ? expected : hourlyEnergy(steps, told, expected, plant.timezone);
  return withPresent(load, steps, overrides.loadPowerKw);
}

function pvOf(steps: readonly Interval[], plant: PlantSettings, overrides: PlanOverrides): number[] {
  const { latitude, longitude } = plant;
  const location = latitude !== null && longitude !== null ? { latitude, longitude } : AUSTRIA;
  const daily = spreadDailyYield(steps, overrides.pvDailyKwh ?? [], location, plant.timezone);
  const told = overrides.pvHourlyKwh;
  const pv = told === undefined ? daily : hourlyEnergy(steps, told, daily, plant.timezone);
  return withPresent(pv, steps, overrides.pvPowerKw);
}
