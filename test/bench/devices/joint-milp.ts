import type { Highs } from "highs";
import type { RunsDevice, StoreDevice } from "../../../src/devices/device.js";
import type { SeededSite } from "./seeded-site.js";

/**
 * The same week as one mixed-integer program, written from the rules of docs/planner.md: vehicle from its least power on, boiler
 * in quarter-hours, runs unbroken, battery at any power that its modes allow on average. Returns the proved lower bound of
 * the cost and the best cost found, ct.
 */
export function jointOptimum(
  highs: Highs,
  { site, socKwh, devices }: SeededSite,
  seconds: number,
): { boundCt: number; foundCt: number } {
  const { battery, steps } = site;
  const cost: string[] = [];
  const rows: string[] = [];
  const bounds: string[] = [];
  const binaries: string[] = [];
  const integers: string[] = [];
  const term = (coefficient: number, name: string) =>
    `${coefficient < 0 ? "-" : "+"} ${Math.abs(coefficient)} ${name}`;
  const loads: string[][] = steps.map(() => []);
  for (const [d, device] of devices.entries()) {
    if (device.kind === "store") addStore(device, d);
    else addRuns(device, d);
  }
  function addStore({ store }: StoreDevice, d: number): void {
    for (const [t, { available, drawKwh, leastKwh }] of store.stages.entries()) {
      const [x, s] = [`x${d}_${t}`, `q${d}_${t}`];
      const keeps = 1 - store.lossPerHour;
      const before = t === 0 ? "" : ` - ${keeps} q${d}_${t - 1}`;
      rows.push(
        `${s}${before} - ${store.efficiency} ${x} = ${(t === 0 ? store.storedKwh * keeps : 0) - drawKwh}`,
      );
      bounds.push(`${leastKwh} <= ${s} <= ${store.maxKwh}`);
      loads[t]!.push(term(-1, x));
      if (!available) bounds.push(`${x} <= 0`);
      else if (store.minPowerKw === store.maxPowerKw) {
        rows.push(`${x} - ${store.maxPowerKw / 4} n${d}_${t} = 0`);
        bounds.push(`n${d}_${t} <= 4`);
        integers.push(`n${d}_${t}`);
      } else {
        // A quarter-hour at the least power is the least energy of an hour.
        rows.push(
          `${x} - ${store.maxPowerKw} b${d}_${t} <= 0`,
          `${x} - ${store.minPowerKw / 4} b${d}_${t} >= 0`,
        );
        binaries.push(`b${d}_${t}`);
      }
    }
    cost.push(term(-store.worthCtKwh, `q${d}_${store.stages.length - 1}`));
  }
  function addRuns({ powerKw, demands }: RunsDevice, d: number): void {
    for (const { from, to, kwh } of demands) {
      const hours = Math.round(kwh / powerKw);
      const starts: string[] = [];
      for (let first = from; first + hours <= to; first++) {
        starts.push(`y${d}_${first}`);
        binaries.push(`y${d}_${first}`);
        for (let k = 0; k < hours; k++) loads[first + k]!.push(term(-powerKw, `y${d}_${first}`));
      }
      rows.push(`${starts.join(" + ")} = 1`);
    }
  }
  for (const [t, { importCtKwh, exportCtKwh, loadKwh, pvKwh }] of steps.entries()) {
    cost.push(term(importCtKwh, `i${t}`), term(-exportCtKwh, `e${t}`), term(battery.wearCtKwh ?? 1, `d${t}`));
    rows.push(`i${t} - e${t} + d${t} - c${t} ${loads[t]!.join(" ")} = ${loadKwh - pvKwh}`);
    const before = t === 0 ? "" : ` - s${t - 1}`;
    rows.push(
      `s${t}${before} - ${battery.chargeEfficiency} c${t} + ${1 / battery.dischargeEfficiency} d${t} = ${t === 0 ? socKwh : 0}`,
    );
    bounds.push(`${battery.minSocKwh} <= s${t} <= ${battery.maxSocKwh}`);
    bounds.push(`c${t} <= ${battery.maxChargePowerKw}`);
    // Nothing is given to the grid.
    rows.push(`d${t} + ${battery.maxDischargePowerKw} z${t} <= ${battery.maxDischargePowerKw}`);
    rows.push(`e${t} - 100 z${t} <= 0`);
    binaries.push(`z${t}`);
  }
  cost.push(term(-site.terminal![0]!.ctKwh, `s${steps.length - 1}`));
  const text = [
    "Minimize",
    `obj: ${cost.join(" ")}`,
    "Subject To",
    ...rows.map((row, index) => `r${index}: ${row}`),
    "Bounds",
    ...bounds,
    "Binary",
    binaries.join(" "),
    "General",
    integers.join(" "),
    "End",
  ].join("\n");
  return highs.withModel({ format: "lp", data: text }, (solver) => {
    solver.options.set({ output_flag: false, time_limit: seconds, mip_rel_gap: 1e-4 });
    solver.run();
    return { boundCt: Number(solver.info.get("mip_dual_bound")), foundCt: solver.getObjectiveValue() };
  });
}
