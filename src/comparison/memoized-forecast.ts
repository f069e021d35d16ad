import { HOUR_MS } from "../domain/interval.js";
import type { ForecastHour } from "../forecast/forecast.js";

/** Keeps the forecasts of each hour, so that several simulations of the same period compute them once. */
export function memoizedForecast(
  hoursAt: (now: Date) => readonly ForecastHour[],
): (now: Date) => readonly ForecastHour[] {
  const known = new Map<number, readonly ForecastHour[]>();
  return (now) => {
    const hour = Math.floor(now.getTime() / HOUR_MS);
    const hours = known.get(hour) ?? hoursAt(now);
    known.set(hour, hours);
    return hours;
  };
}
