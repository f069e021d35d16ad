import { inverterStep, type StorageLimits } from "../simulation/inverter.js";

/** A quarter-hour as measured, with the prices that applied; undefined energies: not measured. */
export interface MeasuredQuarter {
  importCtKwh: number | undefined;
  exportCtKwh: number | undefined;
  importKwh: number | undefined;
  exportKwh: number | undefined;
  pvKwh: number | undefined;
  /** Into the battery; negative: out of it. */
  batteryKwh: number | undefined;
}

export interface MeasuredDay {
  quarters: readonly MeasuredQuarter[];
  battery: StorageLimits & { wearCtKwh: number };
  /** Stored energy at the start and end of the day as measured, kWh. */
  socStartKwh: number;
  socEndKwh: number;
}

/** Share of a day's quarter-hours that must be measured. */
const LEAST_SHARE = 0.9;

/**
 * What a measured day cost less than the same battery uncontrolled (self-consumption on the measured load and PV from the
 * same SOC), ct, wear included; undefined where too little was measured. Quarter-hours that are not measured count on
 * neither side. A difference of the energy stored at the end counts at what storing it cost that day (the lowest import
 * price over the charging efficiency), at most at what it could save.
 */
export function achievedSavingCt({
  quarters,
  battery,
  socStartKwh,
  socEndKwh,
}: MeasuredDay): number | undefined {
  let savedCt = 0;
  let known = 0;
  let socKwh = socStartKwh;
  const prices: number[] = [];
  for (const quarter of quarters) {
    const { importCtKwh, exportCtKwh, importKwh, exportKwh, pvKwh, batteryKwh } = quarter;
    if (importCtKwh === undefined || exportCtKwh === undefined) continue;
    if (importKwh === undefined || exportKwh === undefined || pvKwh === undefined || batteryKwh === undefined)
      continue;
    known++;
    prices.push(importCtKwh);
    const loadKwh = Math.max(0, importKwh - exportKwh + pvKwh - batteryKwh);
    const free = inverterStep({
      storage: battery,
      command: { mode: "free" },
      step: { minutes: 15, loadKwh, pvKwh },
      socKwh,
    });
    socKwh = free.socEndKwh;
    savedCt +=
      (free.importKwh - importKwh) * importCtKwh -
      (free.exportKwh - exportKwh) * exportCtKwh +
      (free.dischargeKwh - Math.max(0, -batteryKwh)) * battery.wearCtKwh;
  }
  if (known === 0 || known < LEAST_SHARE * quarters.length) return undefined;
  const refillCt = Math.min(...prices) / battery.chargeEfficiency;
  const savesCt = Math.max(...prices) * battery.dischargeEfficiency - battery.wearCtKwh;
  return savedCt + (socEndKwh - socKwh) * Math.max(0, Math.min(refillCt, savesCt));
}
