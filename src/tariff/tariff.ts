import type { Language } from "../core/language.js";
import { addDays } from "../core/time/zone.js";
import { type Texts, textsOf } from "../texts/index.js";

/** One price window. All that is given must match; both ends of a range may lie before its start (`10-3`, 22:00 to 06:00). */
export interface PriceWindow {
  /** First and last month, both included: `4-9`, or one month: `7`. Default: the whole year. */
  months?: string | undefined;
  /** First and last day of the week, 1 = Monday: `1-5`. Default: all. */
  weekdays?: string | undefined;
  /** true: only on public holidays; false: not on them. Default: both. */
  holidays?: boolean | undefined;
  /** Local time from which on it applies, `HH:MM`; default 00:00. */
  from?: string | undefined;
  /** Local time up to which it applies, `HH:MM`; default 24:00. */
  to?: string | undefined;
  /** The same as whole hours, half-open: `10-16`. */
  hours?: string | undefined;
  ct_kwh: number;
  name?: string | undefined;
}

/** Parts of a bill that a percentage is taken of. */
export const PERCENTAGE_BASES = ["energy", "base_fee", "grid", "loss", "flat", "metering"] as const;
export type PercentageBase = (typeof PERCENTAGE_BASES)[number];

/** One levy: exactly one of an amount per kWh, an amount per year, or a percentage of other parts. */
export interface Levy {
  name: string;
  ct_kwh?: number | undefined;
  eur_year?: number | undefined;
  pct?: number | undefined;
  pct_of?: readonly PercentageBase[] | undefined;
  /** Local dates, both included. */
  valid_from?: string | undefined;
  valid_to?: string | undefined;
}

/** Amounts up to `up_to_kwh` of a month or year have this price; the last block has no limit. */
export interface PriceBlock {
  up_to_kwh?: number | undefined;
  ct_kwh: number;
}

export interface EnergyPrice {
  type: "spot" | "fixed" | "monthly" | "time_windows";
  markup_ct_kwh?: number | undefined;
  markup_pct?: number | undefined;
  /** What the percentage is taken of: the absolute market price (default), or the price with its sign. */
  pct_of?: "absolute" | "signed" | undefined;
  settlement_minutes?: 15 | 60 | undefined;
  /** Limits of the supplier's price, markups included. */
  floor_ct_kwh?: number | null | undefined;
  cap_ct_kwh?: number | null | undefined;
  ct_kwh?: number | undefined;
  /** Prices by month, `YYYY-MM`. */
  months?: Readonly<Record<string, number>> | undefined;
  windows?: readonly PriceWindow[] | undefined;
  blocks?: readonly PriceBlock[] | undefined;
  blocks_per?: "month" | "year" | undefined;
}

export interface FeedInPrice {
  /** spot: market price less deductions; factor: the higher of `factor` times the market price and market price less `deduct_ct_kwh`. */
  type?: "spot" | "fixed" | "monthly" | "factor" | undefined;
  ct_kwh?: number | null | undefined;
  deduct_ct_kwh?: number | undefined;
  deduct_pct?: number | undefined;
  pct_of?: "absolute" | "signed" | undefined;
  factor?: number | undefined;
  floor_ct_kwh?: number | null | undefined;
  months?: Readonly<Record<string, number>> | undefined;
  blocks?: readonly PriceBlock[] | undefined;
  blocks_per?: "month" | "year" | undefined;
}

export interface CommunityTerms {
  price_ct_kwh: number;
  /** Of the community's own invoice. */
  vat_pct?: number | undefined;
  grid_usage_discount_pct?: number | undefined;
  /** Names of levies that the community's energy is free of. */
  levies_waived?: readonly string[] | undefined;
  /** Expected share of consumption that the community covers: one number, or 24 by local hour; null: none expected. */
  share_pct?: number | readonly number[] | null | undefined;
  /** Paid by the community for what it takes. */
  feed_in_ct_kwh?: number | null | undefined;
}

/** What holds from a local date on. Amounts are net of VAT. */
export interface TariffPeriod {
  /** First local date, `YYYY-MM-DD`; the first period may leave it out. */
  valid_from?: string | undefined;
  /** Last local date for which the amounts are known. Later days have them too, until a period follows. */
  known_until?: string | undefined;
  energy?: EnergyPrice | undefined;
  energy_base_fee?: { eur_month: number } | undefined;
  grid_usage?:
    | {
        ct_kwh?: number | undefined;
        /** The last match wins; where none matches, `ct_kwh`. */
        windows?: readonly PriceWindow[] | undefined;
        flat_eur_year?: number | undefined;
        metering_eur_month?: number | undefined;
      }
    | undefined;
  grid_loss?: { ct_kwh: number } | undefined;
  grid_power?: GridPowerPrice | undefined;
  levies?: readonly Levy[] | undefined;
  municipal_levy?: readonly Levy[] | undefined;
  vat_pct?: number | undefined;
  feed_in?: FeedInPrice | null | undefined;
  community?: CommunityTerms | null | undefined;
}

/** Price on the highest mean import of a month. */
export interface GridPowerPrice {
  eur_kw_year: number;
  /** Only quarter-hours in these windows count; default: all. */
  window?: Omit<PriceWindow, "ct_kwh"> | undefined;
  interval_minutes?: 15 | undefined;
  /** At least this is charged. */
  min_kw?: number | undefined;
  /** Prices of further power: what exceeds `over_kw` costs `eur_kw_year`. */
  steps?: readonly { over_kw: number; eur_kw_year: number }[] | undefined;
}

/** The flat form: one period without dates. */
export interface FlatTariff {
  markup_ct_kwh?: number | undefined;
  /** Percent of the absolute market price. */
  markup_pct?: number | undefined;
  levies_ct_kwh?: number | undefined;
  grid_fee_ct_kwh?: number | readonly PriceWindow[] | undefined;
  vat_pct?: number | undefined;
  feed_in?: FeedInPrice | null | undefined;
}

/** The tariff of a plant as configured: periods in order of their dates, or the flat form. */
export type Tariff = FlatTariff | readonly TariffPeriod[];

type TariffTexts = Texts["config"]["tariff"];

/** A tariff that makes no sense. `key` names the place in the tariff. */
export class TariffError extends Error {
  readonly key: string;
  readonly #problem: (texts: TariffTexts) => string;

  constructor(key: string, problem: (texts: TariffTexts) => string) {
    super(`${key} ${problem(textsOf("en").config.tariff)}`);
    this.name = "TariffError";
    this.key = key;
    this.#problem = problem;
  }

  /** The message without the key. */
  problem({ tariff }: Texts["config"]): string {
    return this.#problem(tariff);
  }

  /** The message in a language. */
  text(language: Language): string {
    return `${this.key} ${this.problem(textsOf(language).config)}`;
  }
}

/** The periods of a tariff in order of time. */
export function periodsOf(tariff: Tariff): readonly TariffPeriod[] {
  if (!isPeriods(tariff)) return [periodOfFlat(tariff)];
  tariff.forEach((period, index) => {
    const before = tariff[index - 1];
    if (before === undefined) return;
    if (period.valid_from === undefined) {
      throw new TariffError(`[${index}].valid_from`, (texts) => texts.start);
    }
    if (before.known_until !== undefined && addDays(before.known_until, 1) < period.valid_from) {
      throw new TariffError(`[${index}].valid_from`, (texts) => texts.hole(before.known_until ?? ""));
    }
    if (before.valid_from !== undefined && before.valid_from >= period.valid_from) {
      throw new TariffError(`[${index}].valid_from`, (texts) => texts.after(before.valid_from ?? ""));
    }
  });
  if (tariff.length === 0) throw new TariffError("tariff", (texts) => texts.none);
  return tariff;
}

function isPeriods(tariff: Tariff): tariff is readonly TariffPeriod[] {
  return Array.isArray(tariff);
}

function periodOfFlat(flat: FlatTariff): TariffPeriod {
  const fee = flat.grid_fee_ct_kwh ?? 0;
  return {
    energy: {
      type: "spot",
      markup_ct_kwh: flat.markup_ct_kwh,
      markup_pct: flat.markup_pct,
    },
    grid_usage: typeof fee === "number" ? { ct_kwh: fee } : { windows: fee },
    levies: [{ name: "levies", ct_kwh: flat.levies_ct_kwh ?? 0 }],
    vat_pct: flat.vat_pct,
    feed_in: flat.feed_in,
  };
}

/** The period of a local date: the last that has begun; before the first, the first. */
export function periodAt(periods: readonly TariffPeriod[], date: string): TariffPeriod {
  let found = periods[0]!;
  for (const period of periods) if ((period.valid_from ?? "") <= date) found = period;
  return found;
}

/** Levies in force on a local date. */
export function leviesAt(levies: readonly Levy[] | undefined, date: string): Levy[] {
  return (levies ?? []).filter(
    ({ valid_from, valid_to }) => (valid_from ?? "") <= date && date <= (valid_to ?? "9999"),
  );
}

/** The entry of a table of months for `month` (`YYYY-MM`): its own, else the last before it, else the first. */
export function monthlyPrice(
  months: Readonly<Record<string, number>>,
  month: string,
): { ctKwh: number; isEstimated: boolean } | undefined {
  const own = months[month];
  if (own !== undefined) return { ctKwh: own, isEstimated: false };
  const known = Object.keys(months).sort();
  const nearest = known.findLast((name) => name < month) ?? known[0];
  return nearest === undefined ? undefined : { ctKwh: months[nearest]!, isEstimated: true };
}
