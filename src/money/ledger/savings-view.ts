import type { Site } from "../../config/site.js";
import { addDays, localDate } from "../../core/time/zone.js";
import { unknownDay } from "./day-figures.js";
import type { Ledger } from "./ledger.js";
import type { DayFigures } from "./ledger-day.js";
import type { MonthRecord } from "./stored-day.js";
import { totalOf } from "./totals.js";

/** Savings of a site now, EUR; null where they are not known. */
export interface SavingsNow {
  /** Local date of today. */
  date: string;
  /** Today so far. */
  today: DayFigures;
  todayEur: number | null;
  /** The complete days of the last seven, today so far among them. */
  weekEur: number | null;
  /** The complete days of this month and today so far. */
  monthEur: number | null;
  /** All complete days since the installation, and today so far. */
  totalEur: number | null;
}

/** What is known of the savings of a site, for a month and its year. */
export interface SavingsView {
  site: string;
  /** Local month, YYYY-MM. */
  month: string;
  /** The days of the year so far; those of the month are among them. */
  days: readonly DayFigures[];
  /** Savings promised and achieved by month. */
  records: readonly MonthRecord[];
  now: SavingsNow;
}

type OwnLedger = Pick<Ledger, "days" | "months" | "firstDate">;

/** The days from the first reading to today as they are stored; nothing is computed. Throws StoreError, TariffError. */
export async function storedDays(
  ledger: Pick<OwnLedger, "days" | "firstDate">,
  site: Site,
  now: Date,
): Promise<DayFigures[]> {
  const today = localDate(now, site.plant.timezone);
  const first = await ledger.firstDate(site);
  // A clock that is fast may have sent the first reading tomorrow.
  return ledger.days(site, first === undefined || first > today ? today : first, today, { compute: false });
}

/** The savings of the days up to today, the last of them. */
export function savingsNow(days: readonly DayFigures[]): SavingsNow {
  const today = days.at(-1)!;
  const { date } = today;
  const saved = (from: string) => totalOf(days.filter((day) => day.date >= from)).savedEur;
  return {
    date,
    today,
    todayEur: today.savedEur,
    weekEur: saved(addDays(date, -6)),
    monthEur: saved(`${date.slice(0, 7)}-01`),
    totalEur: saved(""),
  };
}

/** What is known on a date of savings that were computed on another one: nothing of its day, nor of a month that has begun since. */
export function savingsOn(date: string, now: SavingsNow): SavingsNow {
  if (now.date === date) return now;
  const isSameMonth = now.date.slice(0, 7) === date.slice(0, 7);
  return {
    ...now,
    date,
    today: unknownDay(date),
    todayEur: null,
    monthEur: isSameMonth ? now.monthEur : null,
  };
}

/**
 * The savings of a month and its year, and those of today, of the same days: what the service publishes may be a minute older than
 * late readings. Throws StoreError, TariffError.
 */
export async function savingsView(
  ledger: OwnLedger,
  site: Site,
  month: string,
  now: Date,
): Promise<SavingsView> {
  const days = await storedDays(ledger, site, now);
  return {
    site: site.id,
    month,
    days: days.filter(({ date }) => date.startsWith(month.slice(0, 4))),
    records: await ledger.months(site),
    now: savingsNow(days),
  };
}
