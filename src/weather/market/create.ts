import type { WeatherSourceSettings } from "../../config/settings.js";
import { OpenMeteoPastRuns, OpenMeteoPointsSource } from "../sources/open-meteo-points.js";
import { MarketWeather, type MarketWeatherOptions } from "./market-weather.js";

/**
 * Collects weather for the price model from the first Open-Meteo among the configured sources; without one it holds none and asks
 * nobody.
 */
export function createMarketWeather(
  settings: readonly WeatherSourceSettings[],
  options: Omit<MarketWeatherOptions, "source" | "pastRuns">,
): MarketWeather {
  const entry = settings.find(({ type, enabled }) => type === "open_meteo" && enabled);
  if (entry?.type !== "open_meteo")
    return new MarketWeather({ ...options, source: undefined, pastRuns: undefined });
  const { url, past_runs_url: pastRunsUrl, timeout_seconds: timeoutSeconds } = entry;
  const common = { key: entry.key ?? undefined, timeoutMs: timeoutSeconds * 1000 };
  const source = new OpenMeteoPointsSource({ ...common, url: url ?? undefined });
  // Who asks a mirror instead of the public service does not want the public one asked for the past.
  const asksPast = pastRunsUrl !== null || url === null;
  const pastRuns = asksPast ? new OpenMeteoPastRuns({ ...common, url: pastRunsUrl ?? undefined }) : undefined;
  return new MarketWeather({ ...options, source, pastRuns });
}
