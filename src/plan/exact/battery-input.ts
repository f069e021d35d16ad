import type { StorageLimits } from "../../core/domain/battery.js";
import type { TerminalTranche } from "../terminal-value.js";

/** A battery as the planner sees it. */
export interface PlannerBattery extends StorageLimits {
  capacityKwh: number;
  socKwh: number;
  /** Wear, ct per AC kWh discharged; default 0. */
  wearCtKwh?: number;
  /** Charging from the grid; default true. */
  gridChargeAllowed?: boolean;
  /** Discharging into the grid; default true. */
  exportAllowed?: boolean;
  /** Charging uses at least this power or does not take place; default 0. */
  minChargePowerKw?: number;
}

/** A planning problem with one array entry per step. */
export interface PlanBatteryInput {
  start: Date;
  stepMinutes: 60 | 15;
  /** All-in, ct/kWh. */
  importPriceCtKwh: readonly number[];
  exportPriceCtKwh: readonly number[];
  /** Energy of each step; the first entry covers only the shortened first step, kWh. */
  loadKwh: readonly number[];
  pvKwh: readonly number[];
  battery: PlannerBattery;
  grid?: {
    importLimitKw?: number;
    exportLimitKw?: number;
    /** PV may be curtailed while exporting costs money; default false. */
    curtailmentAllowed?: boolean;
  };
  /** Worth of the energy stored at the end; default: derived from the last day of the horizon. */
  terminalValueCtKwh?: number | readonly TerminalTranche[];
}
