import { QUARTER_MS } from "../../core/domain/interval.js";
import type { ForecastStep } from "./ledger-day.js";
import type { QuarterColumns } from "./stored-day.js";

/** A day with what was expected of it and what was measured; undefined: not recorded. */
export interface ForecastDay {
  /** Start of the local day, from which its quarter-hours count. */
  startMs: number;
  forecast: readonly ForecastStep[] | undefined;
  quarters: QuarterColumns | undefined;
}

/** Mean absolute error of the hours that were compared. */
export interface ForecastError {
  mae: number;
  hours: number;
}

/** Errors of a period: price in ct/kWh, PV and load in kWh of an hour; undefined where no hour can be compared. */
export interface ForecastErrors {
  price: ForecastError | undefined;
  pv: ForecastError | undefined;
  load: ForecastError | undefined;
}

/**
 * Mean absolute errors of the forecasts for the next day. `priceCtKwh` returns the published market price of a quarter-hour.
 * PV is compared where either the forecast or the measurement has any, so that nights do not improve its error.
 */
export function forecastErrors(
  days: readonly ForecastDay[],
  priceCtKwh: (atMs: number) => number | undefined,
): ForecastErrors {
  const errors = { price: new MeanError(), pv: new MeanError(), load: new MeanError() };
  for (const { startMs, forecast = [], quarters } of days) {
    for (const step of forecast) {
      const price = sumOf([step], priceCtKwh);
      if (price !== undefined && step.priceCtKwh !== undefined)
        errors.price.add(step.priceCtKwh, price / ((step.endMs - step.startMs) / QUARTER_MS));
      const pvKwh = measuredKwh([step], "pvKwh", { startMs, quarters });
      if (pvKwh !== undefined && (pvKwh > 0 || step.pvKwh > 0)) errors.pv.add(step.pvKwh, pvKwh);
      const loadKwh = measuredKwh([step], "loadKwh", { startMs, quarters });
      if (loadKwh !== undefined) errors.load.add(step.loadKwh, loadKwh);
    }
  }
  return { price: errors.price.result, pv: errors.pv.result, load: errors.load.result };
}

/** A day of which PV or load were forecast and measured, kWh. */
export interface DayMiss {
  what: "pv" | "load";
  startMs: number;
  forecastKwh: number;
  measuredKwh: number;
}

/** Forecast and measured PV and load of each day, over the hours that were forecast; days that lack a measured value are left out. */
export function dayMisses(days: readonly ForecastDay[]): DayMiss[] {
  return days.flatMap(({ startMs, forecast = [], quarters }) =>
    (["pv", "load"] as const).flatMap((what) => {
      const measured = measuredKwh(forecast, `${what}Kwh`, { startMs, quarters });
      if (measured === undefined || forecast.length === 0) return [];
      const forecastKwh = forecast.reduce((sum, step) => sum + step[`${what}Kwh`], 0);
      return [{ what, startMs, forecastKwh, measuredKwh: measured }];
    }),
  );
}

function measuredKwh(
  steps: readonly ForecastStep[],
  column: "pvKwh" | "loadKwh",
  { startMs, quarters }: Pick<ForecastDay, "startMs" | "quarters">,
): number | undefined {
  return sumOf(steps, (atMs) => quarters?.[column][(atMs - startMs) / QUARTER_MS]);
}

/** The sum of a value over the quarter-hours of steps; undefined where one lacks it. */
function sumOf(
  steps: readonly ForecastStep[],
  value: (atMs: number) => number | null | undefined,
): number | undefined {
  let sum = 0;
  for (const { startMs, endMs } of steps) {
    for (let ms = startMs; ms < endMs; ms += QUARTER_MS) {
      const one = value(ms);
      if (one === null || one === undefined) return undefined;
      sum += one;
    }
  }
  return sum;
}

class MeanError {
  #sum = 0;
  #hours = 0;

  add(forecast: number, outcome: number): void {
    this.#sum += Math.abs(forecast - outcome);
    this.#hours++;
  }

  get result(): ForecastError | undefined {
    return this.#hours === 0 ? undefined : { mae: this.#sum / this.#hours, hours: this.#hours };
  }
}
