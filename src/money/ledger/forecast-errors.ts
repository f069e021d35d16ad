import { QUARTER_MS } from "../../core/domain/interval.js";
import type { ForecastStep } from "./ledger-day.js";
import type { QuarterColumns } from "./ledger-store.js";

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
      const times: number[] = [];
      for (let ms = step.startMs; ms < step.endMs; ms += QUARTER_MS) times.push(ms);
      const sumOf = (value: (atMs: number) => number | null | undefined) =>
        times.reduce<number | undefined>((sum, atMs) => {
          const one = value(atMs);
          return sum === undefined || one === null || one === undefined ? undefined : sum + one;
        }, 0);
      const measured = (column: "pvKwh" | "loadKwh") =>
        sumOf((atMs) => quarters?.[column][(atMs - startMs) / QUARTER_MS]);
      const price = sumOf(priceCtKwh);
      if (price !== undefined && step.priceCtKwh !== undefined)
        errors.price.add(step.priceCtKwh, price / times.length);
      const pvKwh = measured("pvKwh");
      if (pvKwh !== undefined && (pvKwh > 0 || step.pvKwh > 0)) errors.pv.add(step.pvKwh, pvKwh);
      const loadKwh = measured("loadKwh");
      if (loadKwh !== undefined) errors.load.add(step.loadKwh, loadKwh);
    }
  }
  return { price: errors.price.result, pv: errors.pv.result, load: errors.load.result };
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
