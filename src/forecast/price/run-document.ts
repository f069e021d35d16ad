import { HOUR_MS } from "../../core/domain/interval.js";
import { PRICE_ORIGINS, type PriceOrigin } from "../../core/domain/price.js";
import { hasFields, isListOf, isNumber, isOneOf, isText, isTimeText, type Shape } from "../../core/shape.js";
import { FORECAST_TIERS, type ForecastRun, type ForecastTier, type ForecastTrigger } from "./forecast.js";

/** Stored form of a run: one row per hour without its start, because hours have no gaps. */
interface RunDocument {
  version: 1;
  issuedAt: string;
  trigger: ForecastTrigger;
  modelVersion: string;
  tier: ForecastTier;
  start: string;
  hours: [p10: number, p50: number, p90: number, source: PriceOrigin][];
}

/** The run as a JSON value. */
export function writeRun(run: ForecastRun): RunDocument {
  return {
    version: 1,
    issuedAt: run.issuedAt.toISOString(),
    trigger: run.trigger,
    modelVersion: run.modelVersion,
    tier: run.tier,
    start: (run.hours[0]?.start ?? run.issuedAt).toISOString(),
    hours: run.hours.map(({ p10, p50, p90, source }) => [p10, p50, p90, source]),
  };
}

/** Reads a run written by `writeRun`; undefined for anything else. */
export function readRun(document: unknown): ForecastRun | undefined {
  if (!isRun(document) || document.hours.length === 0) return undefined;
  const { issuedAt, trigger, modelVersion, tier, start, hours } = document;
  const startMs = Date.parse(start);
  return {
    issuedAt: new Date(issuedAt),
    trigger,
    modelVersion,
    tier,
    hours: hours.map(([p10, p50, p90, source], index) => ({
      start: new Date(startMs + index * HOUR_MS),
      p10,
      p50,
      p90,
      source,
    })),
  };
}

const isHour: Shape<RunDocument["hours"][number]> = (row): row is RunDocument["hours"][number] =>
  Array.isArray(row) && row.length === 4 && row.slice(0, 3).every(isNumber) && isOneOf(PRICE_ORIGINS)(row[3]);

const isRun = hasFields<RunDocument>({
  version: isOneOf([1]),
  issuedAt: isTimeText,
  trigger: isOneOf(["scheduled", "day_ahead", "manual"]),
  modelVersion: isText,
  tier: isOneOf(FORECAST_TIERS),
  start: isTimeText,
  hours: isListOf(isHour),
});
