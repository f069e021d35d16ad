/** What the quarter-hours of a meter file measure: `residual` is the draw left after the share of an energy community. */
export const METER_DIRECTIONS = ["import", "export", "community", "residual", "generation"] as const;

export type MeterDirection = (typeof METER_DIRECTIONS)[number];

/**
 * Quantities that imports are stored under: the directions, the own load of the home (`--as load`), and what a producer
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
  | { code: "implausible"; count: number }
  | { code: "off_grid"; count: number }
  | { code: "merged_hour"; date: string }
  | { code: "label_assumed"; label: "start" | "end" }
  | { code: "direction_assumed"; direction: MeterDirection }
  | { code: "second_block" }
  | { code: "empty_column"; column: string }
  | { code: "already_imported" }
  | { code: "overlaps"; id: string; count: number };

/** Why a meter file cannot be read. `found` names what it is or holds instead. */
export type MeterFault =
  | { code: "empty" }
  | { code: "wrong_kind"; found: string }
  | { code: "encrypted" }
  | { code: "unreadable_spreadsheet" }
  | { code: "too_large"; limitMb: number }
  | { code: "unknown_format"; header: string }
  | { code: "no_times"; column: number }
  | { code: "too_slow" }
  | { code: "label_unknown" }
  | { code: "day_values" }
  | { code: "wrong_step"; minutes: number }
  | { code: "wrong_unit"; unit: string }
  | { code: "no_values" };
