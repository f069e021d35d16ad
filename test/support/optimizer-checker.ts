import type { OptimizerAnswer } from "../../src/plan/solver/answer.js";
import type { OptimizerRequest, RequestedBattery } from "../../src/plan/solver/request.js";

/** Wh. */
const TOLERANCE = 1e-3;

/** What an answer breaks of the rules of evcc's optimizer, in words; written from docs/spec, in Wh as in the request. */
export function brokenRules(request: OptimizerRequest, answer: OptimizerAnswer): string[] {
  const { dt, gt, ft } = request.time_series;
  const broken: string[] = [];
  const check = (holds: boolean, text: string) => {
    if (!holds) broken.push(text);
  };
  const { p_max_imp: importWatts, p_max_exp: exportWatts, prc_p_exc_imp: peakPrice } = request.grid ?? {};
  const [etaC, etaD] = [request.eta_c ?? 0.95, request.eta_d ?? 0.95];
  check(answer.batteries.length === request.batteries.length, "one entry for each battery");
  for (const values of [
    answer.grid_import,
    answer.grid_export,
    answer.flow_direction,
    ...answer.batteries.flatMap((battery) => Object.values(battery)),
  ])
    check(values.length === dt.length, "a value for each step");
  const numbers = JSON.stringify(answer);
  check(!/null|NaN|Infinity|-0[,\]}]/.test(numbers), "finite numbers");

  dt.forEach((seconds, t) => {
    const hours = seconds / 3600;
    const overImport = answer.grid_import_overshoot[t] ?? 0;
    const overExport = answer.grid_export_overshoot[t] ?? 0;
    const imported = answer.grid_import[t]! + (peakPrice == null ? overImport : 0);
    const exported = answer.grid_export[t]! + overExport;
    const at = (text: string) => `step ${t}: ${text}`;
    for (const value of [answer.grid_import[t]!, answer.grid_export[t]!, overImport, overExport])
      check(value >= 0, at("no negative flow"));
    check(imported === 0 || exported === 0, at("no import and export at once"));
    check(imported === 0 || answer.flow_direction[t] === 0, at("direction of an import"));
    check(exported === 0 || answer.flow_direction[t] === 1, at("direction of an export"));
    let balance = ft[t]! - gt[t]! + imported - exported;
    request.batteries.forEach((battery, i) => {
      const of = (text: string) => at(`battery ${i}: ${text}`);
      const { charging_power, discharging_power, state_of_charge } = answer.batteries[i]!;
      const [charged, discharged, state] = [charging_power[t]!, discharging_power[t]!, state_of_charge[t]!];
      const before = t === 0 ? battery.s_initial : state_of_charge[t - 1]!;
      balance += discharged - charged;
      check(
        Math.abs(before + etaC * charged - discharged / etaD - state) < TOLERANCE,
        of("state follows from the energies"),
      );
      check(charged >= 0 && charged <= battery.c_max * hours + TOLERANCE, of("c_max"));
      check(discharged >= 0 && discharged <= battery.d_max * hours + TOLERANCE, of("d_max"));
      check(charged === 0 || discharged === 0, of("no charging and discharging at once"));
      check(state > -TOLERANCE && state < capacityOf(battery) + TOLERANCE, of("capacity"));
      const isExport = answer.flow_direction[t] === 1;
      if (!battery.charge_from_grid) check(charged === 0 || isExport, of("charge_from_grid"));
      if (!battery.discharge_to_grid) check(discharged === 0 || !isExport, of("discharge_to_grid"));
      const least = battery.c_min * hours;
      const isTopOff = (battery.p_demand?.[t] ?? 0) > 0 && upperOf(battery) - state <= least + TOLERANCE;
      check(charged === 0 || charged >= least - TOLERANCE || isTopOff, of("c_min"));
    });
    check(Math.abs(balance) < TOLERANCE, at("balance"));
    if (importWatts != null) {
      const limit = importWatts * hours;
      check(Math.abs(Math.max(0, imported - limit) - overImport) < TOLERANCE, at("import overshoot"));
    } else check(overImport === 0, at("no import limit"));
    if (exportWatts != null) {
      const limit = exportWatts * hours;
      check(Math.abs(Math.max(0, exported - limit) - overExport) < TOLERANCE, at("export overshoot"));
    } else check(overExport === 0, at("no export limit"));
  });
  check(
    answer.limit_violations.grid_import_limit_exceeded === answer.grid_import_overshoot.some((x) => x > 0),
    "import flag",
  );
  check(
    answer.limit_violations.grid_export_limit_hit === answer.grid_export_overshoot.some((x) => x > 0),
    "export flag",
  );
  const { money } = worthOf(request, answer);
  check(Math.abs(money - answer.objective_value!) < 1e-4, "objective_value");
  return broken;
}

/** Upper soft bound: 0 with a capacity means none. */
export function upperOf({ s_max, s_capacity }: RequestedBattery): number {
  return s_max === 0 && s_capacity ? s_capacity : s_max;
}

export function capacityOf(battery: RequestedBattery): number {
  return battery.s_capacity || upperOf(battery);
}

/** What penalties and prices of an answer need: energies by step, Wh. */
export type CheckedSchedule = Pick<
  OptimizerAnswer,
  "batteries" | "grid_import" | "grid_export" | "grid_import_overshoot" | "grid_export_overshoot"
>;

/**
 * Money as `objective_value`, and what is maximised: with penalties, and with the value of all energy left at the end. Both in
 * currency.
 */
export function worthOf(
  { time_series: { dt, p_N, p_E }, grid, batteries }: OptimizerRequest,
  answer: CheckedSchedule,
): { money: number; worth: number } {
  const peakPrice = grid?.p_max_imp == null ? undefined : (grid.prc_p_exc_imp ?? undefined);
  const base = Math.max(
    ...p_N,
    ...p_E,
    ...batteries.map(({ p_a }) => p_a),
    1e-4,
    peakPrice === undefined ? 0 : (peakPrice * 3600) / Math.min(...dt),
  );
  let money = 0;
  let penalties = 0;
  let left = 0;
  let peak = 0;
  dt.forEach((seconds, t) => {
    const overImport = answer.grid_import_overshoot[t] ?? 0;
    const imported = answer.grid_import[t]! + (peakPrice === undefined ? overImport : 0);
    money += answer.grid_export[t]! * p_E[t]! - imported * p_N[t]!;
    peak = Math.max(peak, (overImport * 3600) / seconds);
    if (peakPrice === undefined) penalties += 100 * base * overImport;
    penalties += 100 * base * (1 - t * 1e-5) * (answer.grid_export_overshoot[t] ?? 0);
    batteries.forEach((battery, i) => {
      const { charging_power, state_of_charge } = answer.batteries[i]!;
      const state = state_of_charge[t]!;
      const upper = upperOf(battery);
      penalties += 1000 * base * Math.max(0, state - upper, battery.s_min - state);
      if (t > 0) penalties += 100 * base * Math.max(0, (battery.s_goal?.[t] ?? 0) - state);
      const demand = Math.min(battery.p_demand?.[t] ?? 0, (battery.c_max * seconds) / 3600);
      if (state < upper - TOLERANCE)
        penalties += 100 * base * (2 - t / dt.length) * Math.max(0, demand - charging_power[t]!);
    });
  });
  batteries.forEach(({ p_a }, i) => {
    const states = answer.batteries[i]!.state_of_charge;
    money -= states[0]! * p_a;
    left += states.at(-1)! * p_a;
    penalties -= states[0]! * p_a;
  });
  money += left - peak * (peakPrice ?? 0);
  return { money, worth: money - penalties };
}
