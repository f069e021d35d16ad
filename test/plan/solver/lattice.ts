import type { OptimizerRequest, RequestedBattery } from "../../../src/plan/solver/request.js";
import { capacityOf, upperOf } from "../../support/optimizer-checker.js";

/** Money and penalties of the best schedule whose energies are multiples of `grain`, by dynamic programming over all states. */
export function bestOnLattice(request: OptimizerRequest, grain: number): number {
  const { dt, gt, ft, p_N, p_E } = request.time_series;
  const { batteries, grid } = request;
  const peakPrice = grid?.p_max_imp == null ? undefined : (grid.prc_p_exc_imp ?? undefined);
  const base = Math.max(
    ...p_N,
    ...p_E,
    ...batteries.map(({ p_a }) => p_a),
    1e-4,
    peakPrice === undefined ? 0 : (peakPrice * 3600) / Math.min(...dt),
  );
  /** Best worth by energies of the batteries and highest excess of import so far. */
  let states = new Map([[JSON.stringify([...batteries.map(({ s_initial }) => s_initial), 0]), 0]]);
  dt.forEach((seconds, t) => {
    const hours = seconds / 3600;
    const next = new Map<string, number>();
    for (const [key, worth] of states) {
      const before = JSON.parse(key) as number[];
      const peak = before.at(-1)!;
      for (const actions of combinations(batteries.map((battery) => actionsOf(battery, hours, grain)))) {
        const after = actions.map((action, i) => before[i]! + action);
        if (after.some((state, i) => state < 0 || state > capacityOf(batteries[i]!))) continue;
        const net = ft[t]! - gt[t]! - actions.reduce((sum, action) => sum + action, 0);
        // A step is on one side of the grid, also when nothing flows.
        const needsExportSide = batteries.some((one, i) => actions[i]! > 0 && !one.charge_from_grid);
        const needsImportSide = batteries.some((one, i) => actions[i]! < 0 && !one.discharge_to_grid);
        if ((needsExportSide && (net < 0 || needsImportSide)) || (needsImportSide && net > 0)) continue;
        const isPermitted = batteries.every((battery, i) => {
          const action = actions[i]!;
          const isTopOff =
            (battery.p_demand?.[t] ?? 0) > 0 && upperOf(battery) - after[i]! <= battery.c_min * hours;
          return action <= 0 || action >= battery.c_min * hours || isTopOff;
        });
        if (!isPermitted) continue;
        const importExcess = Math.max(0, -net - (grid?.p_max_imp ?? Number.POSITIVE_INFINITY) * hours);
        const lost = Math.max(0, net - (grid?.p_max_exp ?? Number.POSITIVE_INFINITY) * hours);
        let total = worth - Math.max(0, -net) * p_N[t]! + (Math.max(0, net) - lost) * p_E[t]!;
        if (peakPrice === undefined) total -= 100 * base * importExcess;
        total -= 100 * base * (1 - t * 1e-5) * lost;
        batteries.forEach((battery, i) => {
          const [state, upper] = [after[i]!, upperOf(battery)];
          total -= 1000 * base * (Math.max(0, state - upper) + Math.max(0, battery.s_min - state));
          if (t > 0) total -= 100 * base * Math.max(0, (battery.s_goal?.[t] ?? 0) - state);
          const demand = Math.min(battery.p_demand?.[t] ?? 0, battery.c_max * hours);
          const missed = state >= upper ? 0 : Math.max(0, demand - Math.max(0, actions[i]!));
          total -= 100 * base * (2 - t / dt.length) * missed;
          if (t === dt.length - 1) total += state * battery.p_a;
        });
        const highest = Math.max(peak, importExcess / hours);
        if (t === dt.length - 1) total -= highest * (peakPrice ?? 0);
        const reached = JSON.stringify([...after, highest]);
        next.set(reached, Math.max(next.get(reached) ?? Number.NEGATIVE_INFINITY, total));
      }
    }
    states = next;
  });
  return Math.max(...states.values());
}

/** Changes of the energy of a battery in a step, without losses. */
function actionsOf({ c_max, d_max }: RequestedBattery, hours: number, grain: number): number[] {
  const lowest = -Math.floor((d_max * hours) / grain);
  const highest = Math.floor((c_max * hours) / grain);
  return Array.from({ length: highest - lowest + 1 }, (_, k) => (lowest + k) * grain);
}

function combinations(lists: readonly number[][]): number[][] {
  return lists.reduce<number[][]>(
    (all, list) => all.flatMap((one) => list.map((item) => [...one, item])),
    [[]],
  );
}
