import { HOUR_MS } from "../../core/domain/interval.js";
import { energyKwh, powerKw, rounded } from "../../core/domain/rounding.js";
import type { Language } from "../../core/language.js";
import { formatIso } from "../../core/time/zone.js";
import { bandKwh } from "../../forecast/pv/band.js";
import type { PvDay, PvForecast } from "../../forecast/pv/service.js";
import { conditionText } from "../../forecast/weather/condition.js";
import { conditionOfDay, originOf } from "../../forecast/weather/outlook.js";
import { textsOf } from "../../texts/index.js";

/** Inputs of a PV forecast document. */
export interface PvView {
  /** Zone of the times in the document; days are the plant's own. */
  zone: string;
  language: Language;
  granularity: "daily" | "hourly" | "both";
  /** Days from today on. */
  days: number;
  /** The access object; left out on MQTT. */
  access?: Record<string, unknown> | undefined;
}

/** The document `pv_forecast_v1` (docs/spec/http-api.md section 10). */
export function pvForecastDocument(forecast: PvForecast, view: PvView): Record<string, unknown> {
  const days = forecast.days.slice(0, view.days).map(entriesOf);
  const { granularity } = view;
  return {
    schema: "pv_forecast_v1",
    issued_at: formatIso(forecast.issuedAt, view.zone),
    timezone: view.zone,
    peak_kw: powerKw(forecast.peakKw),
    total_kwh: energyKwh(sumOf(days)),
    source: originOf(forecast.days[0]?.hours ?? []),
    ...(view.access === undefined ? {} : { access: view.access }),
    ...(granularity === "hourly" ? {} : { daily: days.map((entries) => dayEntry(entries, view.language)) }),
    ...(granularity === "daily"
      ? {}
      : { hourly: days.flatMap((entries) => hourEntries(entries, view.zone)) }),
  };
}

/** A day with its rounded energies. */
interface DayEntries {
  day: PvDay;
  /** Energy of each hour. */
  hourlyKwh: number[];
  kwh: number;
}

/** Hours are rounded before they are added, so that the document adds up: hours to days, days to the total. */
function entriesOf(day: PvDay): DayEntries {
  const hourlyKwh = day.hours.map(({ kwh }) => energyKwh(kwh) ?? 0);
  return { day, hourlyKwh, kwh: hourlyKwh.reduce((sum, kwh) => sum + kwh, 0) };
}

/** The energy of a day as the document has it. */
export const dayKwh = (day: PvDay): number => entriesOf(day).kwh;

const sumOf = (days: readonly DayEntries[]) => days.reduce((sum, { kwh }) => sum + kwh, 0);

function dayEntry({ day, kwh }: DayEntries, language: Language): Record<string, unknown> {
  const { date, hours } = day;
  const clearKwh = hours.reduce((sum, hour) => sum + hour.clearKwh, 0);
  const { p10Kwh, p90Kwh } = bandKwh(kwh, day.band, clearKwh);
  return {
    date,
    kwh: energyKwh(kwh),
    p10_kwh: energyKwh(p10Kwh),
    p90_kwh: energyKwh(p90Kwh),
    source: originOf(hours),
    text: dayText(day, language),
  };
}

function dayText({ hours, kwh }: PvDay, language: Language): string {
  const sky = conditionText(conditionOfDay(hours.map(({ weather }) => weather)), language);
  const usual = originOf(hours) === "climatology";
  const { format, pvDay } = textsOf(language);
  const roundedKwh = rounded(kwh, 1) ?? 0;
  const amount = roundedKwh === 0 ? pvDay.none : pvDay.about(String(roundedKwh).replace(".", format.decimal));
  return `${usual ? pvDay.usualWeather : sky}, ${amount}`;
}

function hourEntries({ day, hourlyKwh }: DayEntries, zone: string): Record<string, unknown>[] {
  return day.hours.map(({ start }, index) => ({
    start: formatIso(start, zone),
    end: formatIso(new Date(start.getTime() + HOUR_MS), zone),
    kwh: hourlyKwh[index]!,
    // The mean power over an hour has the same value as its energy.
    power_kw: hourlyKwh[index]!,
  }));
}
