import type { LocalTime } from "../core/time/zone.js";
import { isAlways, windowMatcher } from "./price-windows.js";
import {
  type FeedInPrice,
  type Levy,
  leviesAt,
  monthlyPrice,
  type PriceWindow,
  TariffError,
  type TariffPeriod,
} from "./tariff.js";

/** Net amounts of one kWh, ct. */
export interface KwhParts {
  energyCt: number;
  gridCt: number;
  lossCt: number;
}

/** Prepares the net energy price of a kWh drawn, ct, by the market price and local time. */
export type EnergyPricing = (spotCtKwh: number, at: LocalTime) => number;

/** The window that applies, and its price. */
export interface WindowPricing {
  at(local: LocalTime): { index: number; ctKwh: number };
  /** The price without discounts by the time of day: what energy of a community is charged by. */
  baseCtKwh: number;
  /** Name of each index; index -1 has none. */
  names: readonly string[];
}

/** Prepares a list of windows in which the last match wins. Throws TariffError. */
export function windowPricing(
  windows: readonly PriceWindow[] | undefined,
  otherwiseCt: number,
  key: string,
): WindowPricing {
  const list = windows ?? [];
  const matchers = list.map((window, index) => windowMatcher(window, `${key}[${index}]`));
  return {
    at(local) {
      const index = matchers.findLastIndex((matches) => matches(local));
      return { index, ctKwh: list[index]?.ct_kwh ?? otherwiseCt };
    },
    baseCtKwh: list.findLast(isAlways)?.ct_kwh ?? otherwiseCt,
    names: list.map((window, index) => window.name ?? nameOf(window, index)),
  };
}

function nameOf(window: PriceWindow, index: number): string {
  if (isAlways(window)) return "normal";
  const { months, weekdays, holidays, from, to, hours } = window;
  const day = holidays === undefined ? weekdays : holidays ? "holidays" : "no holidays";
  const clock =
    hours ?? (from === undefined && to === undefined ? undefined : `${from ?? "00:00"}-${to ?? "24:00"}`);
  const parts = [months && `months ${months}`, day && `days ${day}`, clock];
  return parts.filter((part) => part).join(", ") || `window ${index + 1}`;
}

/** The supplier's price of a kWh. Of blocks the last applies: a further kWh is paid at it. Throws TariffError. */
export function energyPricing({ energy }: TariffPeriod, key: string): EnergyPricing {
  if (energy === undefined) return (spot) => spot;
  const { markup_ct_kwh: markup = 0, markup_pct: pct = 0, pct_of: base = "absolute" } = energy;
  const limited = limits(energy.floor_ct_kwh, energy.cap_ct_kwh);
  const { type } = energy;
  switch (type) {
    case "spot":
      return (spot) => limited(spot + ((base === "signed" ? spot : Math.abs(spot)) * pct) / 100 + markup);
    case "fixed": {
      const ct = energy.blocks?.at(-1)?.ct_kwh ?? energy.ct_kwh;
      if (ct === undefined) throw new TariffError(`${key}.energy.ct_kwh`, (texts) => texts.fixed);
      return () => limited(ct);
    }
    case "monthly": {
      const months = energy.months ?? {};
      if (Object.keys(months).length === 0) {
        throw new TariffError(`${key}.energy.months`, (texts) => texts.monthly);
      }
      return (_, at) => limited((monthlyPrice(months, at.date.slice(0, 7))?.ctKwh ?? 0) + markup);
    }
    case "time_windows": {
      if (energy.windows === undefined || energy.windows.length === 0) {
        throw new TariffError(`${key}.energy.windows`, (texts) => texts.windows);
      }
      const windows = windowPricing(energy.windows, energy.ct_kwh ?? 0, `${key}.energy.windows`);
      return (_, at) => limited(windows.at(at).ctKwh + markup);
    }
    default:
      throw new TariffError(`${key}.energy.type`, (texts) => texts.unknown(String(type)));
  }
}

function limits(floor: number | null | undefined, cap: number | null | undefined) {
  return (ct: number) => Math.min(cap ?? Infinity, Math.max(floor ?? -Infinity, ct));
}

/** The price of a kWh fed in, ct, by the market price and local time. Throws TariffError. */
export function feedInPricing(feedIn: FeedInPrice | null | undefined, key: string): EnergyPricing {
  if (feedIn === null || feedIn === undefined) return (spot) => spot;
  const { deduct_ct_kwh: deduct = 0, deduct_pct: pct = 0, pct_of: of = "absolute" } = feedIn;
  const floor = feedIn.floor_ct_kwh ?? -Infinity;
  const less = (base: number) =>
    Math.max(floor, base - ((of === "signed" ? base : Math.abs(base)) * pct) / 100 - deduct);
  const type = feedIn.type ?? "spot";
  switch (type) {
    case "spot":
      return less;
    case "fixed": {
      const ct = feedIn.blocks?.at(-1)?.ct_kwh ?? feedIn.ct_kwh;
      if (typeof ct !== "number") {
        throw new TariffError(`${key}.feed_in.ct_kwh`, (texts) => texts.feedInFixed);
      }
      const price = less(ct);
      return () => price;
    }
    case "monthly": {
      const months = feedIn.months ?? {};
      if (Object.keys(months).length === 0) {
        throw new TariffError(`${key}.feed_in.months`, (texts) => texts.monthly);
      }
      return (_, at) => less(monthlyPrice(months, at.date.slice(0, 7))?.ctKwh ?? 0);
    }
    case "factor": {
      const factor = feedIn.factor;
      if (factor === undefined) {
        throw new TariffError(`${key}.feed_in.factor`, (texts) => texts.factor);
      }
      return (spot) => Math.max(floor, factor * spot, spot - deduct);
    }
    default:
      throw new TariffError(`${key}.feed_in.type`, (texts) => texts.unknown(String(type)));
  }
}

/** Net levies on a kWh, by local date: an amount, and percentages of its parts. */
export class LevyRates {
  readonly #period: TariffPeriod;
  readonly #waived: ReadonlySet<string>;
  readonly #byDate = new Map<string, Rates>();

  constructor(period: TariffPeriod, waived: readonly string[] = []) {
    this.#period = period;
    this.#waived = new Set(waived);
  }

  /** Levies on a kWh with these parts, ct. */
  ct(date: string, { energyCt, gridCt, lossCt }: KwhParts): number {
    const rates = this.#at(date);
    return rates.ct + (rates.energy * energyCt + rates.grid * gridCt + rates.loss * lossCt) / 100;
  }

  #at(date: string): Rates {
    let rates = this.#byDate.get(date);
    if (rates === undefined) {
      rates = { ct: 0, energy: 0, grid: 0, loss: 0 };
      for (const levy of leviesOf(this.#period, date)) {
        if (this.#waived.has(levy.name)) continue;
        rates.ct += levy.ct_kwh ?? 0;
        for (const base of levy.pct_of ?? []) {
          if (base === "energy" || base === "grid" || base === "loss") rates[base] += levy.pct ?? 0;
        }
      }
      this.#byDate.set(date, rates);
    }
    return rates;
  }
}

/** An amount in ct, and percentages of the parts of a kWh. */
interface Rates {
  ct: number;
  energy: number;
  grid: number;
  loss: number;
}

/** All levies in force on a local date, municipal ones included. */
function leviesOf(period: TariffPeriod, date: string): Levy[] {
  return [...leviesAt(period.levies, date), ...leviesAt(period.municipal_levy, date)];
}
