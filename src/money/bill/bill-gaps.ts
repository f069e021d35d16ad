import { type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { Prices } from "../../tariff/compile-tariff.js";
import type { BilledQuarter } from "./billed-quarters.js";

/**
 * Why a part of a bill is not certain. `missing`: no value of the draw. `no_price`: no market price. `estimated`: a value that
 * the grid operator estimated. `missing_feed_in`: no value of the feed-in in a month with feed-in.
 */
export type BillGapKind = "missing" | "no_price" | "estimated" | "missing_feed_in";

/** Quarter-hours of a bill that are not certain. */
export interface BillGap {
  kind: BillGapKind;
  hours: number;
  /** Neighbouring quarter-hours as one interval each. */
  intervals: Interval[];
  /** Energy that was billed (`estimated`) or left out (`no_price`); of missing values the mean of the others. */
  kwh: number;
  /** The same amount at the prices of its quarter-hours, VAT included; undefined without prices. */
  eur: number | undefined;
}

/** A metered quarter-hour with the market price that settles it, ct/kWh. */
export interface PricedQuarter
  extends Pick<BilledQuarter, "start" | "importKwh" | "exportKwh" | "isEstimated"> {
  spotCtKwh: number | undefined;
}

/** The gaps of a bill, with the energy and the amount that they touch. */
export function billGaps(quarters: readonly PricedQuarter[], prices: Prices): BillGap[] {
  const meanImport = mean(quarters.map(({ importKwh }) => importKwh));
  const meanExport = mean(quarters.map(({ exportKwh }) => exportKwh));
  const gap = (
    kind: BillGapKind,
    isTouched: (quarter: PricedQuarter) => boolean,
    kwhOf: (quarter: PricedQuarter) => number,
    ctKwhOf: (spotCtKwh: number, at: Date) => number,
  ): BillGap[] => {
    const touched = quarters.filter(isTouched);
    if (touched.length === 0) return [];
    let kwh = 0;
    let ct = 0;
    for (const quarter of touched) {
      kwh += kwhOf(quarter);
      if (quarter.spotCtKwh !== undefined) ct += kwhOf(quarter) * ctKwhOf(quarter.spotCtKwh, quarter.start);
    }
    const hasPrices = touched.some(({ spotCtKwh }) => spotCtKwh !== undefined);
    return [
      {
        kind,
        hours: touched.length / 4,
        intervals: merged(touched),
        kwh,
        eur: hasPrices ? ct / 100 : undefined,
      },
    ];
  };
  const importCt = (spot: number, at: Date) => prices.importCtKwh(spot, at);
  const exportCt = (spot: number, at: Date) => prices.exportCtKwh(spot, at);
  return [
    ...gap(
      "missing",
      ({ importKwh }) => importKwh === undefined,
      () => meanImport,
      importCt,
    ),
    ...gap(
      "no_price",
      ({ importKwh, spotCtKwh }) => importKwh !== undefined && spotCtKwh === undefined,
      ({ importKwh = 0 }) => importKwh,
      importCt,
    ),
    ...gap(
      "estimated",
      ({ importKwh, isEstimated }) => importKwh !== undefined && isEstimated,
      ({ importKwh = 0 }) => importKwh,
      importCt,
    ),
    ...gap(
      "missing_feed_in",
      ({ importKwh, exportKwh }) => importKwh !== undefined && exportKwh === undefined,
      () => meanExport,
      exportCt,
    ),
  ];
}

function mean(values: readonly (number | undefined)[]): number {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? 0 : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function merged(quarters: readonly { start: Date }[]): Interval[] {
  const intervals: Interval[] = [];
  for (const { start } of quarters) {
    const last = intervals.at(-1);
    const end = new Date(start.getTime() + QUARTER_MS);
    if (last?.end.getTime() === start.getTime()) last.end = end;
    else intervals.push({ start, end });
  }
  return intervals;
}
