import { XMLParser, XMLValidator } from "fast-xml-parser";
import { MINUTE_MS } from "../../domain/interval.js";
import type { PricePoint } from "../../domain/price.js";
import { FetchError } from "../../net/fetch.js";
import { whyUnusable } from "../points.js";
import { isRecord, type ParsedPrices } from "./http.js";

const RESOLUTION_MINUTES: Record<string, number> = { PT15M: 15, PT30M: 30, PT60M: 60, PT1H: 60 };

const LISTS = new Set(["TimeSeries", "Period", "Point", "Reason"]);

/**
 * Reads a Publication_MarketDocument: EUR/MWh by period. In curve A03 a position that is left out repeats the one before
 * it, up to the end of the period (so a day of 25 hours has up to 100). Of two auctions for the same time the one with
 * sequence 1, the coupled one, counts. An Acknowledgement_MarketDocument means that there is nothing yet. Throws
 * FetchError for anything else.
 */
export function parseEntsoe(text: string, host: string): ParsedPrices {
  if (XMLValidator.validate(text) !== true) throw new FetchError(`${host} did not answer whole XML.`);
  const parser = new XMLParser({
    removeNSPrefix: true,
    parseTagValue: false,
    processEntities: false,
    isArray: (name) => LISTS.has(name),
  });
  const document: unknown = parser.parse(text);
  if (!isRecord(document)) throw new FetchError(`${host} answered XML that is no market document.`);
  if ("Acknowledgement_MarketDocument" in document) return { points: [], warnings: [] };
  const publication = document.Publication_MarketDocument;
  if (!isRecord(publication)) throw new FetchError(`${host} answered XML that is no market document.`);
  const warnings: string[] = [];
  const points = listOf(publication.TimeSeries)
    .filter(isCoupledAuction)
    .flatMap((series) =>
      listOf(series.Period).flatMap((period) => {
        const read = pointsOfPeriod(period, series.curveType !== "A01");
        if (typeof read !== "string") return read;
        warnings.push(`A period of the answer of ${host} is left out: ${read}.`);
        return [];
      }),
    );
  if (points.length === 0 && warnings.length > 0)
    throw new FetchError(`${host} answered without a usable price. ${warnings[0]}`);
  // Hourly values first, so that quarter-hours of the same auction, where there are any, are laid over them.
  return { points: points.sort((a, b) => b.minutes - a.minutes), warnings: warnings.slice(0, 3) };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isCoupledAuction(series: Record<string, unknown>): boolean {
  const sequence = series["classificationSequence_AttributeInstanceComponent.position"];
  const unit = series["currency_Unit.name"] ?? "EUR";
  return (sequence === undefined || sequence === "1") && unit === "EUR";
}

function pointsOfPeriod(period: Record<string, unknown>, repeats: boolean): PricePoint[] | string {
  const interval = isRecord(period.timeInterval) ? period.timeInterval : {};
  const startMs = Date.parse(String(interval.start));
  const endMs = Date.parse(String(interval.end));
  const minutes = RESOLUTION_MINUTES[String(period.resolution)];
  if (minutes === undefined) return `its resolution ${String(period.resolution)} is not known`;
  const count = (endMs - startMs) / (minutes * MINUTE_MS);
  if (!Number.isInteger(count) || count < 0 || count > 40_000) return "its time interval makes no sense";
  const byPosition = new Map<number, number>();
  for (const point of listOf(period.Point)) {
    const price = Number.parseFloat(String(point["price.amount"]));
    byPosition.set(Number(point.position), price);
  }
  const points: PricePoint[] = [];
  let last: number | undefined;
  for (let position = 1; position <= count; position++) {
    const given = byPosition.get(position);
    last = given ?? (repeats ? last : undefined);
    const atMs = startMs + (position - 1) * minutes * MINUTE_MS;
    if (last === undefined || whyUnusable(atMs, last) !== undefined) continue;
    points.push(...stretch(atMs, minutes, last));
  }
  return points;
}

/** A price of 15, 30 or 60 minutes as points of the lengths that a series knows. */
function stretch(startMs: number, minutes: number, eurPerMwh: number): PricePoint[] {
  if (minutes === 60) return [{ start: new Date(startMs), minutes: 60, eurPerMwh }];
  return Array.from({ length: minutes / 15 }, (_, index) => ({
    start: new Date(startMs + index * 15 * MINUTE_MS),
    minutes: 15 as const,
    eurPerMwh,
  }));
}
