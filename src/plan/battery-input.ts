import type { TerminalTranche } from "./terminal-value.js";

/** A battery as the planner sees it. Powers are kW on the AC side, energies kWh stored. */
export interface PlannerBattery {
  capacityKwh: number;
  socKwh: number;
  minSocKwh: number;
  maxSocKwh: number;
  maxChargePowerKw: number;
  maxDischargePowerKw: number;
  /** Stored per AC kWh, in (0, 1]. */
  chargeEfficiency: number;
  /** AC kWh per stored kWh, in (0, 1]. */
  dischargeEfficiency: number;
  /** Wear, ct per AC kWh discharged; default 0. */
  wearCtKwh?: number;
  /** Charging from the grid; default true. */
  gridChargeAllowed?: boolean;
  /** Discharging into the grid; default true. */
  exportAllowed?: boolean;
  /** Charging happens at this power or more, or not at all; default 0. */
  minChargePowerKw?: number;
}

/** A planning problem: one array entry a step. */
export interface PlanBatteryInput {
  start: Date;
  stepMinutes: 60 | 15;
  /** All-in, ct/kWh. */
  importPriceCtKwh: readonly number[];
  exportPriceCtKwh: readonly number[];
  /** Energy of the step as it is, the shortened first one included, kWh. */
  loadKwh: readonly number[];
  pvKwh: readonly number[];
  battery: PlannerBattery;
  grid?: {
    importLimitKw?: number;
    exportLimitKw?: number;
    /** PV may be curtailed where exporting costs money; default false. */
    curtailmentAllowed?: boolean;
  };
  /** Worth of what is stored at the end; default: what the last day of the horizon suggests. */
  terminalValueCtKwh?: number | readonly TerminalTranche[];
}
