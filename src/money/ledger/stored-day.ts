import { BATTERY_MODES, CONTROLLED_MODES } from "../../core/domain/battery.js";
import { recordOf } from "../../core/net/json.js";
import {
  each,
  hasFields,
  isFlag,
  isListOf,
  isMapOf,
  isMaybe,
  isNullOr,
  isNumber,
  isOneOf,
  isText,
  type Shape,
} from "../../core/shape.js";
import {
  AMOUNTS,
  type DayClosing,
  type DayFigures,
  type DayIncidents,
  type DayPromise,
  ENERGIES,
  type Energies,
  type ForecastStep,
  type LedgerPlant,
  NEGATIVE_REASONS,
  type UncontrolledDay,
  type UncontrolledEnd,
} from "./ledger-day.js";

/** A computed day. */
export interface StoredDay {
  figures: DayFigures;
  closing: DayClosing | null;
  /** What the figures depend on besides the telemetry; another value: the day must be computed again. */
  basis: string;
}

/** Savings promised and achieved in a local month, summed over the days that could be compared; EUR. */
export interface MonthRecord {
  /** Such as 2026-05. */
  month: string;
  promisedEur: number;
  achievedEur: number;
  days: number;
  /** Days without enough measurements. */
  daysWithoutTelemetry: number;
}

/** The computed days of a month. */
export interface StoredMonth {
  version: 1;
  days: Record<string, StoredDay>;
  /** Sums of an earlier version, which did not store days. */
  earlier?: MonthRecord;
}

/** What is stored of a day besides its figures. */
export interface DayDetails {
  version: 1;
  promise?: DayPromise;
  /** What the first plan of the day before expected of its hours. */
  forecast?: readonly ForecastStep[];
  /** The battery at the first computation: a later one must not change the past. */
  plant?: LedgerPlant;
  quarters?: QuarterColumns;
  /** The uncontrolled home; days of earlier versions have it only where devices are planned. */
  uncontrolled?: UncontrolledDay;
  incidents?: DayIncidents;
}

export const QUARTER_NUMBERS = [
  "importKwh",
  "exportKwh",
  "pvKwh",
  "loadKwh",
  "chargeKwh",
  "dischargeKwh",
  "importCtKwh",
  "exportCtKwh",
] as const;
type QuarterColumn = (typeof QUARTER_NUMBERS)[number];

/** The quarter-hours of a day as lists; null where a value is not known. */
export type QuarterColumns = Record<QuarterColumn, (number | null)[]> & {
  slots: Record<string, (number | null)[]>;
};

/** A text with digits in place of `0`, such as a date. */
const isLike =
  (form: string): Shape<string> =>
  (value): value is string =>
    isText(value) && value.replaceAll(/\d/g, "0") === form;
export const isLocalDate = isLike("0000-00-00");
const isAmount = isNullOr(isNumber);
const isColumn = isListOf(isAmount);
const isTrue = isMaybe(isOneOf([true]));

const isEnd = hasFields<UncontrolledEnd>({ uncontrolledKwh: isNumber, aheadEur: isNumber });

const isFigures = hasFields<DayFigures>({
  date: isLocalDate,
  complete: isFlag,
  ...each(AMOUNTS, isAmount),
  negativeReason: isNullOr(isOneOf(NEGATIVE_REASONS)),
  soFar: isTrue,
  isEarlier: isTrue,
  promisedSavingEur: isAmount,
  kwh: hasFields<Energies>(each(ENERGIES, isNumber)),
  missingQuarters: isNumber,
});

const isDay = hasFields<StoredDay>({
  figures: isFigures,
  closing: isNullOr(
    hasFields<DayClosing>({ uncontrolledKwh: isNumber, aheadEur: isNumber, batteryOnly: isMaybe(isEnd) }),
  ),
  basis: isText,
});

export const isMonthRecord = hasFields<MonthRecord>({
  month: isLike("0000-00"),
  ...each(["promisedEur", "achievedEur", "days", "daysWithoutTelemetry"], isNumber),
});

/** The usable days of a stored month; the others are computed again. */
export function monthFromJson(stored: unknown): StoredMonth {
  const { version, days, earlier } = recordOf(stored);
  if (version !== 1) return { version: 1, days: {} };
  const usable = Object.entries(recordOf(days)).filter((day): day is [string, StoredDay] => isDay(day[1]));
  return {
    version: 1,
    days: Object.fromEntries(usable),
    ...(isMonthRecord(earlier) && { earlier }),
  };
}

type Details = Omit<DayDetails, "version">;

const DETAILS: { readonly [Name in keyof Details]-?: Shape<NonNullable<Details[Name]>> } = {
  promise: hasFields<DayPromise>({
    savingEur: isNumber,
    steps: isListOf(
      hasFields<DayPromise["steps"][number]>({
        ...each(["startMs", "endMs"], isNumber),
        mode: isOneOf(BATTERY_MODES),
        ...each(["stopSocPct", "dischargeKw", "socEndPct", "devicesKwh"], isMaybe(isNumber)),
      }),
    ),
  }),
  forecast: isListOf(
    hasFields<ForecastStep>({
      ...each(["startMs", "endMs", "pvKwh", "loadKwh"], isNumber),
      priceCtKwh: isMaybe(isNumber),
    }),
  ),
  plant: hasFields<LedgerPlant>({
    battery: isNullOr(
      hasFields<NonNullable<LedgerPlant["battery"]>>({
        ...each(["capacityKwh", "wearCtKwh", "minSocKwh", "maxSocKwh"], isNumber),
        ...each(
          ["maxChargePowerKw", "maxDischargePowerKw", "chargeEfficiency", "dischargeEfficiency"],
          isNumber,
        ),
      }),
    ),
    controls: isListOf(isOneOf(CONTROLLED_MODES)),
    connection: hasFields<LedgerPlant["connection"]>(
      each(["importLimitKw", "exportLimitKw"], isMaybe(isNumber)),
    ),
    curtailmentAllowed: isFlag,
  }),
  quarters: hasFields<QuarterColumns>({ ...each(QUARTER_NUMBERS, isColumn), slots: isMapOf(isColumn) }),
  uncontrolled: hasFields<UncontrolledDay>({ startKwh: isNumber, netKwh: isColumn }),
  incidents: hasFields<DayIncidents>({ overridden: isTrue, notFollowed: isTrue }),
};

/** The usable parts of what is stored of a day; the others are computed again, or are not known. */
export function detailsFromJson(stored: unknown): DayDetails {
  const { version, ...parts } = recordOf(stored);
  if (version !== 1) return { version: 1 };
  const usable = Object.entries<Shape<unknown>>(DETAILS).flatMap(([name, is]) =>
    is(parts[name]) ? [[name, parts[name]]] : [],
  );
  return { version: 1, ...Object.fromEntries(usable) };
}
