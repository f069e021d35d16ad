import { contains, HOUR_MS, hoursOf } from "../../core/domain/interval.js";
import { rounded } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import type { SitePlan } from "../../plan/site-plan.js";

const AHEAD_MS = 36 * HOUR_MS;

/** The next 36 hours of a plan in at most 8 kB, rounded to what a chart shows; powers are means of the hour. */
export function planCurveDocument({ days }: SitePlan, { now, zone }: { now: Date; zone: string }) {
  const endMs = now.getTime() + AHEAD_MS;
  return {
    hours: days
      .flatMap((day) => day.hours)
      .filter((hour) => hour.end > now && hour.start.getTime() < endMs)
      .map((hour) => {
        const hours = hoursOf(hour);
        const kw = (kwh: number) => (hours > 0 ? rounded(kwh / hours, 1) : 0);
        return {
          start: formatIso(hour.start, zone),
          soc: rounded(hour.socEndPct, 0),
          charge: kw(hour.chargeKwh),
          discharge: kw(hour.dischargeKwh),
          pv: kw(hour.pvKwh),
          load: kw(hour.loadKwh),
        };
      }),
  };
}

/** What the battery is planned to do at `now`; undefined outside the time of the plan. */
export function plannedAction({ days }: SitePlan, now: Date): string | undefined {
  return days.flatMap((day) => day.hours).find((hour) => contains(hour, now))?.action;
}
