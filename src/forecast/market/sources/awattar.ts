import { MINUTE_MS } from "../../../core/domain/interval.js";
import { FetchError } from "../../../core/net/fetch.js";
import { isRecord, setIfAbsent } from "../../../core/net/json.js";
import type { PriceSource } from "../source.js";
import {
  itemWarning,
  type ParsedPrices,
  type PriceHttpOptions,
  PriceRows,
  parsedPrices,
  requestPrices,
} from "./answer.js";

const DEFAULT_URL = "https://api.awattar.at/v1/marketdata";

/** Hourly prices of the Austrian auction from aWATTar's public API (no key; about 100 calls a day are fair). */
export function awattarSource({ url: address = DEFAULT_URL, timeoutMs }: PriceHttpOptions = {}): PriceSource {
  return {
    name: "awattar",
    local: false,
    async fetch(request) {
      const url = new URL(address);
      // Without an end the API returns 24 hours, one too few on the day with 25.
      setIfAbsent(url, "start", String(request.from.getTime()));
      setIfAbsent(url, "end", String(request.to.getTime()));
      return requestPrices(url, request, timeoutMs, parseAwattar);
    },
  };
}

/**
 * Reads an answer of `/v1/marketdata`: start and end in ms since the epoch, price in EUR/MWh, `null` as a gap. Items
 * that cannot be used become warnings. Throws FetchError when no item can be used.
 */
export function parseAwattar(body: unknown, host: string): ParsedPrices {
  const items = isRecord(body) ? body.data : undefined;
  if (!Array.isArray(items)) throw new FetchError(`${host} answered JSON without the list "data".`);
  const rows = new PriceRows();
  const warnings: string[] = [];
  items.forEach((item: unknown, index) => {
    const problem = addItem(rows, item);
    if (problem !== undefined) warnings.push(itemWarning(index, host, problem));
  });
  return parsedPrices(rows.points(), warnings, host);
}

/** Returns why the item cannot be used; undefined when it was added. */
function addItem(rows: PriceRows, item: unknown): string | undefined {
  if (!isRecord(item)) return "it is not an object";
  const { start_timestamp: start, end_timestamp: end, marketprice, unit } = item;
  if (marketprice === null) return undefined;
  if (typeof start !== "number" || typeof end !== "number" || typeof marketprice !== "number")
    return "start_timestamp, end_timestamp and marketprice must be numbers";
  if (unit !== undefined && String(unit).toLowerCase() !== "eur/mwh") return "the unit is not Eur/MWh";
  const minutes = (end - start) / MINUTE_MS;
  if (minutes !== 60 && minutes !== 15) return "it is not 60 or 15 minutes long";
  return rows.add(start, marketprice, minutes);
}
