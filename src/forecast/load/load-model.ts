/** What is known of a home's load. Plain data: it survives `JSON.parse(JSON.stringify(model))`. */
export interface LoadModel {
  timeZone: string;
  /** Expected use by kind of day (`DAY_KINDS`) and clock hour, kWh in the hour. */
  profileKwh: number[][];
  /** Use at each clock hour of the last 24 hours that were measured, kWh; null where there is a gap. */
  lastDayKwh: (number | null)[];
  /** Measured over expected load by block of three clock hours: equally likely factors, rising, with mean 1. */
  ratios: number[][];
}

/** Clock hours of a block that shares its ratios. */
export const BLOCK_HOURS = 3;

/** Share of the learned profile in the expected load; the same hour of the last day has the rest. */
const PROFILE_SHARE = 0.6;

/** Expected use of an hour, kWh, from the learned profile and the same hour of the day before, if that was measured. */
export function expectedKwh(profileKwh: number, dayBeforeKwh: number | null | undefined): number {
  if (dayBeforeKwh === null || dayBeforeKwh === undefined) return profileKwh;
  return PROFILE_SHARE * profileKwh + (1 - PROFILE_SHARE) * dayBeforeKwh;
}
