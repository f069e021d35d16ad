import { rounded } from "../../core/domain/rounding.js";
import type { Language } from "../../core/language.js";
import { formatIso } from "../../core/time/zone.js";
import { conditionText } from "../../forecast/weather/condition.js";
import { type Outlook, originOf, type WeatherDay } from "../../forecast/weather/outlook.js";
import { textsOf } from "../../texts/index.js";

/** Inputs of a weather document besides the outlook. */
export interface WeatherView {
  /** Time of the last answer of a source; the current time without any. */
  issuedAt: Date;
  /** Zone of the times in the document; days are the plant's own. */
  zone: string;
  language: Language;
  access?: Record<string, unknown> | undefined;
}

/** The document `weather_v1` (docs/spec/http-api.md section 10). Values that no source provides are null. */
export function weatherDocument({ current, days }: Outlook, view: WeatherView): Record<string, unknown> {
  return {
    schema: "weather_v1",
    issued_at: formatIso(view.issuedAt, view.zone),
    timezone: view.zone,
    source: originOf([current]),
    ...(view.access === undefined ? {} : { access: view.access }),
    current: {
      time: formatIso(current.start, view.zone),
      temperature_c: tenth(current.temperatureC),
      cloud_cover_pct: rounded(current.cloudCoverPct, 0),
      wind_speed_ms: tenth(current.windSpeedMs),
      condition: current.condition,
      text: conditionText(current.condition, view.language),
      is_day: current.isDay,
    },
    daily: days.map((day) => dayEntry(day, view)),
  };
}

function dayEntry(day: WeatherDay, { zone, language }: WeatherView): Record<string, unknown> {
  return {
    date: day.date,
    temperature_min_c: tenth(day.temperatureMinC),
    temperature_max_c: tenth(day.temperatureMaxC),
    sun_hours: tenth(day.sunHours),
    precipitation_mm: tenth(day.precipitationMm),
    sunrise: day.sunrise === undefined ? null : formatIso(day.sunrise, zone),
    sunset: day.sunset === undefined ? null : formatIso(day.sunset, zone),
    condition: day.condition,
    source: day.origin,
    text: dayText(day, language),
  };
}

/** Short text of a day: `Teils bewölkt, 3 bis 11 °C`. */
function dayText({ condition, temperatureMinC, temperatureMaxC }: WeatherDay, language: Language): string {
  const [least, most] = [rounded(temperatureMinC, 0), rounded(temperatureMaxC, 0)];
  const range = least === most ? `${most}` : textsOf(language).format.range(least, most);
  return `${conditionText(condition, language)}, ${range} °C`;
}

function tenth(value: number | undefined): number | null {
  return value === undefined ? null : rounded(value, 1);
}
