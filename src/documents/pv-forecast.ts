import type { PvDay, PvForecast } from "../pv/service.js";
import { HOUR_MS } from "../time/interval.js";
import { formatIso } from "../time/zone.js";
import { conditionText } from "../weather/condition.js";
import { conditionOfDay, originOf } from "../weather/outlook.js";
import { energyKwh, powerKw, rounded } from "./number.js";

/** How a PV forecast is written down. */
export interface PvView {
  /** Zone of the times in the document; days are the plant's own. */
  zone: string;
  language: "de" | "en";
  granularity: "daily" | "hourly" | "both";
  /** Days from today on. */
  days: number;
  /** The access object; left out on MQTT. */
  access?: Record<string, unknown> | undefined;
}

/** The document `pv_forecast_v1` (decisions.md section 11). */
export function pvForecastDocument(forecast: PvForecast, view: PvView): Record<string, unknown> {
  const days = forecast.days.slice(0, view.days);
  const { granularity } = view;
  return {
    schema: "pv_forecast_v1",
    issued_at: formatIso(forecast.issuedAt, view.zone),
    timezone: view.zone,
    peak_kw: powerKw(forecast.peakKw),
    total_kwh: energyKwh(days.reduce((sum, { kwh }) => sum + kwh, 0)),
    source: originOf(days[0]?.hours ?? []),
    ...(view.access === undefined ? {} : { access: view.access }),
    ...(granularity === "hourly" ? {} : { daily: days.map((day) => dayEntry(day, view.language)) }),
    ...(granularity === "daily" ? {} : { hourly: days.flatMap((day) => hourEntries(day, view.zone)) }),
  };
}

function dayEntry(day: PvDay, language: "de" | "en"): Record<string, unknown> {
  const { date, kwh, band, hours } = day;
  return {
    date,
    kwh: energyKwh(kwh),
    p10_kwh: energyKwh(kwh * band.low),
    p90_kwh: energyKwh(kwh * band.high),
    source: originOf(hours),
    text: dayText(day, language),
  };
}

function dayText({ hours, kwh }: PvDay, language: "de" | "en"): string {
  const shining = hours.filter(({ weather }) => weather.ghi > 0).map(({ weather }) => weather);
  const weather = shining.length > 0 ? shining : hours.map((hour) => hour.weather);
  const sky = conditionText(conditionOfDay(weather), language);
  const amount = String(rounded(kwh, 1));
  const usual = originOf(hours) === "climatology";
  if (language === "de") return `${usual ? "Übliches Wetter" : sky}, rund ${amount.replace(".", ",")} kWh`;
  return `${usual ? "Usual weather" : sky}, about ${amount} kWh`;
}

function hourEntries({ hours }: PvDay, zone: string): Record<string, unknown>[] {
  return hours.map(({ start, kwh }) => ({
    start: formatIso(start, zone),
    end: formatIso(new Date(start.getTime() + HOUR_MS), zone),
    kwh: energyKwh(kwh),
    // Energy of one hour: the mean power has the same figure.
    power_kw: powerKw(kwh),
  }));
}
