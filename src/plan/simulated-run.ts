import type { PlantSettings } from "../config/settings.js";
import type { BatteryMode } from "../core/domain/battery.js";
import { localDate } from "../core/time/zone.js";
import { type InverterCommand, type InverterFlows, inverterStep } from "./physics/inverter.js";
import type { PolicyBattery } from "./policy/policy-input.js";

/** Result of one control of the battery. */
export interface SimulatedRun {
  /** Money over the period less the worth of what is stored at its end, EUR. */
  costEur: number;
  importKwh: number;
  exportKwh: number;
  /** AC energies. */
  chargeKwh: number;
  dischargeKwh: number;
  storedEndKwh: number;
  /** Energy taken out of the store divided by the capacity. */
  cycles: number;
  modeChanges: number;
  /** Cost of each local day less the worth of the energy stored in it, EUR. */
  dayCostEur: ReadonlyMap<string, number>;
  /** Energies at the meter by quarter-hour. */
  quarters: { importKwh: Float64Array; exportKwh: Float64Array };
}

/** An actual quarter-hour. */
export interface RealStep {
  start: Date;
  importCtKwh: number;
  exportCtKwh: number;
  loadKwh: number;
  pvKwh: number;
  /** A price was published. */
  counts: boolean;
}

interface RunInput {
  plant: PlantSettings;
  steps: readonly RealStep[];
  battery: PolicyBattery;
  storedWorthCtKwh: number;
}

/** Carries out commands step by step; `undefined` leaves the battery idle. */
export function runSite(
  { plant, steps, battery, storedWorthCtKwh }: RunInput,
  commandOf: (t: number, socKwh: number) => InverterCommand | undefined,
): SimulatedRun {
  const { import_limit_kw, export_limit_kw } = plant.grid;
  const connection = {
    ...(import_limit_kw !== null && { importLimitKw: import_limit_kw }),
    ...(export_limit_kw !== null && { exportLimitKw: export_limit_kw }),
  };
  const idle = { ...battery, maxChargePowerKw: 0, maxDischargePowerKw: 0 };
  const dayCostEur = new Map<string, number>();
  const sum = { importKwh: 0, exportKwh: 0, chargeKwh: 0, dischargeKwh: 0 };
  const quarters = {
    importKwh: new Float64Array(steps.length),
    exportKwh: new Float64Array(steps.length),
  };
  let modeChanges = 0;
  let mode: BatteryMode | undefined;
  let costCt = 0;
  let socKwh = battery.minSocKwh;
  steps.forEach((step, t) => {
    const command = step.counts ? commandOf(t, socKwh) : undefined;
    const flows: InverterFlows = inverterStep({
      storage: command === undefined ? idle : battery,
      connection,
      command: command ?? { mode: "free" },
      step: { minutes: 15, loadKwh: step.loadKwh, pvKwh: step.pvKwh },
      socKwh,
    });
    const stepCt =
      flows.importKwh * step.importCtKwh -
      flows.exportKwh * step.exportCtKwh +
      flows.dischargeKwh * (battery.wearCtKwh ?? 0) -
      (flows.socEndKwh - socKwh) * storedWorthCtKwh;
    if (command !== undefined) {
      if (mode !== undefined && command.mode !== mode) modeChanges++;
      mode = command.mode;
    }
    quarters.importKwh[t] = flows.importKwh;
    quarters.exportKwh[t] = flows.exportKwh;
    const date = localDate(step.start, plant.timezone);
    dayCostEur.set(date, (dayCostEur.get(date) ?? 0) + stepCt / 100);
    costCt += stepCt;
    socKwh = flows.socEndKwh;
    for (const name of ["importKwh", "exportKwh", "chargeKwh", "dischargeKwh"] as const)
      sum[name] += flows[name];
  });
  return {
    ...sum,
    costEur: (costCt - storedWorthCtKwh * battery.minSocKwh) / 100,
    storedEndKwh: socKwh,
    cycles: sum.dischargeKwh / battery.dischargeEfficiency / battery.capacityKwh,
    modeChanges,
    dayCostEur,
    quarters,
  };
}

/**
 * Worth of a kWh stored at the end of a period, ct: the cost of storing it (the lowest import price of a day over the
 * charging efficiency), but at most what it can save (the highest one times the discharging efficiency less wear), as
 * means over the last seven days; never negative. At that price a full battery at the end is neither gain nor loss.
 */
export function storedWorth(steps: readonly RealStep[], battery: PolicyBattery): number {
  const days: number[][] = [];
  for (let end = steps.length; end > 0 && days.length < 7; end -= 96) {
    const usable = steps.slice(Math.max(0, end - 96), end).filter(({ counts }) => counts);
    if (usable.length > 0) days.push(usable.map(({ importCtKwh }) => importCtKwh));
  }
  const mean = (price: (prices: number[]) => number) =>
    days.reduce((sum, prices) => sum + price(prices), 0) / Math.max(1, days.length);
  const refillCt = mean((prices) => Math.min(...prices)) / battery.chargeEfficiency;
  const savesCt =
    mean((prices) => Math.max(...prices)) * battery.dischargeEfficiency - (battery.wearCtKwh ?? 0);
  return Math.max(0, Math.min(refillCt, savesCt));
}
