/** Savings promised and achieved in a local month, summed over the days that could be compared; EUR. */
export interface MonthRecord {
  /** Such as 2026-05. */
  month: string;
  promisedEur: number;
  achievedEur: number;
  /** Days compared. */
  days: number;
  /** Days without enough measurements. */
  daysWithoutTelemetry: number;
}

/** What the plan promised at the start of a local day for that day. */
export interface DayPromise {
  /** Local date. */
  date: string;
  promisedEur: number;
}

/** What is stored of a site. */
export interface CalibrationRecord {
  version: 1;
  /** The day in progress; null when no plan was made at its start. */
  open: DayPromise | null;
  /** Oldest first, at most 36. */
  months: MonthRecord[];
}

const LONGEST_MONTHS = 36;

export const EMPTY_RECORD: CalibrationRecord = { version: 1, open: null, months: [] };

/** The record with one more day; `achievedEur` undefined: it was not measured. */
export function addDay(
  record: CalibrationRecord,
  { date, promisedEur }: DayPromise,
  achievedEur: number | undefined,
): CalibrationRecord {
  const month = date.slice(0, 7);
  const before = record.months.find((one) => one.month === month) ?? {
    month,
    promisedEur: 0,
    achievedEur: 0,
    days: 0,
    daysWithoutTelemetry: 0,
  };
  const after: MonthRecord =
    achievedEur === undefined
      ? { ...before, daysWithoutTelemetry: before.daysWithoutTelemetry + 1 }
      : {
          ...before,
          promisedEur: before.promisedEur + promisedEur,
          achievedEur: before.achievedEur + achievedEur,
          days: before.days + 1,
        };
  const months = [...record.months.filter((one) => one.month !== month), after].sort((a, b) =>
    a.month.localeCompare(b.month),
  );
  return { ...record, months: months.slice(-LONGEST_MONTHS) };
}

/** Reads a stored record; an empty one for anything else. */
export function readRecord(stored: unknown): CalibrationRecord {
  const { version, months } = (stored ?? {}) as { version?: unknown; months?: unknown };
  return version === 1 && Array.isArray(months) ? (stored as CalibrationRecord) : EMPTY_RECORD;
}
