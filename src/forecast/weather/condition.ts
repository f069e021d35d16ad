import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";

/** Weather conditions in all answers. */
export const CONDITIONS = [
  "clear",
  "partly_cloudy",
  "cloudy",
  "fog",
  "rain",
  "snow",
  "thunderstorm",
] as const;

export type Condition = (typeof CONDITIONS)[number];

/** Condition of a WMO weather code as used by Open-Meteo (table 4677); undefined for an unknown code. */
export function conditionOfCode(code: number): Condition | undefined {
  if (code === 0 || code === 1) return "clear";
  if (code === 2) return "partly_cloudy";
  if (code === 3) return "cloudy";
  if (code === 45 || code === 48) return "fog";
  if ((code >= 71 && code <= 77) || code === 85 || code === 86) return "snow";
  if ((code >= 51 && code <= 67) || (code >= 80 && code <= 82)) return "rain";
  return code >= 95 && code <= 99 ? "thunderstorm" : undefined;
}

/** Condition of a symbol code of MET Norway, such as `lightrainshowers_day`; undefined for an unknown one. */
export function conditionOfSymbol(symbol: string): Condition | undefined {
  if (symbol.includes("thunder")) return "thunderstorm";
  if (symbol.includes("snow") || symbol.includes("sleet")) return "snow";
  if (symbol.includes("rain")) return "rain";
  if (symbol.startsWith("fog")) return "fog";
  if (symbol.startsWith("partlycloudy")) return "partly_cloudy";
  if (symbol.startsWith("cloudy")) return "cloudy";
  return symbol.startsWith("clearsky") || symbol.startsWith("fair") ? "clear" : undefined;
}

/** Condition of a cloud cover, percent: clear up to 25, cloudy from 80. */
export function conditionOfClouds(cloudCoverPct: number): Condition {
  if (cloudCoverPct <= 25) return "clear";
  return cloudCoverPct < 80 ? "partly_cloudy" : "cloudy";
}

/** The name of a condition. */
export function conditionText(condition: Condition, language: Language): string {
  return textsOf(language).weather[condition];
}
