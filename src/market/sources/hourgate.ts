import type { PricePoint } from "../../domain/price.js";
import { FetchError, fetchText, parseJson } from "../../net/fetch.js";
import { whyUnusable } from "../points.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../source.js";
import { isRecord, type ParsedPrices } from "./http.js";

/** Published prices from another hourgate's `/v1/forecast`; the 48 hours that it serves without a key are enough. */
export class HourgateSource implements PriceSource {
  readonly name = "hourgate";
  readonly local = false;
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #timeoutMs: number | undefined;

  /** `url` is the address of the other gateway, with or without `/v1/forecast`. */
  constructor({
    url,
    key,
    timeoutMs,
  }: { url: string; key?: string | undefined; timeoutMs?: number | undefined }) {
    this.#url = url;
    this.#key = key;
    this.#timeoutMs = timeoutMs;
  }

  async fetch({ signal }: PriceRequest): Promise<PriceAnswer> {
    const base = this.#url.replace(/\/+$/, "");
    const url = new URL(base.endsWith("/v1/forecast") ? base : `${base}/v1/forecast`);
    const answer = await fetchText(url, {
      signal,
      ...(this.#key === undefined ? {} : { headers: { "X-API-Key": this.#key } }),
      ...(this.#timeoutMs === undefined ? {} : { timeoutMs: this.#timeoutMs }),
    });
    return parseHourgate(parseJson(answer.body, url.host), url.host);
  }
}

/**
 * Reads a `forecast_v1` document: its published hours (`source` is `day_ahead`), EUR/MWh. What it forecasts itself is
 * its own opinion and left out. Throws FetchError for anything else.
 */
export function parseHourgate(body: unknown, host: string): ParsedPrices {
  const prices = isRecord(body) ? body.prices : undefined;
  if (!Array.isArray(prices)) throw new FetchError(`${host} answered JSON without the list "prices".`);
  const warnings: string[] = [];
  const points: PricePoint[] = [];
  prices.forEach((entry: unknown, index) => {
    if (!isRecord(entry) || entry.source !== "day_ahead") return;
    const startMs = Date.parse(String(entry.start));
    const price = typeof entry.price_eur_mwh === "number" ? entry.price_eur_mwh : Number.NaN;
    const problem = whyUnusable(startMs, price);
    if (problem === undefined) points.push({ start: new Date(startMs), minutes: 60, eurPerMwh: price });
    else warnings.push(`Item ${index} of the answer of ${host} is left out: ${problem}.`);
  });
  if (points.length === 0 && warnings.length > 0)
    throw new FetchError(`${host} answered without a usable price. ${warnings[0]}`);
  return { points, warnings: warnings.slice(0, 3) };
}
