import type { BatteryMode, ControlledMode, StorageLimits } from "../../core/domain/battery.js";
import type { TerminalTranche } from "../terminal-value.js";

/** A battery as the policy sees it. */
export interface PolicyBattery extends StorageLimits {
  capacityKwh: number;
  /** Wear, ct per AC kWh discharged; default 1. */
  wearCtKwh?: number;
}

/** A stretch of time with one price. Energies are those of the step as it is, kWh. */
export interface PolicyStep {
  start: Date;
  minutes: number;
  /** All-in, ct/kWh. */
  importCtKwh: number;
  exportCtKwh: number;
  /** Expected load. */
  loadKwh: number;
  /** Expected PV energy. */
  pvKwh: number;
  /** False: the price is a forecast; nothing is charged from the grid in the step. */
  published: boolean;
  /** False: import of the step does not count for `grid.importTarget`; default true. */
  targetApplies?: boolean;
}

/** Charging from the grid stays below `kw`; a mean import of a step above it costs `ctPerKw` for each kW more. */
export interface ImportTarget {
  kw: number;
  ctPerKw: number;
}

/** Factors on the expected PV energy, and their chain. Each night the factor is drawn anew. */
export interface PvNodes {
  factors: readonly number[];
  /** Probability of each factor, sum 1. */
  shares: readonly number[];
  /** Probability that the factor holds for an hour, 0 to 1. */
  persistence: number;
}

export interface PolicyInput {
  now: Date;
  /** In order of time, without overlaps. Steps that are over are left out of account; one in progress counts for its rest. */
  steps: readonly PolicyStep[];
  /** One row a step: factors on its load, by rank. A missing or empty row: the load is certain. */
  ratios: readonly (readonly number[])[];
  /** Probability of each rank, sum 1; left out: all alike. */
  shares?: readonly number[];
  /** Probability that the load keeps its rank for an hour, 0 to 1; default 0.5. Where no step has PV at most 0.2 of it is used. */
  persistence?: number;
  /** Uncertain PV; left out: it comes as expected. */
  pv?: PvNodes | undefined;
  battery: PolicyBattery;
  /** What the installation can carry out besides `free`. */
  controls: readonly ControlledMode[];
  grid?: {
    importLimitKw?: number;
    exportLimitKw?: number;
    /** PV may be curtailed where feeding in costs money; default false. */
    curtailmentAllowed?: boolean;
    /** Import to stay below because of a price on the month's peak; left out: none. */
    importTarget?: ImportTarget;
  };
  /** Worth of what is stored at the end; default: what the last day of the horizon suggests. */
  terminal?: readonly TerminalTranche[];
}

/** Why a command is as it is: a stable code. */
export const COMMAND_REASONS = [
  "self_consumption",
  "keep_for_dearer",
  "pv_later",
  "cheap_price",
  "export_price",
  "negative_price",
  "no_price",
  "override",
] as const;

export type CommandReason = (typeof COMMAND_REASONS)[number];

/** A mode in place of the policy's decisions. */
export interface ForcedMode {
  mode: "charge" | "hold" | "standby";
  until: Date;
  /** A forced charge ends here, at the latest at the upper end of the band. */
  stopSocKwh: number;
}

/** What the battery is to do now. */
export interface Command {
  mode: BatteryMode;
  /** Above 0 in `charge` only. */
  chargePowerKw: number;
  /** Where charging from the grid ends; in other modes the upper end of the band. */
  stopSocKwh: number;
  /** 0: do not serve the load from the battery. In `discharge` the power that is given. */
  dischargeCapKw: number;
  /** 0: do not store PV surplus. */
  chargeCapKw: number;
  /** Worth of one more stored kWh at the end of the step, ct. */
  valueCtKwh: number;
  reason: CommandReason;
}
