import { FetchError } from "../../../core/net/fetch.js";
import { isRecord, setIfAbsent } from "../../../core/net/json.js";
import { localDate, VIENNA } from "../../../core/time/zone.js";
import type { PriceSource } from "../source.js";
import {
  itemWarning,
  type ParsedPrices,
  type PriceHttpOptions,
  PriceRows,
  parsedPrices,
  requestPrices,
} from "./answer.js";

const DEFAULT_URL = "https://api.energy-charts.info/price";

/** Austrian prices from energy-charts.info (data CC BY 4.0, SMARD); quarter-hours since 2025-10-01. */
export function energyChartsSource({
  url: address = DEFAULT_URL,
  timeoutMs,
}: PriceHttpOptions = {}): PriceSource {
  return {
    name: "energy_charts",
    local: false,
    async fetch(request) {
      const url = new URL(address);
      setIfAbsent(url, "bzn", "AT");
      // Whole local days, including the last one: the service returns incomplete data for other bounds.
      setIfAbsent(url, "start", localDate(request.from, VIENNA));
      setIfAbsent(url, "end", localDate(new Date(request.to.getTime() - 1), VIENNA));
      return requestPrices(url, request, timeoutMs, parseEnergyCharts);
    },
  };
}

/**
 * Reads an answer of `/price`: `unix_seconds` and `price` (EUR/MWh, `null` as a gap) as parallel lists. Throws FetchError
 * for another unit and when no price can be used.
 */
export function parseEnergyCharts(body: unknown, host: string): ParsedPrices {
  const { unix_seconds: seconds, price: prices, unit } = isRecord(body) ? body : {};
  if (!Array.isArray(seconds) || !Array.isArray(prices) || seconds.length !== prices.length)
    throw new FetchError(`${host} answered JSON without the equally long lists "unix_seconds" and "price".`);
  if (typeof unit === "string" && unit.replaceAll(" ", "").toLowerCase() !== "eur/mwh")
    throw new FetchError(`${host} answered prices in "${unit.slice(0, 20)}" instead of EUR / MWh.`);
  const warnings: string[] = [];
  const rows = new PriceRows();
  seconds.forEach((second: unknown, index) => {
    const startMs = typeof second === "number" ? second * 1000 : Number.NaN;
    const problem = rows.add(startMs, prices[index]);
    if (problem !== undefined) warnings.push(itemWarning(index, host, problem));
  });
  return parsedPrices(rows.points(), warnings, host);
}
