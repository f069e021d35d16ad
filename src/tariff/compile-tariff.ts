import { checkDate, checkNumber } from "../core/check-fields.js";
import { type LocalTime, localTime } from "../core/time/zone.js";
import { checkTariff } from "./check-input.js";
import { energyPricing, feedInPricing, LevyRates, windowPricing } from "./period-prices.js";
import { windowMatcher } from "./price-windows.js";
import { periodsOf, type Tariff, TariffError, type TariffPeriod } from "./tariff.js";

/** Import and export price of a plant, ct/kWh, from the market price, ct/kWh, at an instant. */
export interface Prices {
  /** What one more kWh costs, all-in; fixed fees do not enter. */
  importCtKwh(spotCtKwh: number, at: Date): number;
  exportCtKwh(spotCtKwh: number, at: Date): number;
  /** Steps of the market price that the supplier settles; undefined: as the prices come. */
  settlementMinutes?(at: Date): 15 | 60 | undefined;
  /** Which prices depend on the market price; undefined: both. */
  marketNeeds?(at: Date): MarketNeeds;
  /** Share of the consumption that the community is expected to cover, 0 to 1. */
  communityShare?(at: Date): number;
  /** The price on the month's highest mean import; undefined without one above 0. */
  peakPrice?(at: Date): MonthPeakPrice | undefined;
}

/** Whether the prices of import and export depend on the market price. */
export interface MarketNeeds {
  imports: boolean;
  exports: boolean;
}

/** What the highest mean import of a month costs. */
export interface MonthPeakPrice {
  /** At least this is charged, kW. */
  minKw: number;
  /** Price of a kW for the month from `overKw` on, ct with VAT; ascending, the first from 0. */
  tiers: readonly { overKw: number; ctPerKw: number }[];
  /** Whether the import of an instant counts. */
  counts(at: Date): boolean;
}

/** The prices of one period at a local time. */
interface PeriodPrices {
  importCt(spotCtKwh: number, at: LocalTime): number;
  exportCt(spotCtKwh: number, at: LocalTime): number;
  settlement: 15 | 60 | undefined;
  needs: MarketNeeds;
  communityShare(at: LocalTime): number;
  peak: (Omit<MonthPeakPrice, "counts"> & { counts(at: LocalTime): boolean }) | undefined;
}

/**
 * Prepares a tariff of a plant in `zone` for repeated use; docs/tariffs.md has the formulas. Each instant has the prices of
 * its own period. Throws TariffError that names the key of an invalid value, and RangeError for values that are none.
 *
 * @example
 * const prices = compileTariff({ markup_ct_kwh: 1.5, grid_fee_ct_kwh: 8.5, vat_pct: 20 }, "Europe/Vienna");
 * prices.importCtKwh(10, new Date()); // 24
 */
export function compileTariff(tariff: Tariff, zone: string): Prices {
  checkTariff(tariff);
  const flat = !Array.isArray(tariff);
  const keysOf = (index: number) =>
    flat
      ? { period: "tariff", grid: "grid_fee_ct_kwh" }
      : { period: `[${index}]`, grid: `[${index}].grid_usage.windows` };
  const periods = periodsOf(tariff).map((period, index) => ({
    from: period.valid_from ?? "",
    prices: periodPrices(period, keysOf(index)),
  }));
  const only = periods.length === 1 ? periods[0]!.prices : undefined;
  const pricesAt = ({ date }: LocalTime) =>
    only ?? (periods.findLast(({ from }) => from <= date) ?? periods[0]!).prices;
  const localAt = (at: Date) => {
    checkDate("at", at);
    return localTime(at, zone);
  };
  return {
    importCtKwh: (spot, at) => {
      const local = localAt(at);
      return known(pricesAt(local).importCt(spot, local));
    },
    exportCtKwh: (spot, at) => {
      const local = localAt(at);
      return known(pricesAt(local).exportCt(spot, local));
    },
    settlementMinutes: (at) => (only ?? pricesAt(localAt(at))).settlement,
    marketNeeds: (at) => (only ?? pricesAt(localAt(at))).needs,
    communityShare: (at) => {
      const local = localAt(at);
      return pricesAt(local).communityShare(local);
    },
    peakPrice: (at) => {
      const peak = (only ?? pricesAt(localAt(at))).peak;
      return peak && { ...peak, counts: (instant) => peak.counts(localTime(instant, zone)) };
    },
  };
}

/** A price; one that is none comes from a market price that is none. */
function known(priceCtKwh: number): number {
  checkNumber("spotCtKwh", priceCtKwh);
  return priceCtKwh;
}

function periodPrices(period: TariffPeriod, keys: { period: string; grid: string }): PeriodPrices {
  const energy = energyPricing(period, keys.period);
  const grid = windowPricing(period.grid_usage?.windows, period.grid_usage?.ct_kwh ?? 0, keys.grid);
  const lossCt = period.grid_loss?.ct_kwh ?? 0;
  const vatFactor = 1 + (period.vat_pct ?? 0) / 100;
  const levies = new LevyRates(period);
  const community = communityPrice(period, { gridCt: grid.baseCtKwh, lossCt, vatFactor });
  return {
    importCt: (spot, at) => {
      const parts = { energyCt: energy(spot, at), gridCt: grid.at(at).ctKwh, lossCt };
      const ct = (parts.energyCt + parts.gridCt + lossCt + levies.ct(at.date, parts)) * vatFactor;
      const share = community.share(at);
      return share === 0 ? ct : share * community.ct(at) + (1 - share) * ct;
    },
    exportCt: feedInPricing(period.feed_in, keys.period),
    settlement: period.energy?.type === "spot" ? period.energy.settlement_minutes : undefined,
    needs: marketNeedsOf(period),
    communityShare: community.share,
    peak: peakPriceOf(period, keys.period),
  };
}

/** Whether the prices of a period depend on the market price. */
export function marketNeedsOf({ energy, feed_in }: TariffPeriod): MarketNeeds {
  return {
    imports: (energy?.type ?? "spot") === "spot",
    exports: ["spot", "factor"].includes(feed_in?.type ?? "spot"),
  };
}

/** The price on the month's highest mean import, a twelfth of the yearly one. */
function peakPriceOf({ grid_power: power, vat_pct = 0 }: TariffPeriod, key: string): PeriodPrices["peak"] {
  const tiers = [{ over_kw: 0, eur_kw_year: power?.eur_kw_year ?? 0 }, ...(power?.steps ?? [])];
  // Without a first price the bill charges none of the others.
  if (!power?.eur_kw_year) return undefined;
  return {
    minKw: power.min_kw ?? 0,
    tiers: tiers.map(({ over_kw, eur_kw_year }) => ({
      overKw: over_kw,
      ctPerKw: (eur_kw_year / 12) * 100 * (1 + vat_pct / 100),
    })),
    counts: windowMatcher(power.window ?? {}, `${key}.grid_power.window`),
  };
}

/** The all-in price of a kWh from the community, and the share expected of it, 0 to 1. */
function communityPrice(
  period: TariffPeriod,
  { gridCt, lossCt, vatFactor }: { gridCt: number; lossCt: number; vatFactor: number },
) {
  const { community } = period;
  const shares = community?.share_pct ?? 0;
  if (typeof shares !== "number" && shares.length !== 24) {
    throw new TariffError("community.share_pct", (texts) => texts.shares);
  }
  const levies = new LevyRates(period, community?.levies_waived);
  const gridCommunityCt = gridCt * (1 - (community?.grid_usage_discount_pct ?? 0) / 100);
  const energyCt = (community?.price_ct_kwh ?? 0) * (1 + (community?.vat_pct ?? 0) / 100);
  return {
    share: ({ hour }: LocalTime) => (typeof shares === "number" ? shares : shares[hour]!) / 100,
    ct: ({ date }: LocalTime) => {
      const parts = { energyCt: 0, gridCt: gridCommunityCt, lossCt };
      return energyCt + (gridCommunityCt + lossCt + levies.ct(date, parts)) * vatFactor;
    },
  };
}
