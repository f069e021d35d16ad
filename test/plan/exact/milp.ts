import { type PlanBatteryInput, stepBounds } from "../../../src/plan/exact/plan-battery.js";
import type { Highs } from "../../support/highs.js";

/**
 * The planning problem as a mixed-integer program, written from the rules of docs/planner.md and solved by HiGHS:
 * least breach of the import limit first, then least objective. For starts inside the SOC band. A `convex` problem is
 * solved as a linear program, because simultaneous opposite flows never pay in it.
 */
export function solveByHighs(
  highs: Highs,
  input: PlanBatteryInput,
  { convex = false } = {},
): { breachKwh: number; objectiveCt: number } {
  const { battery, grid = {} } = input;
  const count = input.importPriceCtKwh.length;
  const hours = stepBounds(input.start, input.stepMinutes, count).map(
    ({ start, end }) => (end.getTime() - start.getTime()) / 3_600_000,
  );
  const cost: string[] = [];
  const breach: string[] = [];
  const rows: string[] = [];
  const bounds: string[] = [];
  const binaries: string[] = [];
  const term = (coefficient: number, name: string) =>
    `${coefficient < 0 ? "-" : "+"} ${Math.abs(coefficient)} ${name}`;
  for (let t = 0; t < count; t++) {
    const h = hours[t]!;
    const load = input.loadKwh[t]!;
    const pv = input.pvKwh[t]!;
    const net = load - pv;
    const importPrice = input.importPriceCtKwh[t]!;
    const exportPrice = input.exportPriceCtKwh[t]!;
    const importLimit = (grid.importLimitKw ?? Infinity) * h;
    const exportLimit = (grid.exportLimitKw ?? Infinity) * h;
    cost.push(term(importPrice, `i${t}`), term(-exportPrice, `e${t}`), term(battery.wearCtKwh ?? 0, `d${t}`));

    let most = battery.maxChargePowerKw * h;
    if (battery.gridChargeAllowed === false) most = Math.min(most, Math.max(0, -net));
    most = Math.min(most, Math.max(0, importLimit - net));
    let deepest = battery.maxDischargePowerKw * h;
    if (battery.exportAllowed === false) deepest = Math.min(deepest, Math.max(0, net));
    const least = (battery.minChargePowerKw ?? 0) * h;

    rows.push(`c${t} - ${most} z${t} <= 0`, `d${t} + ${deepest} z${t} <= ${deepest}`);
    if (least > 0) rows.push(`c${t} - ${least} z${t} >= 0`);
    // Balance: load + charge + export = pv - curtailed + discharge + import.
    rows.push(`c${t} + e${t} + k${t} - d${t} - i${t} = ${pv - load}`);
    const mostImport = Math.max(0, net) + most;
    const mostExport = Math.max(0, -net) + deepest;
    rows.push(`i${t} + ${mostImport} w${t} <= ${mostImport}`, `e${t} - ${mostExport} w${t} <= 0`);
    rows.push(`k${t} - ${pv} w${t} <= 0`);
    if (Number.isFinite(exportLimit)) rows.push(`e${t} <= ${exportLimit}`);
    const atLoss = grid.curtailmentAllowed === true && exportPrice < 0;
    if (!atLoss) {
      // Only surplus above the export limit may be curtailed: y allows it, and then the export is at its limit.
      if (Number.isFinite(exportLimit)) {
        rows.push(`k${t} - ${pv} y${t} <= 0`, `e${t} - ${exportLimit} y${t} >= 0`);
        binaries.push(`y${t}`);
      } else rows.push(`k${t} = 0`);
    }
    if (Number.isFinite(importLimit)) {
      rows.push(`b${t} - i${t} >= -${importLimit}`);
      breach.push(`+ b${t}`);
    }
    const before = t === 0 ? "" : ` - s${t - 1}`;
    const known = t === 0 ? battery.socKwh : 0;
    rows.push(
      `s${t}${before} - ${battery.chargeEfficiency} c${t} + ${1 / battery.dischargeEfficiency} d${t} = ${known}`,
    );
    bounds.push(`${battery.minSocKwh} <= s${t} <= ${battery.maxSocKwh}`);
    binaries.push(`z${t}`, `w${t}`);
  }
  const terminal = input.terminalValueCtKwh;
  if (typeof terminal === "number") cost.push(term(-terminal, `s${count - 1}`));
  else if (terminal !== undefined) {
    rows.push(`${terminal.map((_, j) => `+ q${j}`).join(" ")} - s${count - 1} <= 0`);
    for (const [j, { kwh, ctKwh }] of terminal.entries()) {
      cost.push(term(-ctKwh, `q${j}`));
      bounds.push(`q${j} <= ${kwh}`);
    }
  }
  const program = (objective: string[], extra: string[] = []) =>
    [
      "Minimize",
      ` obj: ${objective.join(" ")}`,
      "Subject To",
      ...[...rows, ...extra].map((row, index) => ` r${index}: ${row}`),
      "Bounds",
      ...bounds.map((bound) => ` ${bound}`),
      ...(convex ? binaries.map((name) => ` 0 <= ${name} <= 1`) : ["Binary", ` ${binaries.join(" ")}`]),
      "End",
    ].join("\n");
  const optimum = (text: string) => {
    const result = highs.solve(text, {
      mip_rel_gap: 0,
      mip_abs_gap: 1e-9,
      mip_feasibility_tolerance: 1e-9,
      primal_feasibility_tolerance: 1e-9,
      dual_feasibility_tolerance: 1e-9,
      output_flag: false,
    });
    if (result.Status !== "Optimal") throw new Error(`HiGHS: ${result.Status}\n${text}`);
    return result.ObjectiveValue;
  };
  if (breach.length === 0) return { breachKwh: 0, objectiveCt: optimum(program(cost)) };
  const least = optimum(program(breach));
  const level = [`${breach.join(" ")} <= ${least + 1e-9}`];
  return { breachKwh: least, objectiveCt: optimum(program(cost, level)) };
}
