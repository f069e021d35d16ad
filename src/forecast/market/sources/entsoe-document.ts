import { XMLParser, XMLValidator } from "fast-xml-parser";
import { MINUTE_MS } from "../../../core/domain/interval.js";
import { FetchError } from "../../../core/net/fetch.js";
import { isRecord } from "../../../core/net/json.js";
import { type ParsedPrices, PriceRows, parsedPrices } from "./answer.js";

const RESOLUTION_MINUTES: Record<string, number> = { PT15M: 15, PT30M: 30, PT60M: 60, PT1H: 60 };

const LISTS = new Set(["TimeSeries", "Period", "Point", "Reason"]);

/**
 * Reads a Publication_MarketDocument: EUR/MWh by period. In curve A03 a missing position repeats the previous one, up to
 * the end of the period (so a day with 25 hours has up to 100 positions). Of two auctions for the same time the one with
 * sequence 1 (the coupled auction) is used. An Acknowledgement_MarketDocument means that no prices are available yet.
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
  for (const series of listOf(publication.TimeSeries).filter(isCoupledAuction))
    for (const period of listOf(series.Period)) {
      const problem = addPeriod(rows, period, series.curveType !== "A01");
      if (problem !== undefined) warnings.push(`A period of the answer of ${host} is ignored: ${problem}.`);
    }
  return parsedPrices(rows.points(), warnings, host);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isCoupledAuction(series: Record<string, unknown>): boolean {
  const sequence = series["classificationSequence_AttributeInstanceComponent.position"];
  const unit = series["currency_Unit.name"] ?? "EUR";
  return (sequence === undefined || sequence === "1") && unit === "EUR";
}

/** Adds the prices of a period; returns why it cannot be used, undefined when it can. */
function addPeriod(rows: PriceRows, period: Record<string, unknown>, repeats: boolean): string | undefined {
  const interval = isRecord(period.timeInterval) ? period.timeInterval : {};
  const startMs = Date.parse(String(interval.start));
  const endMs = Date.parse(String(interval.end));
  const minutes = RESOLUTION_MINUTES[String(period.resolution)];
  if (minutes === undefined) return `its resolution ${String(period.resolution)} is not known`;
  const count = (endMs - startMs) / (minutes * MINUTE_MS);
  if (!Number.isInteger(count) || count < 0 || count > 40_000) return "its time interval is invalid";
  const byPosition = new Map<number, number>();
  for (const point of listOf(period.Point)) {
    const price = Number.parseFloat(String(point["price.amount"]));
    byPosition.set(Number(point.position), price);
  }
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
