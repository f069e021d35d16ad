import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import type { DeviceLoad } from "./device-load.js";
import { forecastLoad } from "./forecast-load.js";
import { DAY_PARTS, type DayPart } from "./load-corrections.js";
import type { LoadModel } from "./load-model.js";
import { LocalHours } from "./local-hours.js";

/** Expected load of a stretch of hours with its lowest and its highest rank, kWh. */
export interface LoadBand {
  kwh: number;
  lowKwh: number;
  highKwh: number;
}

/** Mean power by part of the day, kW, on workdays and on the other days. */
export type LoadHabits = Record<DayPart, { workdayKw: number; weekendKw: number }>;

/** The expected load of an interval of whole hours. */
export function loadBand(model: LoadModel, { start, end }: Interval): LoadBand {
  const hours = Math.round((end.getTime() - start.getTime()) / HOUR_MS);
  const { loadKwh, ratios } = forecastLoad(model, { start, hours });
  const sum = (of: (row: readonly number[]) => number) =>
    loadKwh.reduce((total, kwh, hour) => total + kwh * of(ratios[hour]!), 0);
  return { kwh: sum(() => 1), lowKwh: sum((row) => row[0]!), highKwh: sum((row) => row.at(-1)!) };
}

/** What was learned of a home as it usually is, without absences and guests to come. */
export function loadHabits(model: LoadModel, now: Date): LoadHabits {
  const past = (model.periods ?? []).map((period) => ({
    ...period,
    untilMs: Math.min(period.untilMs ?? now.getTime(), now.getTime()),
  }));
  const start = new Date(Math.ceil(now.getTime() / HOUR_MS) * HOUR_MS);
  const { loadKwh } = forecastLoad({ ...model, periods: past }, { start, hours: 168 });
  const local = LocalHours.of(model.timeZone);
  const mean = ([from, to]: readonly [number, number], isWorkday: boolean) => {
    const some = loadKwh.filter((_, index) => {
      const { hour, kind } = local.at(start.getTime() + index * HOUR_MS);
      return hour >= from && hour < to && (kind === 0) === isWorkday;
    });
    return some.reduce((sum, kwh) => sum + kwh, 0) / Math.max(1, some.length);
  };
  const of = (part: DayPart) => ({
    workdayKw: mean(DAY_PARTS[part], true),
    weekendKw: mean(DAY_PARTS[part], false),
  });
  return { night: of("night"), morning: of("morning"), day: of("day"), evening: of("evening") };
}

/** Mean energy of a device by weekday, Monday first, kWh; null where no such day was measured. */
export function weekdayEnergies(
  { timeZone, fromMs }: Pick<LoadModel, "timeZone" | "fromMs">,
  { hourKwh }: DeviceLoad,
): (number | null)[] {
  const local = LocalHours.of(timeZone);
  const days = new Map<number, number>();
  for (const [index, kwh] of hourKwh.entries()) {
    if (kwh === null) continue;
    const { day } = local.at(fromMs + index * HOUR_MS);
    days.set(day, (days.get(day) ?? 0) + kwh);
  }
  return Array.from({ length: 7 }, (_, weekday) => {
    // Day 0 was a Thursday.
    const some = [...days].filter(([day]) => (day + 3) % 7 === weekday).map(([, kwh]) => kwh);
    return some.length === 0 ? null : some.reduce((sum, kwh) => sum + kwh, 0) / some.length;
  });
}
