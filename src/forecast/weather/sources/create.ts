import type { WeatherSourceSettings } from "../../../config/settings.js";
import type { WeatherSource } from "../source.js";
import { WeatherFileSource } from "./file.js";
import { metNoSource } from "./met-no.js";
import { openMeteoSource } from "./open-meteo.js";

/**
 * Creates the sources of `weather.sources` in their order, without those that are disabled. `userAgent` names the program
 * and a contact. Throws RangeError for an unknown type.
 */
export function createWeatherSources(
  settings: readonly WeatherSourceSettings[],
  userAgent: string,
): WeatherSource[] {
  return settings.filter(({ enabled }) => enabled).map((entry) => createWeatherSource(entry, userAgent));
}

function createWeatherSource(entry: WeatherSourceSettings, userAgent: string): WeatherSource {
  const options = { url: entry.url ?? undefined, timeoutMs: entry.timeout_seconds * 1000 };
  switch (entry.type) {
    case "file":
      return new WeatherFileSource(entry.path);
    case "met_no":
      return metNoSource({ ...options, userAgent });
    case "open_meteo":
      return openMeteoSource({ ...options, key: entry.key ?? undefined });
    default:
      throw new RangeError(`Unknown weather source "${(entry satisfies never as { type: string }).type}".`);
  }
}
