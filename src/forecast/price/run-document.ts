import { HOUR_MS } from "../../core/domain/interval.js";
import { PRICE_ORIGINS, type PriceOrigin } from "../../core/domain/price.js";
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
  if (!isRun(document)) return undefined;
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

function isRun(value: unknown): value is RunDocument {
  const run = value as Partial<Record<keyof RunDocument, unknown>> | null | undefined;
  return (
    typeof run === "object" &&
    run !== null &&
    run.version === 1 &&
    isTime(run.issuedAt) &&
    isTime(run.start) &&
    isOneOf(run.trigger, ["scheduled", "day_ahead", "manual"]) &&
    isOneOf(run.tier, FORECAST_TIERS) &&
    typeof run.modelVersion === "string" &&
    Array.isArray(run.hours) &&
    run.hours.length > 0 &&
    run.hours.every(isHour)
  );
}

function isHour(row: unknown): boolean {
  return (
    Array.isArray(row) &&
    row.length === 4 &&
    row.slice(0, 3).every((price) => Number.isFinite(price)) &&
    isOneOf(row[3], PRICE_ORIGINS)
  );
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function isOneOf(value: unknown, allowed: readonly string[]): boolean {
  return typeof value === "string" && allowed.includes(value);
}
