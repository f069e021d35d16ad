import { pvYield } from "../../src/forecast/solar/pv-yield.js";
import { springQuarters } from "../../src/ops/demo/spring.js";

const PLACE = { latitude: 48.21, longitude: 16.37 };
const QUARTER_MS = 900_000;
/** Beyond the week, so that its last plans look ahead. */
const DAYS_AFTER = 3;
/** A quarter-hour of the home: what comes, and what is expected. */
export interface WeekQuarter {
  start: Date;
  importCt: number;
  exportCt: number;
  loadKwh: number;
  pvKwh: number;
  /** As expected: the mean of the hour over the days for the load, without passing clouds for PV. */
  expectedLoadKwh: number;
  expectedPvKwh: number;
}

/** A generated week of a home with PV at hourly prices. */
export interface HomeWeek {
  name: string;
  quarters: readonly WeekQuarter[];
  /** Quarter-hours that are lived through. */
  count: number;
}

/** `loadShare`, `pvShare`: of the generated load and irradiance. */
export function homeWeek({
  name,
  from,
  days = 7,
  loadShare = 1,
  pvShare = 1,
}: {
  name: string;
  from: string;
  days?: number;
  loadShare?: number;
  pvShare?: number;
}): HomeWeek {
  const start = new Date(from);
  const all = springQuarters({
    ...PLACE,
    start,
    days: days + DAYS_AFTER,
    seed: 7,
    timeZone: "Europe/Vienna",
  });
  const yieldOf = (ghi: (of: (typeof all)[number]) => number) =>
    pvYield({
      ...PLACE,
      peakKw: 6,
      tiltDeg: 30,
      azimuthDeg: 180,
      steps: all.map((quarter) => ({
        start: quarter.start,
        end: new Date(quarter.start.getTime() + QUARTER_MS),
        ghi: ghi(quarter),
        temperatureC: quarter.forecast.temperatureC,
      })),
    });
  const pv = yieldOf(({ ghiWm2 }) => ghiWm2);
  const expectedPv = yieldOf(({ forecast }) => forecast.ghiWm2);
  const ofHour = Array.from({ length: 24 }, (_, hour) => {
    const same = all.filter((quarter) => quarter.start.getUTCHours() === hour);
    return same.reduce((sum, { householdKw }) => sum + householdKw, 0) / same.length;
  });
  return {
    name,
    count: days * 96,
    quarters: all.map(({ start: at, eurPerMwh, householdKw }, t) => ({
      start: at,
      importCt: (eurPerMwh / 10 + 10.5) * 1.2,
      exportCt: eurPerMwh / 10 - 0.6,
      loadKwh: (loadShare * householdKw) / 4,
      pvKwh: pvShare * pv[t]!.kwh,
      expectedLoadKwh: (loadShare * ofHour[at.getUTCHours()]!) / 4,
      expectedPvKwh: pvShare * expectedPv[t]!.kwh,
    })),
  };
}
