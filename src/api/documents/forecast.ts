import { MINUTE_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { priceCtKwh, priceEurMwh } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour, ForecastRun } from "../../forecast/price/forecast.js";
import { quarterSpot } from "../../forecast/price/settlement.js";

/** A plant's tariff, ready to use: all-in import and export price in ct/kWh from the spot price in ct/kWh. */
export interface TariffPrices {
  importCtKwh(spotCtKwh: number, at: Date): number;
  exportCtKwh(spotCtKwh: number, at: Date): number;
  /** Left out: that of the price source. */
  settlementMinutes?(at: Date): 60 | 15 | undefined;
}

/** Inputs of a forecast document. */
export interface ForecastView {
  run: ForecastRun;
  /** The horizon: hours without gaps from the current hour on. */
  hours: readonly ForecastHour[];
  /** Zone of the times in the document. */
  zone: string;
  /** The plant's tariff, if any. */
  tariff: TariffPrices | undefined;
  /** Whether forecast hours have p10 and p90 (callers with a key). */
  intervals: boolean;
  /** Quarter-hours instead of hours: published prices, and the steps of the source. */
  quarters?: { series: PriceSeries; priceMinutes: 60 | 15 } | undefined;
  /** The access object; left out on MQTT. */
  access?: Record<string, unknown> | undefined;
}

/** The scalars that forecast and decision share. */
export function forecastScalars(view: ForecastView, schema: string) {
  const { run, hours, zone } = view;
  const firstForecast = hours.find((hour) => hour.source !== "day_ahead");
  return {
    schema,
    issued_at: formatIso(run.issuedAt, zone),
    model_version: run.modelVersion,
    trigger: run.trigger,
    timezone: zone,
    zone: "AT",
    currency: "EUR",
    resolution_minutes: view.quarters === undefined ? 60 : 15,
    horizon_hours: hours.length,
    first_forecast_start: firstForecast === undefined ? null : formatIso(firstForecast.start, zone),
  };
}

/** The four quarter-hours of an hour; of a forecast with the same distance to its bounds. */
function quarterEntries(view: ForecastView, hour: ForecastHour): Record<string, unknown>[] {
  const { quarters, tariff } = view;
  if (quarters === undefined) return [priceEntry(view, hour)];
  return [0, 1, 2, 3].map((index) => {
    const start = new Date(hour.start.getTime() + index * QUARTER_MS);
    const spot = quarterSpot(hour, start, { ...quarters, tariff });
    const p50 = spot.spotCtKwh * 10;
    const quarter = { ...hour, start, p50, p10: hour.p10 + p50 - hour.p50, p90: hour.p90 + p50 - hour.p50 };
    return priceEntry(view, quarter, { minutes: 15, settledCtKwh: spot.settledCtKwh });
  });
}

/** One entry of `prices`, docs/spec/http-api.md section 5. */
export function priceEntry(
  view: ForecastView,
  hour: ForecastHour,
  { minutes = 60, settledCtKwh = hour.p50 / 10 }: { minutes?: number; settledCtKwh?: number } = {},
): Record<string, unknown> {
  const { zone, tariff } = view;
  const spotCtKwh = hour.p50 / 10;
  const entry: Record<string, unknown> = {
    start: formatIso(hour.start, zone),
    end: formatIso(new Date(hour.start.getTime() + minutes * MINUTE_MS), zone),
    price_eur_mwh: priceEurMwh(hour.p50),
    price_ct_kwh: priceCtKwh(spotCtKwh),
    source: hour.source,
  };
  if (view.intervals && hour.source !== "day_ahead") {
    entry.p10_ct_kwh = priceCtKwh(hour.p10 / 10);
    entry.p90_ct_kwh = priceCtKwh(hour.p90 / 10);
  }
  if (tariff !== undefined) {
    entry.total_ct_kwh = priceCtKwh(tariff.importCtKwh(settledCtKwh, hour.start));
    entry.export_ct_kwh = priceCtKwh(tariff.exportCtKwh(settledCtKwh, hour.start));
  }
  return entry;
}

/** The document `forecast_v1` (docs/spec/http-api.md section 5). */
export function forecastDocument(view: ForecastView, schema = "forecast_v1"): Record<string, unknown> {
  return {
    ...forecastScalars(view, schema),
    ...(view.access === undefined ? {} : { access: view.access }),
    prices: view.hours.flatMap((hour) => quarterEntries(view, hour)),
  };
}
