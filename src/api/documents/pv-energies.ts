import { contains, HOUR_MS } from "../../core/domain/interval.js";
import type { PvForecast } from "../../forecast/pv/service.js";
import { dayKwh } from "./pv-forecast.js";

/** Expected PV energy, kWh. */
export interface PvEnergies {
  todayKwh: number;
  /** From now to the end of today. */
  remainingKwh: number;
  tomorrowKwh: number | undefined;
}

/** What of a PV forecast a display shows. */
export function pvEnergies({ days: [today, tomorrow] }: PvForecast, now: Date): PvEnergies | undefined {
  if (today === undefined) return undefined;
  const remainingKwh = today.hours.reduce((sum, { start, kwh }) => {
    const hour = { start, end: new Date(start.getTime() + HOUR_MS) };
    if (contains(hour, now)) return sum + kwh * ((hour.end.getTime() - now.getTime()) / HOUR_MS);
    return start > now ? sum + kwh : sum;
  }, 0);
  return { todayKwh: dayKwh(today), remainingKwh, tomorrowKwh: tomorrow && dayKwh(tomorrow) };
}
