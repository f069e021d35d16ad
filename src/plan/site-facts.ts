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
import {
  importPriceAt,
  quarterSpot,
  type SitePrices,
  settlementMinutes,
} from "../forecast/price/settlement.js";
import type { PvService } from "../forecast/pv/service.js";
import type { Prices } from "../tariff/compile-tariff.js";
import type { LoadLearner } from "../telemetry/load-learner.js";
import type { TelemetryService } from "../telemetry/service.js";
import type { AssemblyInput } from "./assembly-input.js";
import { freshBalance, loadWithoutVehicles } from "./device-power.js";
import { presentDevices } from "./devices/present-devices.js";
import type { SlotMeters } from "./devices/slot-meters.js";
import { PlanInputError } from "./overrides.js";
import type { BatterySharePct } from "./site-input.js";
import { quartiles, storedHoursBefore, storedQuartersBefore } from "./windows/quartiles.js";
import type { SlotPlan } from "./windows/slot-schedule.js";

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
  /** What devices have taken, as measured. */
  meters: Pick<SlotMeters, "delivered">;
  /** The highest quarter-hour mean import of the local month so far, kW; undefined: not known. */
  peaks: { kw(siteId: string): number | undefined };
  /** Forecast PV energy of each step, kWh; undefined: none. */
  pv: Pick<PvService, "energy" | "nodes">;
}

/** Flexible devices of a site, as seen by the plan. */
export interface PlanFlex {
  flexLoad(siteId: string, steps: readonly Interval[]): number[];
  wallboxes(siteId: string, steps: readonly Interval[]): { hours: number; fromBatteryKwh: number }[];
  batterySharePct(siteId: string): BatterySharePct;
  current(siteId: string): SlotPlan[];
}

/** The facts of a site at `now`, with the given SOC. Throws PlanInputError before the first forecast. */
export function factsOf(
  site: Site,
  sources: PlanSources,
  { now, soc, measured, override }: Pick<AssemblyInput, "now" | "soc" | "measured" | "override">,
): AssemblyInput {
  const { id, plant } = site;
  const { forecast, prices, tariff, stepMinutes, freshness, flex } = sources;
  const hours = forecast.hours(HORIZON_HOURS);
  if (hours === undefined)
    throw new PlanInputError("", "There is no forecast yet; try again in a few seconds.");
  const series = prices.published();
  const load = sources.loads.model(id);
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
    measured,
    override,
    currentQuartile: currentQuartile({ hours, series, now }, site, sources),
    load,
    apart: presentDevices(site, load, { sources, now }),
    peakImportKw: sources.peaks.kw(id),
    pvKwh: (steps) => sources.pv.energy(id, steps),
    pvNodes: sources.pv.nodes(id),
    flex: {
      loadKwh: (steps) => flex.flexLoad(id, steps),
      wallboxes: (steps) => flex.wallboxes(id, steps),
      batterySharePct: flex.batterySharePct(id),
    },
  };
}

/** Sources of the present price of a site. */
interface PriceSources extends Pick<PlanSources, "forecast" | "prices" | "stepMinutes"> {
  tariff(siteId: string): SitePrices["tariff"];
}

/** Price and quartile of the current settlement period; undefined before the first forecast. */
export function presentOf(site: Site, sources: PriceSources, now: Date): PriceScalars | undefined {
  const { forecast, stepMinutes, tariff } = sources;
  const hours = forecast.hours(25);
  const first = hours?.[0];
  if (hours === undefined || first === undefined) return undefined;
  const series = sources.prices.published();
  // A new hour may have begun after `now` was read.
  const at = new Date(Math.max(now.getTime(), first.start.getTime()));
  const prices = { hours, published: series, stepMinutes, tariff: tariff(site.id) };
  return {
    currentPriceCtKwh: importPriceAt(prices, at)!,
    currentQuartile: currentQuartile({ hours, series, now }, site, sources),
  };
}

function quarterEurMwh(series: PriceSeries, { p50, source }: ForecastHour, quarterStartMs: number): number {
  return quarterPrice(series, { eurMwh: p50, isPublished: source === "day_ahead" }, quarterStartMs);
}

/**
 * Quartile of the current settlement period, an hour or a quarter-hour, among those of its local day that are known. Ranks rounded
 * prices, as the decision document does.
 */
function currentQuartile(
  { hours, series, now }: { hours: readonly ForecastHour[]; series: PriceSeries; now: Date },
  { id, plant }: Site,
  { stepMinutes: priceMinutes, tariff }: Pick<PriceSources, "stepMinutes" | "tariff">,
): 1 | 2 | 3 | 4 {
  const zone = plant.timezone;
  const first = hours[0]!;
  const prices = tariff(id);
  const isHourly = settlementMinutes(priceMinutes, prices, now) === 60;
  const quarter = new Date(floorTo(Math.max(now.getTime(), first.start.getTime()), QUARTER_MS));
  const past = isHourly
    ? storedHoursBefore(series, first.start, zone)
    : storedQuartersBefore(series, quarter, zone);
  const ahead = hours.slice(0, 25).flatMap((hour) => {
    if (isHourly) return [{ start: hour.start, value: hour.p50 }];
    return [0, 1, 2, 3].flatMap((index) => {
      const start = new Date(hour.start.getTime() + index * QUARTER_MS);
      if (start < quarter) return [];
      return [
        { start, value: 10 * quarterSpot(hour, start, { series, priceMinutes, tariff: prices }).spotCtKwh },
      ];
    });
  });
  const served = [...past, ...ahead].map(({ start, value }) => ({ start, value: priceEurMwh(value) ?? 0 }));
  return quartiles(served, zone)[past.length]!;
}
