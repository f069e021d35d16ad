import type { MeasuredFlows } from "../../telemetry/measured-load.js";

/** What the meter counted in a quarter-hour, kWh; undefined: not known. */
export interface MeterFlows {
  importKwh: number | undefined;
  exportKwh: number | undefined;
}

/** Load less PV by the energy balance `import - export - charge + discharge` of each quarter-hour. */
function balanceOf(meter: readonly MeterFlows[], flows: readonly MeasuredFlows[]): (number | undefined)[] {
  return meter.map(({ importKwh, exportKwh }, index) => {
    const { chargeKwh, dischargeKwh } = flows[index]!;
    if (importKwh === undefined || exportKwh === undefined) return undefined;
    if (chargeKwh === undefined || dischargeKwh === undefined) return undefined;
    return importKwh - exportKwh - chargeKwh + dischargeKwh;
  });
}

/**
 * The reading of the powers that agrees with the meter. A device reports either its power at an instant or the mean since its
 * last report; taken for the other, a battery that starts to charge appears minutes early or late, and the balance of one
 * quarter-hour contains a load, that of the next its opposite. The candidate under which the load changes least is used.
 */
export function agreeingFlows(
  meter: readonly MeterFlows[],
  candidates: readonly MeasuredFlows[][],
): MeasuredFlows[] {
  let best: { flows: MeasuredFlows[]; variation: number } | undefined;
  for (const flows of candidates) {
    const load = balanceOf(meter, flows).map((net, index) =>
      net === undefined ? undefined : net + (flows[index]!.pvKwh ?? 0),
    );
    let variation = 0;
    for (let index = 1; index < load.length; index++)
      variation += Math.abs((load[index] ?? 0) - (load[index - 1] ?? 0));
    if (best === undefined || variation < best.variation) best = { flows, variation };
  }
  return best?.flows ?? [];
}

/**
 * Load less PV in each quarter-hour, kWh; undefined where the balance is not known. A load below zero, which only the
 * different times of the readings can show, is moved to the quarter-hours beside it.
 */
export function netLoads(
  meter: readonly MeterFlows[],
  flows: readonly MeasuredFlows[],
): (number | undefined)[] {
  const net = balanceOf(meter, flows);
  const loadAt = (index: number) => {
    const value = net[index];
    const { pvKwh } = flows[index] ?? {};
    return value === undefined || pvKwh === undefined ? undefined : value + pvKwh;
  };
  for (let index = 0; index < net.length; index++) {
    for (const beside of [index - 1, index + 1]) {
      const load = loadAt(index);
      const other = loadAt(beside);
      if (load === undefined || load >= 0 || other === undefined) continue;
      const moved = Math.min(-load, Math.max(0, other));
      net[index]! += moved;
      net[beside]! -= moved;
    }
  }
  return net;
}
