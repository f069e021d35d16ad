import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { energyKwh, powerKw } from "../../core/domain/rounding.js";
import { addDays, dayInterval, formatIso, localDate } from "../../core/time/zone.js";
import { DAY_GROUPS, type LoadCorrection, PART_NAMES } from "../../forecast/load/load-corrections.js";
import type { LoadModel } from "../../forecast/load/load-model.js";
import { loadBand, loadHabits, weekdayEnergies } from "../../forecast/load/load-outline.js";
import type { SlotsView } from "./device-schedules.js";

/** The document `load_v1`: what the plan expects of the load of today and tomorrow, and what was learned. */
export function loadDocument(
  model: LoadModel | undefined,
  corrections: readonly LoadCorrection[],
  { now, zone, access }: SlotsView & { access?: Record<string, unknown> },
): Record<string, unknown> {
  const today = localDate(now, zone);
  const days = [today, addDays(today, 1)].map((date) => ({ date, day: dayInterval(date, zone) }));
  const band = (interval: Interval, of: LoadModel) => {
    const { kwh, lowKwh, highKwh } = loadBand(of, interval);
    return { kwh: energyKwh(kwh), low_kwh: energyKwh(lowKwh), high_kwh: energyKwh(highKwh) };
  };
  const hoursOf = ({ start, end }: Interval): Interval[] =>
    Array.from({ length: (end.getTime() - start.getTime()) / HOUR_MS }, (_, hour) => {
      const startMs = start.getTime() + hour * HOUR_MS;
      return { start: new Date(startMs), end: new Date(startMs + HOUR_MS) };
    });
  const habits = model && loadHabits(model, now);
  const saidKw = (part: string, group: string) =>
    corrections.find((one) => one.part === part && one.days === group)?.kw ?? null;
  return {
    schema: "load_v1",
    issued_at: formatIso(now, zone),
    timezone: zone,
    learned: model !== undefined,
    persistence: model === undefined ? null : Math.round(100 * model.persistence) / 100,
    ...(access !== undefined && { access }),
    days:
      model === undefined
        ? []
        : days.map(({ date, day }) => ({
            date,
            ...band(day, model),
            hours: hoursOf(day).map((hour) => ({ start: formatIso(hour.start, zone), ...band(hour, model) })),
          })),
    habits:
      habits === undefined
        ? []
        : PART_NAMES.flatMap((part) =>
            DAY_GROUPS.map((group) => ({
              part,
              days: group,
              kw: powerKw(group === "workdays" ? habits[part].workdayKw : habits[part].weekendKw),
              corrected_kw: saidKw(part, group),
            })),
          ),
    devices: (model?.devices ?? []).map((device) => ({
      slot_id: String(device.slot),
      weekday_kwh: weekdayEnergies(model!, device).map((kwh) => (kwh === null ? null : energyKwh(kwh))),
    })),
  };
}
