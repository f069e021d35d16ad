/**
 * The readings of a sample with the accepted range (both ends inclusive). Powers may be slightly negative due to
 * metering errors; vehicles may feed back.
 */
export const READINGS = {
  soc_pct: { min: 0, max: 100 },
  import_kwh: { min: 0, max: 1e9 },
  export_kwh: { min: 0, max: 1e9 },
  pv_power_kw: { min: -1, max: 10_000 },
  load_power_kw: { min: -1, max: 10_000 },
  battery_power_kw: { min: -10_000, max: 10_000 },
  ev_power_kw: { min: -100, max: 10_000 },
  ev_connected: { min: 0, max: 1 },
} as const;

export type Reading = keyof typeof READINGS;

export const READING_NAMES = Object.keys(READINGS) as Reading[];

/** Readings of one instant. `import_kwh` and `export_kwh` are cumulative counters; `battery_power_kw` is positive while charging. */
export interface Sample {
  at: Date;
  values: Partial<Record<Reading, number>>;
}

/** The last value of each reading of a site, each with the time it was taken. */
export type LiveState = Partial<Record<Reading, { value: number; at: Date }>>;
