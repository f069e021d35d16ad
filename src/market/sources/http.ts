import type { PricePoint } from "../../domain/price.js";
import { fetchText, parseJson, type Validators } from "../../net/fetch.js";
import type { PriceAnswer, PriceRequest } from "../source.js";

export { isRecord, setIfAbsent } from "../../net/json.js";

export interface PriceHttpOptions {
  /** Another address: a mirror, or a recorded answer. */
  url?: string | undefined;
  timeoutMs?: number | undefined;
}

/** What a parser makes of an answer. */
export interface ParsedPrices {
  points: PricePoint[];
  warnings: string[];
}

/** Asks an address for JSON, on condition that it changed, and has `parse` read it. Rejects with FetchError. */
export async function askPrices(
  url: URL,
  { signal, validators }: PriceRequest,
  timeoutMs: number | undefined,
  parse: (body: unknown, host: string) => ParsedPrices,
): Promise<PriceAnswer> {
  const answer = await fetchText(url, {
    signal,
    validators,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const kept: { validators?: Validators } =
    answer.validators === undefined ? {} : { validators: answer.validators };
  if (answer.notModified) return { points: [], notModified: true, ...kept };
  return { ...parse(parseJson(answer.body, url.host), url.host), ...kept };
}
