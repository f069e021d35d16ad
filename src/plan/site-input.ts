import type { ControlledMode } from "../core/domain/battery.js";
import type { Interval } from "../core/domain/interval.js";
import type { PlanScalars } from "../core/domain/plan-field-lists.js";
import type { PriceOrigin } from "../core/domain/price.js";
import type { BatteryOverride } from "./battery-override.js";
import type { PeakPrice } from "./policy/import-target.js";
import type { Command, ForcedMode, PvNodes } from "./policy/policy-input.js";
import type { SitePlan } from "./site-plan.js";

/** A battery as configured: energies as shares of its capacity, powers on the AC side. */
export interface BatteryModel {
  capacityKwh: number;
  minSocPct: number;
  maxSocPct: number;
  maxChargePowerKw: number;
  maxDischargePowerKw: number;
  /** Round trip. */
  efficiencyPct: number;
  /** Above minSocPct: kept while no recharge is planned. */
  reservePct: number;
  wearCtKwh: number;
  gridChargeAllowed: boolean;
  exportAllowed: boolean;
  /** Modes that the installation can carry out, besides free self-consumption. */
  controls: readonly ControlledMode[];
}

/** Prices of one step of the plan, ct/kWh. */
export interface StepPrice extends Interval {
  /** Market price. */
  priceCtKwh: number;
  /** All-in import price; the market price without a tariff. */
  importCtKwh: number;
  exportCtKwh: number;
  source: PriceOrigin;
}

/** What the next plan depends on of the one before it. */
export type PreviousPlan = Pick<SitePlan, "chargeHours" | "command" | "commandSince" | "scalars">;

/** What the present command depends on of the command before it. */
export interface PreviousCommand {
  command: Command;
  scalars: Pick<PlanScalars, "dischargeReason">;
}

/** The input of a plan as far as the present command depends on it. */
export type CommandInput = Omit<SiteInput, "previous"> & { previous?: PreviousCommand };

/** Share of the wallbox's power that the battery may serve, percent; `auto`: the policy decides as for any other load. */
export type BatterySharePct = number | "auto";

/** The input of a site's plan. `prices`, `loadKwh` and `pvKwh` have one entry per step from `now` on. */
export interface SiteInput {
  siteId: string;
  now: Date;
  zone: string;
  stepMinutes: 60 | 15;
  prices: readonly StepPrice[];
  loadKwh: readonly number[];
  /** Factors on the load of each step by rank, mean 1; an empty or missing row means that the load is certain. */
  loadRatios: readonly (readonly number[])[];
  /** Probabilities of the ranks and how they persist; left out: equally likely, with the usual persistence. */
  loadRanks?: { shares: readonly number[]; persistence: number };
  pvKwh: readonly number[];
  /** Factors on the expected PV; left out: it comes as expected. */
  pvNodes?: PvNodes;
  /** Most that the battery may discharge in a step, kWh, where a wallbox limits it; undefined: no limit. */
  dischargeLimitKwh?: readonly (number | undefined)[];
  battery: BatteryModel;
  grid: { importLimitKw?: number; exportLimitKw?: number; curtailmentAllowed?: boolean };
  /** The price on the month's highest mean import, and whether each step counts; left out: none. */
  peak?: PeakPrice & { counts: readonly boolean[] };
  /** The SOC to plan from; `stale`: carried forward by the previous plan; `lost`: the fail-safe applies. */
  soc: { pct: number; ageMinutes: number; stale?: boolean; lost: boolean };
  /** Current power of the wallbox, and the share of it that the battery may serve. */
  ev: { powerKw: number; batterySharePct: BatterySharePct };
  /** Current load without the vehicle, kW; left out: the plan's expected load. */
  sitePowerKw?: number;
  currentQuartile: 1 | 2 | 3 | 4;
  /** A command in place of the plan's; left out: none. */
  override?: BatteryOverride;
  /** Load less PV, and PV, as measured over the last quarter-hour, kW. */
  netLoadKw?: number;
  pvKw?: number;
  /** The plan before this one: a run in progress keeps its start, and hysteresis applies to its command. */
  previous?: PreviousPlan;
  /** The command of the previous plan stays in force: no new decision is required. */
  keepCommand?: boolean;
}

/** The override as the policy takes it. */
export function forcedMode({ override, battery }: CommandInput): ForcedMode | undefined {
  if (override === undefined) return undefined;
  const { action, until, targetSocPct } = override;
  return {
    mode: action === "hold" && !battery.controls.includes("hold") ? "standby" : action,
    until,
    stopSocKwh: (battery.capacityKwh * targetSocPct) / 100,
  };
}
