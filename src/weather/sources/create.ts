import type { WeatherSourceSettings } from "../../config/settings.js";
import type { WeatherSource } from "../source.js";
import { WeatherFileSource } from "./file.js";
import { MetNoSource } from "./met-no.js";
import { OpenMeteoSource } from "./open-meteo.js";

/**
 * Makes the sources of `weather.sources` in their order; leaves out what is switched off. `userAgent` names the program
 * and a contact.
 */
export function createWeatherSources(
  settings: readonly WeatherSourceSettings[],
  userAgent: string,
): WeatherSource[] {
  return settings.filter(({ enabled }) => enabled).map((entry) => sourceOf(entry, userAgent));
}

function sourceOf(entry: WeatherSourceSettings, userAgent: string): WeatherSource {
  if (entry.type === "file") return new WeatherFileSource(entry.path);
  const options = { url: entry.url ?? undefined, timeoutMs: entry.timeout_seconds * 1000 };
  if (entry.type === "met_no") return new MetNoSource({ ...options, userAgent });
  return new OpenMeteoSource({ ...options, key: entry.key ?? undefined });
}
