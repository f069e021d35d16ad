import { type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { SettledPrices } from "../../tariff/settled-price.js";
import type { BilledQuarter } from "./billed-quarters.js";

/**
 * Why a part of a bill is not certain. `missing`: no value of the draw. `no_price`: no market price for the draw. `estimated`:
 * a value that the grid operator estimated. `missing_feed_in`: no value of the feed-in in a month with feed-in.
 * `no_feed_in_price`: no market price for the feed-in, while the draw has a price without one.
 */
export type BillGapKind = "missing" | "no_price" | "estimated" | "missing_feed_in" | "no_feed_in_price";

/** Quarter-hours of a bill that are not certain. */
export interface BillGap {
  kind: BillGapKind;
  hours: number;
  /** Neighbouring quarter-hours as one interval each. */
  intervals: Interval[];
  /** Energy that was billed (`estimated`) or left out (`no_price`, `no_feed_in_price`); of missing values the mean of the others. */
  kwh: number;
  /** The same amount at the prices of its quarter-hours, VAT included; undefined without prices. */
  eur: number | undefined;
}

/** A metered quarter-hour with its prices, ct/kWh; undefined: they need a market price that is not known. */
export interface PricedQuarter
  extends Pick<BilledQuarter, "start" | "importKwh" | "exportKwh" | "isEstimated">,
    Pick<SettledPrices, "importCtKwh" | "exportCtKwh"> {}

/** Whether there is feed-in whose price is not known. */
export function lacksFeedInPrice({
  exportKwh = 0,
  exportCtKwh,
}: Pick<PricedQuarter, "exportKwh" | "exportCtKwh">): boolean {
  return exportKwh > 0 && exportCtKwh === undefined;
}

/** The gaps of a bill, with the energy and the amount that they touch. */
export function billGaps(quarters: readonly PricedQuarter[]): BillGap[] {
  const meanImport = mean(quarters.map(({ importKwh }) => importKwh));
  const meanExport = mean(quarters.map(({ exportKwh }) => exportKwh));
  const gap = (
    kind: BillGapKind,
    isTouched: (quarter: PricedQuarter) => boolean,
    kwhOf: (quarter: PricedQuarter) => number,
    ctKwhOf: (quarter: PricedQuarter) => number | undefined,
  ): BillGap[] => {
    const touched = quarters.filter(isTouched);
    if (touched.length === 0) return [];
    let kwh = 0;
    let ct = 0;
    for (const quarter of touched) {
      kwh += kwhOf(quarter);
      ct += kwhOf(quarter) * (ctKwhOf(quarter) ?? 0);
    }
    const hasPrices = touched.some((quarter) => ctKwhOf(quarter) !== undefined);
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
  const importCt = ({ importCtKwh }: PricedQuarter) => importCtKwh;
  const exportCt = ({ exportCtKwh }: PricedQuarter) => exportCtKwh;
  return [
    ...gap(
      "missing",
      ({ importKwh }) => importKwh === undefined,
      () => meanImport,
      importCt,
    ),
    ...gap(
      "no_price",
      ({ importKwh, importCtKwh }) => importKwh !== undefined && importCtKwh === undefined,
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
    ...gap(
      "no_feed_in_price",
      (quarter) =>
        quarter.importKwh !== undefined && quarter.importCtKwh !== undefined && lacksFeedInPrice(quarter),
      ({ exportKwh = 0 }) => exportKwh,
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
