import { fetchText, parseJson } from "../../../core/net/fetch.js";
import type { ParsedWeather, WeatherAnswer, WeatherRequest } from "../source.js";

export interface WeatherHttpOptions {
  /** Another address: a mirror, or a recorded answer. */
  url?: string | undefined;
  timeoutMs?: number | undefined;
}

/** Requests JSON, conditionally if validators are known, and has `parse` read it. Rejects with FetchError. */
export async function requestWeather(
  url: URL,
  { signal, validators }: WeatherRequest,
  options: { timeoutMs?: number | undefined; headers?: Record<string, string> },
  parse: (body: unknown, from: string) => ParsedWeather,
): Promise<WeatherAnswer> {
  const { timeoutMs, headers } = options;
  const answer = await fetchText(url, {
    signal,
    validators,
    ...(headers === undefined ? {} : { headers }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const validity = {
    ...(answer.validators === undefined ? {} : { validators: answer.validators }),
    ...(answer.freshUntil === undefined ? {} : { freshUntil: answer.freshUntil }),
  };
  if (answer.notModified) return { hours: [], notModified: true, ...validity };
  return { ...parse(parseJson(answer.body, url.host), url.host), ...validity };
}
