import { QUARTER_MS } from "../core/domain/interval.js";
import type { MeterQuantity, MeterSeries } from "../core/domain/meter.js";

/** What is known of one quantity of an import, without its values. */
export interface ImportedSeries {
  quantity: MeterQuantity;
  meterPoint: string | null;
  /** The communities that the values are of; left out: not named, or one value whatever their number. */
  communities?: readonly string[];
  operator: string;
  format: string;
  stepMinutes: number;
  intervals: number;
  kwh: number;
  missing: number;
  estimated: number;
  firstStart: string;
  lastStart: string;
}

/** One file that was imported for a site. */
export interface MeterImport {
  id: string;
  siteId: string;
  file: string;
  importedAt: string;
  series: ImportedSeries[];
}

/** First and last start of the values of an import. */
export interface MeteredSpan {
  communities: readonly string[];
  firstMs: number;
  lastMs: number;
}

/** What is known of a series. */
export function importedSeries(series: MeterSeries & { quantity: MeterQuantity }): ImportedSeries {
  const { quantity, meterPoint, communities, operator, format, stepMinutes } = series;
  const { intervals, kwh, missing, estimated } = series;
  return {
    quantity,
    meterPoint: meterPoint ?? null,
    ...(communities.length > 0 && { communities }),
    operator,
    format,
    stepMinutes,
    intervals,
    kwh,
    missing,
    estimated,
    firstStart: new Date(series.starts[0]!).toISOString(),
    lastStart: new Date(series.starts.at(-1)!).toISOString(),
  };
}

/** Whether a series has values in a time. */
export function overlaps(
  { firstStart, lastStart, stepMinutes }: ImportedSeries,
  from: Date,
  to: Date,
): boolean {
  return (
    Date.parse(firstStart) < to.getTime() && Date.parse(lastStart) + stepMinutes * 60_000 > from.getTime()
  );
}

export function spanOf({
  communities = [],
  firstStart,
  lastStart,
  stepMinutes,
}: ImportedSeries): MeteredSpan {
  return {
    communities,
    firstMs: Date.parse(firstStart),
    lastMs: Date.parse(lastStart) + stepMinutes * 60_000 - QUARTER_MS,
  };
}
