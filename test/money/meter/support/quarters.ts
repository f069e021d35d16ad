import { localTime, VIENNA } from "../../../../src/core/time/zone.js";

export const QUARTER_MS = 900_000;
export const HOUR_MS = 4 * QUARTER_MS;

/** Local days by their UTC start and end: an ordinary one, both clock changes. */
export const DAYS = {
  ordinary: [Date.UTC(2026, 0, 30, 23), Date.UTC(2026, 0, 31, 23)],
  "of 92 quarter-hours": [Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 2, 29, 22)],
  "of 100 quarter-hours": [Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23)],
} as const;

const pad = (value: number) => String(value).padStart(2, "0");

/** A quarter-hour as exports write it. */
export function quarterAt(startMs: number) {
  const index = Math.round(startMs / QUARTER_MS);
  const kwh = ((index * 7919) % 997) / 1000;
  const wall = (ms: number) => {
    const { year, month, day, hour, minute } = localTime(new Date(ms), VIENNA);
    const time = `${pad(hour)}:${pad(minute)}`;
    return { date: `${pad(day)}.${pad(month)}.${year}`, time, us: `${pad(month)}/${pad(day)}/${year}` };
  };
  const offsetHours = startMs >= Date.UTC(2026, 2, 29, 1) && startMs < Date.UTC(2026, 9, 25, 1) ? 2 : 1;
  const isDoubled = Math.abs(startMs + QUARTER_MS / 2 - Date.UTC(2026, 9, 25, 1)) < HOUR_MS;
  const text = (value: number, digits = 3) => value.toFixed(digits).replace(".", ",");
  return {
    kwh,
    from: wall(startMs),
    to: wall(startMs + QUARTER_MS),
    zone: offsetHours === 2 ? "MESZ" : "MEZ",
    mark: isDoubled ? (offsetHours === 2 ? "A" : "B") : "",
    comma: text(kwh),
    /** Value of another series. */
    other: text(1 - kwh),
    startMs,
  };
}

export type Quarter = ReturnType<typeof quarterAt>;

export function quarters([fromMs, toMs]: readonly [number, number]): Quarter[] {
  const count = (toMs - fromMs) / QUARTER_MS;
  return Array.from({ length: count }, (_, index) => quarterAt(fromMs + index * QUARTER_MS));
}

/** The quarter-hours of an ordinary day. */
export const ORDINARY = quarters(DAYS.ordinary);
