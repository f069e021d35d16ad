import { DAY_MS, HOUR_MS } from "../../domain/interval.js";
import { HOUR_WIDTH, type WeatherTable } from "../../forecast/forecast-issue-set.js";
import type { PastRuns } from "../sources/open-meteo-points.js";
import { countryWeather } from "./aggregate.js";

/** A day's issue is the newest by 11:00 UTC: the prices of the next day are published then, in summer. */
export const ISSUE_HOUR = 11;
/**
 * A run is not there when it starts: what was forecast so many days before an hour was known by so much later. The slowest of
 * the models in question take seven to eight hours.
 */
const RUN_DELAY_MS = 8 * HOUR_MS;
/** Hours that an issue tells, from midnight UTC of its day. */
const ISSUE_HOURS = 10 * 24;
/** Less than two days ahead is no forecast to learn from. */
const LEAST_HOURS = 48;

/**
 * The forecasts that were known at 11:00 UTC of past days, put together from what was forecast one to seven days before each
 * hour: for each hour the newest of those that were out by then. Days (instants of midnight UTC) of which too little is told
 * are left out.
 */
export function pastIssues(runs: PastRuns, days: readonly number[]): WeatherTable[] {
  const tables = runs.map(({ places, hours }) => countryWeather(places, hours));
  return days.flatMap((dayMs) => {
    const issuedAtMs = dayMs + ISSUE_HOUR * HOUR_MS;
    const values = new Float32Array(ISSUE_HOURS * HOUR_WIDTH).fill(Number.NaN);
    let told = 0;
    for (let hour = 0; hour < ISSUE_HOURS; hour++) {
      const at = dayMs + hour * HOUR_MS;
      const daysBefore = Math.max(1, Math.ceil((at + RUN_DELAY_MS - issuedAtMs) / DAY_MS));
      const run = runs[daysBefore - 1];
      const index = run === undefined ? -1 : (at - run.startMs) / HOUR_MS;
      if (run === undefined || index < 0 || index >= run.hours) continue;
      const row = tables[daysBefore - 1]!.subarray(index * HOUR_WIDTH, (index + 1) * HOUR_WIDTH);
      values.set(row, hour * HOUR_WIDTH);
      if (row.some((value) => !Number.isNaN(value))) told++;
    }
    return told < LEAST_HOURS ? [] : [{ issuedAtMs, startMs: dayMs, values }];
  });
}
