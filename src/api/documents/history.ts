import { HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import { addDays, daysOfMonth } from "../../core/time/zone.js";
import { ledgerHour } from "../../money/ledger/hour.js";
import {
  AMOUNTS,
  type DayFigures,
  ENERGIES,
  type Energies,
  type EnergyName,
  energiesBy,
  type PromisedStep,
} from "../../money/ledger/ledger-day.js";
import { QUARTER_NUMBERS, type QuarterColumns } from "../../money/ledger/stored-day.js";
import { type SavingsTotal, totalOf } from "../../money/ledger/totals.js";

export const HISTORY_PERIODS = ["day", "week", "month", "year"] as const;
export type HistoryPeriod = (typeof HISTORY_PERIODS)[number];

/** The local days of a period, both included, and a day of the period before and after it. */
export interface HistoryRange {
  from: string;
  to: string;
  previous: string;
  next: string;
}

/** The day, the week from Monday, the month or the year of a local date. */
export function historyRange(period: HistoryPeriod, date: string): HistoryRange {
  const [from, to] = bounds(period, date);
  return { from, to, previous: addDays(from, -1), next: addDays(to, 1) };
}

function bounds(period: HistoryPeriod, date: string): [from: string, to: string] {
  if (period === "day") return [date, date];
  if (period === "year") return [`${date.slice(0, 4)}-01-01`, `${date.slice(0, 4)}-12-31`];
  if (period === "month") return daysOfMonth(date.slice(0, 7));
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  const monday = addDays(date, -((weekday + 6) % 7));
  return [monday, addDays(monday, 6)];
}

/** A local day of the ledger; `quarters` is missing before it is computed. */
export interface HistoryDay {
  figures: DayFigures;
  quarters: QuarterColumns | undefined;
}

/** An hour, a day or a month of a history. */
export interface HistoryRow extends Energies {
  /** Start of the hour, local date, or month. */
  key: string;
  /** Mean all-in price: of an hour, whether any was imported or not, otherwise of the imported energy; null: not known. */
  priceCtKwh: number | null;
  /** Sums of the complete days; not for hours. */
  amounts?: SavingsTotal;
  /** All days are before the installation. */
  isEarlier?: true;
  /** What an hour cost without fixed amounts. */
  hourEur?: number | null;
  /** State of charge at the end of an hour, planned in the morning and measured, percent. */
  plannedSocPct?: number | undefined;
  socPct?: number | undefined;
}

/** Energies by the number of the slot, kWh. */
export type DeviceEnergies = ReadonlyMap<number, number>;

/** The days of a period: one before the installation is shown with what was paid in it. */
export function countedDays(days: readonly HistoryDay[]): HistoryDay[] {
  const isBefore = days.every(({ figures }) => figures.isEarlier === true);
  return days.map((day) => {
    if (!isBefore) return day;
    const { isEarlier: _, ...figures } = day.figures;
    return { ...day, figures };
  });
}

/** Sums of some days as a row. */
export function rowOf(key: string, days: readonly HistoryDay[]): HistoryRow {
  return {
    key,
    ...energiesBy((name) => days.reduce((sum, { figures }) => sum + figures.kwh[name], 0)),
    priceCtKwh: importPrice(days.flatMap(({ quarters }) => quarters ?? [])),
    amounts: totalOf(days.map(({ figures }) => figures)),
    ...(days.length > 0 && days.every(({ figures }) => figures.isEarlier) && { isEarlier: true as const }),
  };
}

/**
 * A period in three figures: what was paid and saved, and the share of the sun in the energy that the home took, percent:
 * what the PV gave and was not sold, of that and what was bought. What a battery stores for the next day counts where it came from.
 */
export interface HistorySummary {
  costEur: number | null;
  savedEur: number | null;
  sunPct: number | null;
}

/** Today so far has amounts, but is not complete: they are those of the day itself. */
export function historySummary(days: readonly HistoryDay[]): HistorySummary {
  const sum = rowOf("", days);
  const amounts = days.length === 1 ? days[0]?.figures : sum.amounts;
  const counted = days.filter(({ figures }) => !figures.isEarlier);
  const kwh = (name: EnergyName) => counted.reduce((all, { figures }) => all + figures.kwh[name], 0);
  const sun = Math.max(0, kwh("pv") - kwh("export"));
  const taken = sun + kwh("import");
  return {
    costEur: amounts?.costEur ?? null,
    savedEur: amounts?.savedEur ?? null,
    sunPct: taken > 0 && kwh("pv") > 0 ? (100 * sun) / taken : null,
  };
}

/** The rows of a week or month (its days) or of a year (its months). */
export function historyRows(
  period: Exclude<HistoryPeriod, "day">,
  days: readonly HistoryDay[],
): HistoryRow[] {
  const length = period === "year" ? 7 : 10;
  const keys = [...new Set(days.map(({ figures }) => figures.date.slice(0, length)))];
  return keys.map((key) =>
    rowOf(
      key,
      days.filter(({ figures }) => figures.date.startsWith(key)),
    ),
  );
}

/** What a day is made of besides its quarter-hours. */
export interface DayCurves {
  day: Interval;
  steps: readonly PromisedStep[];
  /** Last state of charge before an instant, percent. */
  socAt(at: Date): number | undefined;
}

/** The hours of a day; those without a quarter-hour are left out. */
export function hourRows(quarters: QuarterColumns, { day, steps, socAt }: DayCurves): HistoryRow[] {
  const rows: HistoryRow[] = [];
  for (let first = 0; first < quarters.importKwh.length; first += 4) {
    const start = new Date(day.start.getTime() + first * QUARTER_MS);
    const endMs = start.getTime() + HOUR_MS;
    const { costEur, ...hour } = ledgerHour(quarters, first);
    rows.push({
      key: start.toISOString(),
      ...hour,
      hourEur: costEur,
      plannedSocPct: steps.find((step) => step.startMs < endMs && endMs <= step.endMs)?.socEndPct,
      socPct: first + 4 <= quarters.importKwh.length ? socAt(new Date(endMs)) : undefined,
    });
  }
  return rows;
}

/** Mean price of imports, weighted by energy, ct/kWh. */
function importPrice(columns: readonly QuarterColumns[]): number | null {
  let [kwh, ct] = [0, 0];
  for (const { importKwh, importCtKwh } of columns) {
    importKwh.forEach((energy, index) => {
      const price = importCtKwh[index];
      if (energy === null || price === null || price === undefined) return;
      kwh += energy;
      ct += energy * price;
    });
  }
  return kwh < 1e-6 ? null : ct / kwh;
}

/** Energy of each device that is metered, by slot. */
export function deviceEnergies(days: readonly HistoryDay[]): DeviceEnergies {
  const sums = new Map<number, number>();
  for (const { quarters } of days) {
    for (const [slot, values] of Object.entries(quarters?.slots ?? {})) {
      const kwh = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
      sums.set(Number(slot), (sums.get(Number(slot)) ?? 0) + kwh);
    }
  }
  return new Map([...sums].sort(([a], [b]) => a - b));
}

/** `no_battery_eur` of `noBatteryEur`. */
const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The amounts without the parts of what was saved. */
const DAY_AMOUNTS = AMOUNTS.slice(0, AMOUNTS.indexOf("savedEur") + 1);
const DAY_COLUMNS = [
  "date",
  "complete",
  ...ENERGIES.map((name) => `${name}_kwh`),
  "import_price_ct_kwh",
  ...DAY_AMOUNTS.map(columnOf),
];

/** The days of a history as lines of CSV with a head; empty where a value is not known. */
export function daysCsv(days: readonly HistoryDay[]): string[] {
  const slots = [...deviceEnergies(days).keys()];
  const lines = days.map((day) => {
    const { figures } = day;
    const devices = deviceEnergies([day]);
    return [
      figures.date,
      figures.complete ? 1 : 0,
      ...ENERGIES.map((name) => decimal(figures.kwh[name], 3)),
      decimal(rowOf(figures.date, [day]).priceCtKwh, 2),
      ...DAY_AMOUNTS.map((name) => decimal(figures[name], 2)),
      ...slots.map((slot) => decimal(devices.get(slot), 3)),
    ].join(",");
  });
  return [[...DAY_COLUMNS, ...slots.map((slot) => `slot_${slot}_kwh`)].join(","), ...lines];
}

/** The quarter-hours of a day as lines of CSV with a head. */
export function quartersCsv(quarters: QuarterColumns, day: Interval): string[] {
  const columns: [name: string, values: readonly (number | null)[]][] = [
    ...QUARTER_NUMBERS.map((name): [string, readonly (number | null)[]] => [columnOf(name), quarters[name]]),
    ...Object.entries(quarters.slots).map(([slot, values]): [string, readonly (number | null)[]] => [
      `slot_${slot}_kwh`,
      values,
    ]),
  ];
  const rows = quarters.importKwh.map((_, index) => {
    const start = new Date(day.start.getTime() + index * QUARTER_MS).toISOString().replace(".000Z", "Z");
    return [start, ...columns.map(([, values]) => values[index] ?? "")].join(",");
  });
  return [["start", ...columns.map(([name]) => name)].join(","), ...rows];
}

function decimal(value: number | null | undefined, decimals: number): string {
  return value === null || value === undefined ? "" : value.toFixed(decimals);
}
