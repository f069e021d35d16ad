import { SLOT_NUMBERS, type SlotNumber } from "./slot.js";

/** An accepted range, both ends inclusive. */
interface Range {
  min: number;
  max: number;
}

/**
 * The readings of a site with the accepted range. Powers may be slightly negative due to metering errors; vehicles may
 * feed back.
 */
export const SITE_READINGS = {
  soc_pct: { min: 0, max: 100 },
  import_kwh: { min: 0, max: 1e9 },
  export_kwh: { min: 0, max: 1e9 },
  pv_kwh: { min: 0, max: 1e9 },
  charge_kwh: { min: 0, max: 1e9 },
  discharge_kwh: { min: 0, max: 1e9 },
  pv_power_kw: { min: -1, max: 10_000 },
  grid_power_kw: { min: -10_000, max: 10_000 },
  load_power_kw: { min: -1, max: 10_000 },
  battery_power_kw: { min: -10_000, max: 10_000 },
  ev_power_kw: { min: -100, max: 10_000 },
  ev_connected: { min: 0, max: 1 },
} as const;

/** The readings of a device slot with the accepted range; `soc_pct` is that of the vehicle, `energy_kwh` a counter. */
export const SLOT_READINGS = {
  power_kw: { min: -100, max: 10_000 },
  soc_pct: { min: 0, max: 100 },
  temperature_c: { min: -50, max: 200 },
  energy_kwh: { min: 0, max: 1e9 },
} as const;

/** The readings of one of several batteries with the accepted range; `power_kw` is positive while charging. */
export const BATTERY_READINGS = {
  soc_pct: { min: 0, max: 100 },
  power_kw: { min: -10_000, max: 10_000 },
} as const;

export type BatteryReading = keyof typeof BATTERY_READINGS;
export const BATTERY_READING_NAMES = Object.keys(BATTERY_READINGS) as BatteryReading[];

export type SiteReading = keyof typeof SITE_READINGS;
export type SlotReading = keyof typeof SLOT_READINGS;
/** A reading of a site, or of one of its slots such as `slot_3_power_kw`. */
export type FixedReading = SiteReading | `slot_${SlotNumber}_${SlotReading}`;
/** The same, or a reading of one of several batteries such as `battery_garage_soc_pct`. */
export type Reading = FixedReading | `battery_${string}_${BatteryReading}`;

export const SITE_READING_NAMES = Object.keys(SITE_READINGS) as SiteReading[];
export const SLOT_READING_NAMES = Object.keys(SLOT_READINGS) as SlotReading[];

/** The name of a slot's reading within the samples of its site. */
export function readingOfSlot(slot: SlotNumber, reading: SlotReading): FixedReading {
  return `slot_${slot}_${reading}`;
}

/** The name of a battery's reading within the samples of its site. */
export function readingOfBattery(id: string, reading: BatteryReading): Reading {
  return `battery_${id}_${reading}`;
}

/** All readings with their ranges, except those of batteries, whose ids are free. */
export const READINGS = {
  ...SITE_READINGS,
  ...Object.fromEntries(
    SLOT_NUMBERS.flatMap((slot) =>
      SLOT_READING_NAMES.map((reading) => [readingOfSlot(slot, reading), SLOT_READINGS[reading]]),
    ),
  ),
} as Readonly<Record<FixedReading, Range>>;

/** The accepted range of a reading. */
export function rangeOf(reading: Reading): Range {
  const fixed = (READINGS as Readonly<Partial<Record<Reading, Range>>>)[reading];
  return fixed ?? BATTERY_READINGS[reading.endsWith("_soc_pct") ? "soc_pct" : "power_kw"];
}

export const READING_NAMES = Object.keys(READINGS) as FixedReading[];

/** True for cumulative counters, whose differences are energies. */
export function isCounter(reading: Reading): boolean {
  return reading.endsWith("_kwh");
}

/** Readings of one instant. Energies are cumulative counters; `battery_power_kw` is positive while charging, `grid_power_kw` while importing. */
export interface Sample {
  at: Date;
  values: Partial<Record<Reading, number>>;
}

/** The last value of each reading of a site, each with the time it was taken. */
export type LiveState = Partial<Record<Reading, { value: number; at: Date }>>;
