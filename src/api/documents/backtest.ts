import { energyKwh, moneyEur, priceCtKwh, rounded, sharePct } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import type { BacktestView } from "../../money/compare/past-site.js";
import type { SimulationResult } from "../../plan/simulate.js";
import type { SimulatedRun } from "../../plan/simulated-run.js";
import { scalarsFirst } from "./format.js";

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
    pv: view.pv,
    pv_kwh: energyKwh(view.pvKwh),
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
    policies: policiesOf(result),
    days_worse_than_uncontrolled: result.worseDays.map(({ date, eur }) => ({ date, eur: moneyEur(eur) })),
    hours_by_mode: result.hoursByMode,
    hours_by_reason: result.hoursByReason,
  });
}

/** Money differences below this are rounding, EUR. */
const LEAST_EUR = 0.005;

/** The same figures for each control of the battery, under the names of the ledger. */
function policiesOf(result: SimulationResult) {
  const { noBattery, uncontrolled, planned, perfect } = result;
  const possibleEur = uncontrolled.costEur - perfect.costEur;
  return Object.entries({ no_battery: noBattery, uncontrolled, hourgate: planned, perfect }).map(
    ([name, run]) => {
      const savedEur = uncontrolled.costEur - run.costEur;
      const excess = [...run.dayCostEur].map(([date, eur]) => eur - uncontrolled.dayCostEur.get(date)!);
      return {
        name,
        cost_eur: moneyEur(run.costEur),
        saved_eur: moneyEur(savedEur),
        captured_pct: possibleEur > 1e-6 ? sharePct((100 * savedEur) / possibleEur) : null,
        cycles: rounded(run.cycles, 2),
        mode_changes_per_day: rounded(run.modeChanges / result.days, 2),
        days_worse_than_uncontrolled: excess.filter((eur) => eur > LEAST_EUR).length,
        /** How much more than with the uncontrolled battery the worst day cost; 0: no day cost more. */
        worst_day_ct: rounded(100 * Math.max(0, ...excess), 1),
      };
    },
  );
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
