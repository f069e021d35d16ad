import type { BatteryMode } from "../core/domain/battery.js";
import type { Interval } from "../core/domain/interval.js";
import type { BatteryScalars, PlanScalars } from "../core/domain/plan-field-lists.js";
import type { PriceOrigin } from "../core/domain/price.js";
import type { BatteryOverride } from "./battery-override.js";
import type { Action, StepReason } from "./explain.js";
import type { Command } from "./policy/policy-input.js";

/** What a site lacks for a plan. */
export type Missing = "battery" | "prices" | "soc";

/** A merged run of steps with a grid-fed charge. */
export interface ChargeRun extends Interval {
  energyKwh: number;
  powerKw: number;
  priceCtKwh: number;
  totalCtKwh: number;
  prefix: boolean;
  /** All prices of the run are forecasts; it never sets charge_now. */
  provisional: boolean;
  reason: StepReason;
}

/** One elapsed hour of the schedule (the first may be shorter); energies on the AC side, kWh. */
export interface PlanHour extends Interval {
  priceCtKwh: number;
  totalCtKwh: number;
  source: PriceOrigin;
  loadKwh: number;
  pvKwh: number;
  chargeKwh: number;
  dischargeKwh: number;
  importKwh: number;
  exportKwh: number;
  socEndPct: number;
  /** SOC at the end: 10th and 90th percentile of the sampled loads. */
  socP10Pct: number;
  socP90Pct: number;
  mode: BatteryMode;
  action: Action;
  reason: StepReason;
}

/** One local day of the plan. */
export interface PlanDay {
  date: string;
  hoursNeeded: number;
  energyChargeKwh: number;
  loadKwh: number;
  pvKwh: number;
  importKwh: number;
  exportKwh: number;
  socStartPct: number;
  socEndPct: number;
  socMinPct: number;
  /** Energy and grid for all planned load, less feed-in. */
  costEur: number;
  /** The same with the battery uncontrolled, with the same energy stored at the end: `costEur` and the saving of the day. */
  baselineCostEur: number;
  cover: "satisfied" | "unsatisfied";
  hours: PlanHour[];
}

/** The part of one of several batteries in the plan of its site; the scalars are those of the site, for this battery. */
export interface BatteryPlan extends BatteryScalars {
  id: string;
  label: string;
  socPct: number;
  /** Since when the battery has its command; small changes of its power do not count. */
  commandSince: Date;
  /** Expected SOC at the end of each step of the plan, percent. */
  socEndPct: number[];
}

/** One step of the schedule, as the next plan and the SOC estimate need it. */
export interface PlanStep extends Interval {
  action: Action;
  /** Why; of the steps that can be the present one before the next plan. */
  reason?: StepReason;
  socEndPct: number;
  socP10Pct: number;
  socP90Pct: number;
}

/** Expected results of the policy over the horizon; EUR, for all planned load, without fixed amounts. */
export interface PlanExpectation {
  /** When the loads were sampled: hourly, and with each required decision. */
  at: Date;
  /** The sum of the days' `costEur`. */
  costEur: number;
  /** 10th and 90th percentile of the cost. */
  costP10Eur: number;
  costP90Eur: number;
  /** Saving against the same battery uncontrolled; stored energy left at the end counts on both sides. */
  savingEur: number;
  /** Part of the saving expected within the next 24 hours. */
  savingDayEur: number;
  /** The saving by local day, YYYY-MM-DD. */
  savingByDay: Readonly<Record<string, number>>;
}

/** A site's plan: the content of hours-demand answers, MQTT topics and webhooks. */
export interface SitePlan {
  siteId: string;
  issuedAt: Date;
  scalars: PlanScalars;
  chargeHours: ChargeRun[];
  chargeHoursToday: Interval[];
  days: PlanDay[];
  steps: PlanStep[];
  /** The parts of the single batteries, where the site has several with an id. */
  batteries?: BatteryPlan[];
  /** The command in force, and since when. */
  command: Command;
  commandSince: Date;
  /** The override in force; left out: none. */
  override?: BatteryOverride;
  expectation: PlanExpectation;
  /** `expectation.savingEur`: what the days' `baselineCostEur` is above their `costEur`. */
  savingsEur: number;
  /** Expected worth of the energy that the plan leaves in the battery beyond the baseline. */
  savingsStoredEur: number;
  horizonBinding: boolean;
  solver: { objectiveEur: number; boundEur: number; ms: number };
  /** Whether a consumer has to act on the change since the last material plan (docs/spec/webhooks.md section 6). */
  material: boolean;
}

declare module "../core/bus.js" {
  interface Events {
    /** Emitted for each new plan of a site; `material` is true if it requires action. */
    "plan.updated": [SitePlan];
  }
}
