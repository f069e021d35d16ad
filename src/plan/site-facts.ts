import type { Site } from "../config/site.js";
import type { FreshnessLimits } from "../core/domain/freshness.js";
import { floorTo, type Interval, QUARTER_MS } from "../core/domain/interval.js";
import type { PriceScalars } from "../core/domain/plan-field-lists.js";
import { priceEurMwh } from "../core/domain/rounding.js";
import type { PriceSeries } from "../forecast/market/price-series.js";
import type { PriceService } from "../forecast/market/price-service.js";
import type { ForecastHour } from "../forecast/price/forecast.js";
import { quarterPrice } from "../forecast/price/quarter-shape.js";
import type { ForecastService } from "../forecast/price/service.js";
import type { PvService } from "../forecast/pv/service.js";
import type { Prices } from "../tariff/compile-tariff.js";
import type { LoadLearner } from "../telemetry/load-learner.js";
import type { TelemetryService } from "../telemetry/service.js";
import type { AssemblyInput } from "./assemble.js";
import { freshBalance, loadWithoutVehicles } from "./device-power.js";
import { PlanInputError } from "./overrides.js";
import type { BatterySharePct } from "./site-input.js";
import { quartiles, storedHoursBefore } from "./windows/quartiles.js";

/** Hours that a plan looks ahead. */
const HORIZON_HOURS = 168;

/** Sources of the inputs of a plan. */
export interface PlanSources {
  stepMinutes: 60 | 15;
  freshness: FreshnessLimits;
  forecast: Pick<ForecastService, "hours">;
  prices: Pick<PriceService, "published">;
  tariff: (siteId: string) => Prices | undefined;
  telemetry: Pick<TelemetryService, "live">;
  flex: PlanFlex;
  /** The learned load; undefined: the load of the settings. */
  loads: Pick<LoadLearner, "model">;
  /** The highest quarter-hour mean import of the local month so far, kW; undefined: not known. */
  peaks: { kw(siteId: string): number | undefined };
  /** Forecast PV energy of each step, kWh; undefined: none. */
  pv: Pick<PvService, "energy">;
}

/** Flexible devices of a site, as seen by the plan. */
export interface PlanFlex {
  flexLoad(siteId: string, steps: readonly Interval[]): number[];
  wallboxes(siteId: string, steps: readonly Interval[]): { hours: number; fromBatteryKwh: number }[];
  batterySharePct(siteId: string): BatterySharePct;
}

/** The facts of a site at `now`, with the given SOC. Throws PlanInputError before the first forecast. */
export function factsOf(
  { id, plant }: Site,
  sources: PlanSources,
  { now, soc, netLoadKw, override }: Pick<AssemblyInput, "now" | "soc" | "netLoadKw" | "override">,
): AssemblyInput {
  const { forecast, prices, tariff, stepMinutes, freshness, flex } = sources;
  const hours = forecast.hours(HORIZON_HOURS);
  if (hours === undefined)
    throw new PlanInputError("", "There is no forecast yet; try again in a few seconds.");
  const series = prices.published();
  const balance = freshBalance(plant, sources.telemetry.live(id), { now, limits: freshness });
  return {
    siteId: id,
    now,
    plant,
    stepMinutes,
    hours,
    quarter: (hour, quarterStartMs) => quarterEurMwh(series, hour, quarterStartMs),
    tariff: tariff(id),
    soc,
    evPowerKw: balance.vehicleKw ?? 0,
    sitePowerKw: loadWithoutVehicles(balance),
    netLoadKw,
    override,
    currentQuartile: currentQuartile(hours, series, plant.timezone),
    load: sources.loads.model(id),
    peakImportKw: sources.peaks.kw(id),
    pvKwh: (steps) => sources.pv.energy(id, steps),
    flex: {
      loadKwh: (steps) => flex.flexLoad(id, steps),
      wallboxes: (steps) => flex.wallboxes(id, steps),
      batterySharePct: flex.batterySharePct(id),
    },
  };
}

/** Price of the current hour (or quarter-hour) and quartile of the hour; undefined before the first forecast. */
export function presentOf({ id, plant }: Site, sources: PlanSources, now: Date): PriceScalars | undefined {
  const { forecast, stepMinutes, tariff } = sources;
  const hours = forecast.hours(25);
  const first = hours?.[0];
  if (hours === undefined || first === undefined) return undefined;
  const series = sources.prices.published();
  const quarterMs = floorTo(now.getTime(), QUARTER_MS);
  const prices = tariff(id);
  const isQuarterly = stepMinutes === 15 && prices?.settlementMinutes?.(now) !== 60;
  const spotCtKwh = (isQuarterly ? quarterEurMwh(series, first, quarterMs) : first.p50) / 10;
  return {
    currentPriceCtKwh: prices?.importCtKwh(spotCtKwh, now) ?? spotCtKwh,
    currentQuartile: currentQuartile(hours, series, plant.timezone),
  };
}

function quarterEurMwh(series: PriceSeries, { p50, source }: ForecastHour, quarterStartMs: number): number {
  return quarterPrice(series, { eurMwh: p50, isPublished: source === "day_ahead" }, quarterStartMs);
}

/**
 * Quartile of the current hour among the known hours of its local day. Ranks rounded prices, as the decision document
 * does.
 */
function currentQuartile(hours: readonly ForecastHour[], series: PriceSeries, zone: string): 1 | 2 | 3 | 4 {
  const first = hours[0]!;
  const past = storedHoursBefore(series, first.start, zone);
  const ahead = hours.slice(0, 25).map((hour) => ({ start: hour.start, value: hour.p50 }));
  const served = [...past, ...ahead].map(({ start, value }) => ({ start, value: priceEurMwh(value) ?? 0 }));
  return quartiles(served, zone)[past.length]!;
}
