import type { MeterDirection, MeterFault, MeterWarning } from "../../core/domain/meter.js";

/** A cell of a table: text, a number of a spreadsheet, or nothing. */
export type Cell = string | number | null | undefined;
export type Table = readonly (readonly Cell[])[];

/** Whether the time in a row is the start or the end of its interval. */
export type LabelKind = "start" | "end";

/** Energy of one meter point in one direction, as read from a file. */
export interface MeterSeries {
  file: string;
  operator: string;
  format: string;
  meterPoint: string | undefined;
  direction: MeterDirection;
  /** Whether a producer delivered it to its community (only with direction `community`). */
  isDelivered: boolean;
  unit: string;
  label: LabelKind;
  stepMinutes: number;
  /** Rows of the file with a value, each instant once. */
  intervals: number;
  kwh: number;
  /** Rows without a value. */
  missing: number;
  /** Values marked as estimated or substituted. */
  estimated: number;
  /** Rows left out because their interval has a value already. */
  doubled: number;
  /** Rows left out because they are no quarter-hours: day values, totals, unreadable rows. */
  dropped: number;
  warnings: MeterWarning[];
  /** UTC starts of the intervals, ms since the epoch, ascending. */
  starts: Float64Array;
  /** Energy of each interval, kWh. */
  values: Float64Array;
  /** 1 for an estimated value. */
  estimates: Uint8Array;
}

/** A meter file that cannot be read. The message names the file, the reason and what was expected. */
export class MeterFileError extends Error {
  override readonly name = "MeterFileError";
  readonly file: string;
  readonly fault: MeterFault;

  constructor(file: string, fault: MeterFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.file = file;
    this.fault = fault;
  }
}
