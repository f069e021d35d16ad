/** What the quarter-hours of a meter file measure: `residual` is the draw left after the share of an energy community. */
export const METER_DIRECTIONS = ["import", "export", "community", "residual", "generation"] as const;

export type MeterDirection = (typeof METER_DIRECTIONS)[number];

/**
 * Quantities that imports are stored under: the directions, the household consumption (`--as load`), and what a producer
 * delivered to its energy community.
 */
export const METER_QUANTITIES = [...METER_DIRECTIONS, "load", "delivered"] as const;

export type MeterQuantity = (typeof METER_QUANTITIES)[number];

/** A remark about a series of a meter file, or about its import. */
export type MeterWarning =
  | { code: "gaps"; count: number }
  | { code: "long_gap"; from: string; to: string }
  | { code: "conflicting"; count: number }
  | { code: "negative"; count: number }
  | { code: "unreadable"; count: number }
  | { code: "impossible"; count: number; start: string; kwh: number }
  | { code: "parts_differ"; count: number }
  | { code: "off_grid"; count: number }
  | { code: "counter" }
  | { code: "signed" }
  | { code: "summed"; minutes: number; toMinutes: number }
  | { code: "hours"; count: number }
  | { code: "unit_assumed" }
  | { code: "left_out_file"; file: string }
  | { code: "merged_hour"; date: string }
  | { code: "label_assumed"; label: "start" | "end" }
  | { code: "direction_assumed"; direction: MeterDirection }
  | { code: "second_block" }
  | { code: "empty_column"; column: string }
  | { code: "already_imported" }
  | { code: "overlaps"; id: string; count: number }
  | { code: "adds"; id: string; count: number }
  | { code: "replaces_share"; id: string; count: number };

/** Why a meter file cannot be read. `found` names what it is or holds instead. */
export type MeterFault =
  | { code: "empty" }
  | { code: "wrong_kind"; found: string }
  | { code: "encrypted" }
  | { code: "unreadable_spreadsheet" }
  | { code: "too_large"; limitMb: number }
  | { code: "too_many_files"; limit: number }
  | { code: "unknown_format"; header: string }
  | { code: "no_times"; column: number }
  | { code: "too_slow" }
  | { code: "label_unknown" }
  | { code: "several_values" }
  | { code: "wrong_magnitude"; kwh: number }
  | { code: "day_values" }
  | { code: "wrong_step"; minutes: number }
  | { code: "wrong_unit"; unit: string }
  | { code: "no_values" };

/** Whether the time in a row is the start or the end of its interval. */
export type LabelKind = "start" | "end";

/** What is known of the energy of one meter point in one direction, as read from a file, without the values. */
export interface MeterSeriesFacts {
  file: string;
  operator: string;
  format: string;
  meterPoint: string | undefined;
  direction: MeterDirection;
  /** Whether a producer delivered it to its community (only with direction `community`). */
  isDelivered: boolean;
  /**
   * The communities of a share, of what was delivered, and of a rest that was calculated without the other communities; empty:
   * the file names none, or the value is one whatever their number.
   */
  communities: readonly string[];
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
}

/** Energy of one meter point in one direction, as read from a file. */
export interface MeterSeries extends MeterSeriesFacts {
  /** UTC starts of the intervals, ms since the epoch, ascending. */
  starts: Float64Array;
  /** Energy of each interval, kWh. */
  values: Float64Array;
  /** 1 for an estimated value. */
  estimates: Uint8Array;
}
