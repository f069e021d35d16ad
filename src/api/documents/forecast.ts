import { HOUR_MS } from "../../core/domain/interval.js";
import { priceCtKwh, priceEurMwh } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import type { ForecastHour, ForecastRun } from "../../forecast/price/forecast.js";

/** A plant's tariff, ready to use: all-in import and export price in ct/kWh from the spot price in ct/kWh. */
export interface TariffPrices {
  importCtKwh(spotCtKwh: number, at: Date): number;
  exportCtKwh(spotCtKwh: number, at: Date): number;
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
    resolution_minutes: 60,
    horizon_hours: hours.length,
    first_forecast_start: firstForecast === undefined ? null : formatIso(firstForecast.start, zone),
  };
}

/** One entry of `prices`, docs/spec/http-api.md section 5. */
export function priceEntry(view: ForecastView, hour: ForecastHour): Record<string, unknown> {
  const { zone, tariff } = view;
  const spotCtKwh = hour.p50 / 10;
  const entry: Record<string, unknown> = {
    start: formatIso(hour.start, zone),
    end: formatIso(new Date(hour.start.getTime() + HOUR_MS), zone),
    price_eur_mwh: priceEurMwh(hour.p50),
    price_ct_kwh: priceCtKwh(spotCtKwh),
    source: hour.source,
  };
  if (view.intervals && hour.source !== "day_ahead") {
    entry.p10_ct_kwh = priceCtKwh(hour.p10 / 10);
    entry.p90_ct_kwh = priceCtKwh(hour.p90 / 10);
  }
  if (tariff !== undefined) {
    entry.total_ct_kwh = priceCtKwh(tariff.importCtKwh(spotCtKwh, hour.start));
    entry.export_ct_kwh = priceCtKwh(tariff.exportCtKwh(spotCtKwh, hour.start));
  }
  return entry;
}

/** The document `forecast_v1` (docs/spec/http-api.md section 5). */
export function forecastDocument(view: ForecastView, schema = "forecast_v1"): Record<string, unknown> {
  return {
    ...forecastScalars(view, schema),
    ...(view.access === undefined ? {} : { access: view.access }),
    prices: view.hours.map((hour) => priceEntry(view, hour)),
  };
}
