import { FetchError, fetchText, parseJson } from "../../../core/net/fetch.js";
import { isRecord } from "../../../core/net/json.js";
import { parseTime, VIENNA } from "../../../core/time/zone.js";
import type { PriceSource } from "../source.js";
import { itemWarning, type ParsedPrices, type PriceHttpOptions, PriceRows, parsedPrices } from "./answer.js";

/**
 * Published prices from the `/v1/forecast` of another gateway; the 48 hours served without a key are enough. `url` is its
 * address, with or without `/v1/forecast`.
 */
export function hourgateSource({
  url: address,
  key,
  timeoutMs,
}: PriceHttpOptions & { url: string; key?: string | undefined }): PriceSource {
  return {
    name: "hourgate",
    local: false,
    async fetch({ signal }) {
      const base = address.replace(/\/+$/, "");
      const url = new URL(base.endsWith("/v1/forecast") ? base : `${base}/v1/forecast`);
      const headers = key === undefined ? undefined : { "X-API-Key": key };
      const answer = await fetchText(url, { signal, headers, timeoutMs });
      return parseHourgate(parseJson(answer.body, url.host), url.host);
    },
  };
}

/**
 * Reads a `forecast_v1` document: its published hours (`source` is `day_ahead`), EUR/MWh. Its forecast hours are
 * ignored. A time without offset is local time of Vienna. Throws FetchError for any other document.
 */
export function parseHourgate(body: unknown, host: string): ParsedPrices {
  const prices = isRecord(body) ? body.prices : undefined;
  if (!Array.isArray(prices)) throw new FetchError(`${host} answered JSON without the list "prices".`);
  const warnings: string[] = [];
  const rows = new PriceRows();
  prices.forEach((entry: unknown, index) => {
    if (!isRecord(entry) || entry.source !== "day_ahead") return;
    const problem = rows.add(instantOf(entry.start), entry.price_eur_mwh, 60);
    if (problem !== undefined) warnings.push(itemWarning(index, host, problem));
  });
  return parsedPrices(rows.points(), warnings, host);
}

function instantOf(start: unknown): number {
  return parseTime(String(start), VIENNA)?.getTime() ?? Number.NaN;
}
