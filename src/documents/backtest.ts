import { energyKwh, moneyEur, priceCtKwh, rounded, sharePct } from "../domain/rounding.js";
import type { SimulatedRun, SimulationResult } from "../plan/simulate.js";
import { formatIso } from "../time/zone.js";
import { scalarsFirst } from "./format.js";

/** Inputs of a backtest that the document names. */
export interface BacktestView {
  siteId: string;
  zone: string;
  /** Descriptions of prices and load. */
  prices: string;
  load: string;
  loadKwh: number;
  /** Hours without a measured load, for which the usual load was used. */
  loadHoursEstimated: number;
}

/** The result of a backtest as a JSON document. */
export function backtestDocument(result: SimulationResult, view: BacktestView): Record<string, unknown> {
  return scalarsFirst({
    schema: "backtest_v1",
    site: view.siteId,
    start: formatIso(result.from, view.zone),
    end: formatIso(result.to, view.zone),
    days: rounded(result.days, 2),
    prices: view.prices,
    load: view.load,
    load_kwh: energyKwh(view.loadKwh),
    load_hours_estimated: view.loadHoursEstimated,
    hours_without_price: result.hoursLeftOut,
    captured_pct: result.capturedShare === undefined ? null : sharePct(100 * result.capturedShare),
    saving_eur: moneyEur(result.uncontrolled.costEur - result.planned.costEur),
    possible_saving_eur: moneyEur(result.uncontrolled.costEur - result.perfect.costEur),
    mode_changes_per_day: rounded(result.modeChangesPerDay, 2),
    stored_worth_ct_kwh: priceCtKwh(result.storedWorthCtKwh),
    planned: runDocument(result.planned),
    unsteered: runDocument(result.uncontrolled),
    no_battery: runDocument(result.noBattery),
    perfect_foresight: runDocument(result.perfect),
    days_worse_than_uncontrolled: result.worseDays.map(({ date, eur }) => ({ date, eur: moneyEur(eur) })),
    hours_by_mode: result.hoursByMode,
    hours_by_reason: result.hoursByReason,
  });
}

function runDocument(run: SimulatedRun) {
  return {
    cost_eur: moneyEur(run.costEur),
    import_kwh: energyKwh(run.importKwh),
    export_kwh: energyKwh(run.exportKwh),
    charge_kwh: energyKwh(run.chargeKwh),
    discharge_kwh: energyKwh(run.dischargeKwh),
    stored_end_kwh: energyKwh(run.storedEndKwh),
    cycles: rounded(run.cycles, 2),
  };
}
