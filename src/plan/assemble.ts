import { USUAL_BATTERY } from "../config/battery-models.js";
import type { PlantSettings } from "../config/settings.js";
import { namedControls } from "../core/domain/battery.js";
import { hoursOf, type Interval } from "../core/domain/interval.js";
import { monthOf } from "../core/time/zone.js";
import type { AssemblyInput } from "./assembly-input.js";
import { certainShare } from "./certain-share.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import { loadOf, pvOf, stepPrices } from "./expected-steps.js";
import { PlanInputError, type PlanOverrides } from "./overrides.js";
import { USUAL_PV } from "./policy/uncertainty.js";
import type { BatteryModel, SiteInput } from "./site-input.js";

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
  const settings = plant.battery ?? USUAL_BATTERY;
  const capacityKwh = overrides.capacityKwh ?? plant.battery?.capacity_kwh;
  if (capacityKwh === undefined || capacityKwh <= 0) {
    throw new PlanInputError(
      "battery.capacity_kwh",
      "This plant has no battery in its settings: send battery.capacity_kwh, or configure one.",
    );
  }
  const battery: BatteryModel = {
    capacityKwh,
    minSocPct: overrides.minSocPct ?? settings.min_soc_pct,
    maxSocPct: overrides.maxSocPct ?? settings.max_soc_pct,
    maxChargePowerKw: overrides.maxChargePowerKw ?? settings.max_charge_power_kw,
    maxDischargePowerKw: overrides.maxDischargePowerKw ?? settings.max_discharge_power_kw,
    efficiencyPct: overrides.efficiencyPct ?? settings.efficiency_pct,
    reservePct: settings.reserve_pct,
    wearCtKwh: settings.wear_ct_kwh,
    gridChargeAllowed: overrides.gridChargeAllowed ?? settings.grid_charge_allowed,
    exportAllowed: settings.export_allowed,
    controls: namedControls(settings),
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
