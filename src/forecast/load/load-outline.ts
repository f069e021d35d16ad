import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { forecastLoad } from "./forecast-load.js";
import type { LoadModel } from "./load-model.js";
import { LocalHours } from "./local-hours.js";

/** Expected load of a stretch of hours with its lowest and its highest rank, kWh. */
export interface LoadBand {
  kwh: number;
  lowKwh: number;
  highKwh: number;
}

/** Parts of a day by clock hour. */
export const DAY_PARTS = { night: [0, 6], morning: [6, 10], day: [10, 17], evening: [17, 24] } as const;
export type DayPart = keyof typeof DAY_PARTS;

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
  const local = new LocalHours(model.timeZone);
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
