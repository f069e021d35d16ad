import { type MeasuredFlows, type MeterFlows, meterBalance } from "../../telemetry/agreeing-readings.js";

/**
 * Load less PV in each quarter-hour, kWh; undefined where the balance is not known. A load below zero, which only the
 * different times of the readings can show, is moved to the quarter-hours beside it.
 */
export function netLoads(
  meter: readonly MeterFlows[],
  flows: readonly MeasuredFlows[],
): (number | undefined)[] {
  const net = meterBalance(meter, flows);
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
