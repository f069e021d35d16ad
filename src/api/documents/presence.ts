import { formatIso } from "../../core/time/zone.js";
import type { CalendarView } from "../../telemetry/calendar/calendar-service.js";
import type { NamedPeriod } from "../../telemetry/presence-service.js";
import type { SlotsView } from "./device-schedules.js";

/** What is known of the people of a home. */
export interface SitePresence {
  /** Past periods of the last 70 days and coming ones. */
  periods: readonly NamedPeriod[];
  inForce: NamedPeriod | undefined;
  /** Since when nobody seems to be at home, although nobody said so. */
  absentSince: Date | undefined;
  calendar: CalendarView | undefined;
}

/** The document `presence_v1`. */
export function presenceDocument(
  { periods, inForce, absentSince, calendar }: SitePresence,
  { now, zone, access }: SlotsView & { access?: Record<string, unknown> },
): Record<string, unknown> {
  const time = (ms: number | null | undefined) => (ms == null ? null : formatIso(new Date(ms), zone));
  return {
    schema: "presence_v1",
    issued_at: formatIso(now, zone),
    timezone: zone,
    presence: inForce?.kind ?? "usual",
    until: time(inForce?.untilMs),
    noticed_since: absentSince === undefined ? null : formatIso(absentSince, zone),
    ...(access !== undefined && { access }),
    periods: periods.map(({ id, kind, fromMs, untilMs, title }) => ({
      id,
      presence: kind,
      from: time(fromMs),
      until: time(untilMs),
      source: title === undefined ? "person" : "calendar",
      title: title ?? null,
    })),
    ...(calendar !== undefined && {
      calendar: {
        host: calendar.host,
        read_at: calendar.readAt === undefined ? null : formatIso(calendar.readAt, zone),
        problem: calendar.problem ?? null,
        words: [...calendar.words],
      },
    }),
  };
}
