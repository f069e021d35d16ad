import { XMLParser, XMLValidator } from "fast-xml-parser";
import { MINUTE_MS } from "../../../core/domain/interval.js";
import { FetchError } from "../../../core/net/fetch.js";
import { isRecord } from "../../../core/net/json.js";
import { parseTime } from "../../../core/time/zone.js";
import { type ParsedPrices, PriceRows, parsedPrices } from "./answer.js";

const RESOLUTION_MINUTES: Record<string, number> = { PT15M: 15, PT30M: 30, PT60M: 60, PT1H: 60 };

const LISTS = new Set(["TimeSeries", "Period", "Point", "Reason"]);

/**
 * Reads a Publication_MarketDocument: EUR/MWh by period. In curve A03 a missing position repeats the previous one, up to
 * the end of the period (so a day with 25 hours has up to 100 positions). Of several auctions only the coupled day-ahead auction
 * counts. An Acknowledgement_MarketDocument means that no prices are available yet.
 * Throws FetchError for any other document.
 */
export function parseEntsoe(text: string, host: string): ParsedPrices {
  if (XMLValidator.validate(text) !== true) throw new FetchError(`${host} answered incomplete XML.`);
  const parser = new XMLParser({
    removeNSPrefix: true,
    parseTagValue: false,
    processEntities: false,
    isArray: (name) => LISTS.has(name),
  });
  const document: unknown = parser.parse(text);
  if (!isRecord(document)) throw new FetchError(`${host} answered XML that is not a market document.`);
  if ("Acknowledgement_MarketDocument" in document) return { points: [], warnings: [] };
  const publication = document.Publication_MarketDocument;
  if (!isRecord(publication)) throw new FetchError(`${host} answered XML that is not a market document.`);
  const warnings: string[] = [];
  const rows = new PriceRows();
  const all = listOf(publication.TimeSeries);
  const coupled = all.filter(isCoupledAuction);
  if (coupled.length === 0 && all.length > 0)
    throw new FetchError(
      `${host} answered prices of other auctions than the coupled day-ahead auction only.`,
    );
  for (const series of coupled)
    for (const period of listOf(series.Period)) {
      const problem = addPeriod(rows, period, series.curveType !== "A01");
      if (problem !== undefined) warnings.push(`A period of the answer of ${host} is ignored: ${problem}.`);
    }
  return parsedPrices(rows.points(), warnings, host);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** What identifies the coupled day-ahead auction; a series that does not state one of these is taken for it. */
const COUPLED_AUCTION: readonly [string, string][] = [
  // A07 is intraday.
  ["contract_MarketAgreement.type", "A01"],
  // Austria and Germany have further auctions for the same day, with higher numbers.
  ["classificationSequence_AttributeInstanceComponent.position", "1"],
  ["currency_Unit.name", "EUR"],
];

function isCoupledAuction(series: Record<string, unknown>): boolean {
  return COUPLED_AUCTION.every(([name, value]) => (series[name] ?? value) === value);
}

/** Adds the prices of a period; returns why it cannot be used, undefined when it can. */
function addPeriod(rows: PriceRows, period: Record<string, unknown>, repeats: boolean): string | undefined {
  const interval = isRecord(period.timeInterval) ? period.timeInterval : {};
  const startMs = parseTime(String(interval.start), "UTC")?.getTime() ?? Number.NaN;
  const endMs = parseTime(String(interval.end), "UTC")?.getTime() ?? Number.NaN;
  const minutes = RESOLUTION_MINUTES[String(period.resolution)];
  if (minutes === undefined) return `its resolution ${String(period.resolution)} is not known`;
  const count = (endMs - startMs) / (minutes * MINUTE_MS);
  if (!Number.isInteger(count) || count < 0 || count > 40_000) return "its time interval is invalid";
  const byPosition = new Map<number, number>();
  for (const point of listOf(period.Point)) {
    const price = Number.parseFloat(String(point["price.amount"]));
    byPosition.set(Number(point.position), price);
  }
  const positions = Math.max(0, ...byPosition.keys());
  if (positions > count)
    return `it has ${positions} positions, but is ${count} times ${minutes} minutes long`;
  // A03 repeats the last price; a whole list of hours in it is a wrong resolution.
  if (
    minutes < 60 &&
    byPosition.size >= 23 &&
    byPosition.size === positions &&
    count * minutes === positions * 60
  )
    return `its resolution is ${minutes} minutes, but it has a price for each hour`;
  let last: number | undefined;
  for (let position = 1; position <= count; position++) {
    const price = byPosition.get(position);
    last = price ?? (repeats ? last : undefined);
    if (last === undefined) continue;
    const atMs = startMs + (position - 1) * minutes * MINUTE_MS;
    if (minutes === 60) rows.add(atMs, last, 60);
    // A price of 30 minutes becomes two quarter-hours.
    else for (let offset = 0; offset < minutes; offset += 15) rows.add(atMs + offset * MINUTE_MS, last, 15);
  }
  return undefined;
}
