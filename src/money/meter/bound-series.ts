import { QUARTER_MS } from "../../core/domain/interval.js";
import type { MeterSeries } from "../../core/domain/meter.js";
import { round6 } from "./series.js";

/** The series without intervals whose energy the home cannot have: they count as missing and are named. */
export function boundSeries(series: MeterSeries, mostQuarterKwh: number): MeterSeries {
  const { starts, values, estimates, stepMinutes } = series;
  const mostKwh = (mostQuarterKwh * stepMinutes * 60_000) / QUARTER_MS;
  const first = values.findIndex((kwh) => kwh > mostKwh);
  if (first < 0) return series;
  const kept = [...values.keys()].filter((index) => values[index]! <= mostKwh);
  const count = values.length - kept.length;
  const start = new Date(starts[first]!).toISOString();
  const warnings = [...series.warnings, { code: "impossible", count, start, kwh: values[first]! } as const];
  // A series has values; the archive does not read these.
  if (kept.length === 0) return { ...series, warnings };
  const take = (array: ArrayLike<number>) => kept.map((index) => array[index]!);
  const left = take(values);
  return {
    ...series,
    intervals: series.intervals - count,
    kwh: round6(left.reduce((sum, kwh) => sum + kwh, 0)),
    missing: series.missing + count,
    estimated:
      series.estimated -
      [...estimates.keys()].filter((n) => estimates[n] === 1 && values[n]! > mostKwh).length,
    warnings,
    starts: Float64Array.from(take(starts)),
    values: Float64Array.from(left),
    estimates: Uint8Array.from(take(estimates)),
  };
}
