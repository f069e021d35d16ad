import type { BacktestView } from "../documents/backtest.js";
import type { SimulationResult } from "../plan/simulate.js";
import type { SimulatedRun } from "../plan/simulated-run.js";
import { formatIso } from "../time/zone.js";

/** The result of a backtest as a text table, by line. */
export function backtestText(result: SimulationResult, view: BacktestView): string[] {
  const { planned, uncontrolled, noBattery, perfect } = result;
  const time = (at: Date) => formatIso(at, view.zone).slice(0, 16).replace("T", " ");
  const rows: [string, SimulatedRun][] = [
    ["no battery", noBattery],
    ["uncontrolled battery", uncontrolled],
    ["battery with hourgate", planned],
    ["perfect foresight", perfect],
  ];
  const cell = (value: number, digits: number, width: number) => value.toFixed(digits).padStart(width);
  const hours = Object.entries(result.hoursByMode)
    .filter(([, count]) => count > 0)
    .map(([mode, count]) => `${mode} ${count.toFixed(0)}`)
    .join(", ");
  const worse = result.worseDays.toSorted((a, b) => b.eur - a.eur);
  const named = worse.slice(0, 5).map(({ date, eur }) => `${date} (${eur.toFixed(2)} EUR)`);
  const captured =
    result.capturedShare === undefined
      ? "Control of the battery could not have saved any cost."
      : `hourgate reached ${(100 * result.capturedShare).toFixed(1)} % of the possible saving.`;
  return [
    `Plant ${view.siteId}, ${time(result.from)} to ${time(result.to)} (${result.days.toFixed(1)} days)`,
    `Prices: ${view.prices}`,
    `Load: ${view.load}; ${view.loadKwh.toFixed(0)} kWh`,
    `PV: ${view.pv}${view.pvKwh > 0 ? `; ${view.pvKwh.toFixed(0)} kWh` : ""}`,
    ...(view.loadHoursEstimated > 0
      ? [`${view.loadHoursEstimated} hours of it were not measured; the mean load is used for them.`]
      : []),
    ...(result.hoursLeftOut > 0 ? [`${result.hoursLeftOut} hours without a price are left out.`] : []),
    "",
    `${"".padEnd(22)}  cost EUR  saved EUR  import kWh  export kWh  cycles`,
    ...rows.map(
      ([name, run]) =>
        `${name.padEnd(22)}${cell(run.costEur, 2, 10)}${cell(uncontrolled.costEur - run.costEur, 2, 11)}` +
        `${cell(run.importKwh, 0, 12)}${cell(run.exportKwh, 0, 12)}${cell(run.cycles, 0, 8)}`,
    ),
    "",
    captured,
    `Mode changes a day: ${result.modeChangesPerDay.toFixed(1)}. Hours: ${hours}.`,
    worse.length === 0
      ? "No day cost more than with the uncontrolled battery."
      : `Days that cost more than with the uncontrolled battery: ${worse.length}, the worst ${named.join(", ")}.`,
    `Savings are relative to the uncontrolled battery. A kWh stored at the end counts ${result.storedWorthCtKwh.toFixed(1)} ct in every row.`,
  ];
}
