import { MINUTE_MS } from "../../domain/interval.js";
import type { PricePoint } from "../../domain/price.js";
import { FetchError } from "../../net/fetch.js";
import { whyUnusable } from "../points.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../source.js";
import { askPrices, isRecord, type ParsedPrices, type PriceHttpOptions, setIfAbsent } from "./http.js";

const DEFAULT_URL = "https://api.awattar.at/v1/marketdata";

/** Hourly prices of the Austrian auction from aWATTar's public API (no key; about 100 calls a day are fair). */
export class AwattarSource implements PriceSource {
  readonly name = "awattar";
  readonly local = false;
  readonly #url: string;
  readonly #timeoutMs: number | undefined;

  constructor({ url, timeoutMs }: PriceHttpOptions = {}) {
    this.#url = url ?? DEFAULT_URL;
    this.#timeoutMs = timeoutMs;
  }

  async fetch(request: PriceRequest): Promise<PriceAnswer> {
    const url = new URL(this.#url);
    // Without an end the API gives 24 hours, one too few on the day of 25.
    setIfAbsent(url, "start", String(request.from.getTime()));
    setIfAbsent(url, "end", String(request.to.getTime()));
    return askPrices(url, request, this.#timeoutMs, parseAwattar);
  }
}

/**
 * Reads an answer of `/v1/marketdata`: start and end in ms since the epoch, price in EUR/MWh, `null` as a hole. Items
 * that cannot be used are told and left out; throws FetchError when nothing of it can be.
 */
export function parseAwattar(body: unknown, host: string): ParsedPrices {
  const items = isRecord(body) ? body.data : undefined;
  if (!Array.isArray(items)) throw new FetchError(`${host} answered JSON without the list "data".`);
  const points: PricePoint[] = [];
  const warnings: string[] = [];
  items.forEach((item: unknown, index) => {
    if (isRecord(item) && item.marketprice === null) return;
    const read = readItem(item);
    if (typeof read === "string")
      warnings.push(`Item ${index} of the answer of ${host} is left out: ${read}.`);
    else points.push(read);
  });
  if (points.length === 0 && warnings.length > 0)
    throw new FetchError(`${host} answered without a usable price. ${warnings[0]}`);
  return { points, warnings: warnings.slice(0, 3) };
}

function readItem(item: unknown): PricePoint | string {
  if (!isRecord(item)) return "it is not an object";
  const { start_timestamp: start, end_timestamp: end, marketprice, unit } = item;
  if (typeof start !== "number" || typeof end !== "number" || typeof marketprice !== "number")
    return "start_timestamp, end_timestamp and marketprice must be numbers";
  if (unit !== undefined && String(unit).toLowerCase() !== "eur/mwh") return "the unit is not Eur/MWh";
  const minutes = (end - start) / MINUTE_MS;
  if (minutes !== 60 && minutes !== 15) return "it is not 60 or 15 minutes long";
  return whyUnusable(start, marketprice) ?? { start: new Date(start), minutes, eurPerMwh: marketprice };
}
