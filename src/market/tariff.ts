import { localTime } from "../time/zone.js";

/** One band of the grid fee. Both ranges may wrap around: months `10-3`, hours `22-6`. */
export interface GridFeeBand {
  /** First and last month, both included: `4-9`, or one month: `7`. Default: the whole year. */
  months?: string | undefined;
  /** Local hours, half-open: `10-16` is 10:00 to 16:00. Default: the whole day. */
  hours?: string | undefined;
  ct_kwh: number;
}

/** The tariff of a plant as configured; missing values are 0. */
export interface Tariff {
  markup_ct_kwh?: number | undefined;
  /** Percent of the absolute market price. */
  markup_pct?: number | undefined;
  levies_ct_kwh?: number | undefined;
  grid_fee_ct_kwh?: number | readonly GridFeeBand[] | undefined;
  vat_pct?: number | undefined;
  feed_in?:
    | {
        type?: "spot" | "fixed" | undefined;
        ct_kwh?: number | null | undefined;
        deduct_ct_kwh?: number | undefined;
        /** Percentage of the absolute price that is deducted. */
        deduct_pct?: number | undefined;
      }
    | null
    | undefined;
}

/** Import and export price of a plant, ct/kWh, from the market price, ct/kWh, at an instant. */
export interface Prices {
  importCtKwh(spotCtKwh: number, at: Date): number;
  exportCtKwh(spotCtKwh: number, at: Date): number;
}

/**
 * Prepares a tariff of a plant in `zone` for repeated use. Import: (spot + |spot| * markup_pct / 100 + markup + levies
 * + grid fee) * (1 + vat_pct / 100). Export: base - |base| * deduct_pct / 100 - deduct, where base is the market price or
 * the fixed price; without feed_in the market price. Throws RangeError that names the key of an invalid value.
 *
 * @example
 * const prices = compileTariff({ markup_ct_kwh: 1.5, grid_fee_ct_kwh: 8.5, vat_pct: 20 }, "Europe/Vienna");
 * prices.importCtKwh(10, new Date()); // 24
 */
export function compileTariff(tariff: Tariff, zone: string): Prices {
  const { markup_ct_kwh: markup = 0, markup_pct: markupPct = 0, levies_ct_kwh: levies = 0 } = tariff;
  const vatFactor = 1 + (tariff.vat_pct ?? 0) / 100;
  const gridFee = gridFeeOf(tariff.grid_fee_ct_kwh ?? 0, zone);
  const feedIn = tariff.feed_in ?? undefined;
  const deduct = feedIn?.deduct_ct_kwh ?? 0;
  const deductPct = feedIn?.deduct_pct ?? 0;
  const fixed = feedIn?.type === "fixed" ? feedIn.ct_kwh : undefined;
  if (feedIn?.type === "fixed" && typeof fixed !== "number")
    throw new RangeError("feed_in.ct_kwh must be given when feed_in.type is fixed.");
  return {
    importCtKwh: (spot, at) =>
      (spot + (Math.abs(spot) * markupPct) / 100 + markup + levies + gridFee(at)) * vatFactor,
    exportCtKwh: (spot) => {
      const base = fixed ?? spot;
      return base - (Math.abs(base) * deductPct) / 100 - deduct;
    },
  };
}

/** Fee by instant, from a table by month and hour: a plan evaluates it thousands of times. */
function gridFeeOf(fee: number | readonly GridFeeBand[], zone: string): (at: Date) => number {
  if (typeof fee === "number") return () => fee;
  const table = new Float64Array(12 * 24);
  fee.forEach((band, index) => {
    const name = `grid_fee_ct_kwh[${index}]`;
    const months = range(band.months ?? "1-12", 1, 12, `${name}.months`);
    const hours = range(band.hours ?? "0-24", 0, 24, `${name}.hours`);
    for (let month = 1; month <= 12; month++) {
      if (!inclusive(months, month)) continue;
      // The last matching band wins.
      for (let hour = 0; hour < 24; hour++) if (halfOpen(hours, hour)) table[cell(month, hour)] = band.ct_kwh;
    }
  });
  return (at) => {
    const { month, hour } = localTime(at, zone);
    return table[cell(month, hour)] ?? 0;
  };
}

function cell(month: number, hour: number): number {
  return (month - 1) * 24 + hour;
}

interface Range {
  first: number;
  last: number;
}

function range(text: string, least: number, most: number, name: string): Range {
  const match = /^\s*(\d{1,2})\s*(?:-\s*(\d{1,2})\s*)?$/.exec(text);
  const first = Number(match?.[1] ?? Number.NaN);
  // A single month is a range of one month, a single hour a range of one hour.
  const last = match?.[2] === undefined ? first + (least === 0 ? 1 : 0) : Number(match[2]);
  if (!(first >= least && first <= most && last >= least && last <= most))
    throw new RangeError(`${name} must be a range such as ${least}-${most}, not "${text}".`);
  return { first, last };
}

function inclusive({ first, last }: Range, value: number): boolean {
  return first <= last ? first <= value && value <= last : value >= first || value <= last;
}

/** Equal limits mean the whole day, as in window requests; 24 as the first limit is midnight. */
function halfOpen({ first, last }: Range, value: number): boolean {
  const from = first % 24;
  if (from === last % 24) return true;
  return from < last ? from <= value && value < last : value >= from || value < last;
}
