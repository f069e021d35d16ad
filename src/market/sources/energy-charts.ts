import type { PricePoint } from "../../domain/price.js";
import { FetchError } from "../../net/fetch.js";
import { localDate, VIENNA } from "../../time/zone.js";
import { pointsOf, whyUnusable } from "../points.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "../source.js";
import { askPrices, isRecord, type ParsedPrices, type PriceHttpOptions, setIfAbsent } from "./http.js";

const DEFAULT_URL = "https://api.energy-charts.info/price";

/** Prices of a bidding zone from energy-charts.info (data CC BY 4.0, SMARD); quarter-hours since 2025-10-01. */
export class EnergyChartsSource implements PriceSource {
  readonly name = "energy_charts";
  readonly local = false;
  readonly #url: string;
  readonly #timeoutMs: number | undefined;
  readonly #biddingZone: string;

  constructor({ url, timeoutMs, biddingZone = "AT" }: PriceHttpOptions & { biddingZone?: string } = {}) {
    this.#url = url ?? DEFAULT_URL;
    this.#timeoutMs = timeoutMs;
    this.#biddingZone = biddingZone;
  }

  async fetch(request: PriceRequest): Promise<PriceAnswer> {
    const url = new URL(this.#url);
    setIfAbsent(url, "bzn", this.#biddingZone);
    // Whole local days, the last one included: what is asked across their bounds comes back in pieces.
    setIfAbsent(url, "start", localDate(request.from, VIENNA));
    setIfAbsent(url, "end", localDate(new Date(request.to.getTime() - 1), VIENNA));
    return askPrices(url, request, this.#timeoutMs, parseEnergyCharts);
  }
}

/**
 * Reads an answer of `/price`: `unix_seconds` and `price` (EUR/MWh, `null` as a hole) side by side. A local day on which
 * every price is exactly zero is a fault of the service that has been seen, and is left out; throws FetchError when
 * nothing is left.
 */
export function parseEnergyCharts(body: unknown, host: string): ParsedPrices {
  const { unix_seconds: seconds, price: prices } = isRecord(body) ? body : {};
  if (!Array.isArray(seconds) || !Array.isArray(prices) || seconds.length !== prices.length)
    throw new FetchError(`${host} answered JSON without the equally long lists "unix_seconds" and "price".`);
  const warnings: string[] = [];
  const rows = new Map<number, number>();
  seconds.forEach((second: unknown, index) => {
    const startMs = typeof second === "number" ? second * 1000 : Number.NaN;
    const price: unknown = prices[index];
    const value = typeof price === "number" ? price : Number.NaN;
    const problem = whyUnusable(startMs, price === null ? 0 : value);
    if (problem === undefined) rows.set(startMs, value);
    else warnings.push(`Item ${index} of the answer of ${host} is left out: ${problem}.`);
  });
  const byDay = new Map<string, PricePoint[]>();
  for (const point of pointsOf(rows)) {
    const day = localDate(point.start, VIENNA);
    const ofDay = byDay.get(day);
    if (ofDay === undefined) byDay.set(day, [point]);
    else ofDay.push(point);
  }
  const points: PricePoint[] = [];
  for (const [day, ofDay] of byDay) {
    if (ofDay.length > 1 && ofDay.every(({ eurPerMwh }) => eurPerMwh === 0))
      warnings.push(`${host} gave nothing but zeros for ${day}; that day is left out.`);
    else points.push(...ofDay);
  }
  if (points.length === 0 && warnings.length > 0)
    throw new FetchError(`${host} answered without a usable price. ${warnings[0]}`);
  return { points, warnings: warnings.slice(0, 3) };
}
