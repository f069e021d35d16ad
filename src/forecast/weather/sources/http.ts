import { fetchParsed } from "../../../core/net/fetch.js";
import type { ParsedWeather, WeatherAnswer, WeatherRequest } from "../source.js";

export interface WeatherHttpOptions {
  /** Another address: a mirror, or a recorded answer. */
  url?: string | undefined;
  timeoutMs?: number | undefined;
}

/** Requests JSON, conditionally if validators are known, and has `parse` read it. Rejects with FetchError. */
export function requestWeather(
  url: URL,
  { signal, validators }: WeatherRequest,
  options: { timeoutMs?: number | undefined; headers?: Record<string, string> },
  parse: (body: unknown, from: string) => ParsedWeather,
): Promise<WeatherAnswer> {
  return fetchParsed<WeatherAnswer>(url, { signal, validators, ...options }, parse, { hours: [] });
}
