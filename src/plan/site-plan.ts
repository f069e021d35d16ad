import type { BatteryMode } from "../domain/battery-mode.js";
import type { ChargeCapReason, DischargeReason } from "../domain/cap-reasons.js";
import type { FollowingCause, FollowingState } from "../domain/following.js";
import type { Interval } from "../domain/interval.js";
import type { PriceOrigin } from "../domain/price.js";
import type { Quartile } from "../domain/signal.js";
import type { Action, StepReason } from "./explain.js";
import type { Command } from "./policy/policy-input.js";

/** The scalars of the plan_updated payload (docs/spec/webhooks.md section 5) and of the hours-demand answer. */
export interface PlanScalars {
  hoursNeeded: number;
  hoursNeededToday: number;
  energyChargeKwh: number;
  prefixHoursNeededToday: number;
  prefixPeriodHoursToday: number;
  prefixEnergyChargeKwh: number;
  chargeNow: 0 | 1;
  chargeStopSocPct: number;
  dischargePowerKw: number;
  dischargeReason: DischargeReason;
  adaptiveDischarge: boolean;
  minSocPct: number;
  chargePowerKw: number;
  gridChargeAllowed: boolean;
  /** O14: PV surplus is stored with at most this power. */
  chargeCapKw: number;
  chargeCapReason: ChargeCapReason;
  /** O15: feed-in above this power is curtailed; null: no limit. */
  feedInLimitKw: number | null;
  /** O16: power given into the site and the grid; 0 while the battery only serves the load. */
  dischargeSetKw: number;
  following: FollowingState;
  followingCause: FollowingCause;
  /** Since when `following` is what it is. */
  followingSince: Date;
  planHash: string;
  /** How old the SOC is that the plan stands on; minutes. */
  socAgeMinutes: number;
  /** The SOC is too old to be taken as it is: it was carried forward, or is of no use any more. */
  socStale: boolean;
  /** O6: minutes to the next charge start, 0 while charging, -1 when none. */
  minutesToChargeStart: number;
  /** O7. */
  currentQuartile: Quartile;
  /** O8: all-in where a tariff is known. */
  currentPriceCtKwh: number;
}

/** A merged run of steps with a grid-fed charge. */
export interface ChargeRun extends Interval {
  energyKwh: number;
  powerKw: number;
  priceCtKwh: number;
  totalCtKwh: number;
  prefix: boolean;
  /** The run rests on forecast prices alone; it never sets charge_now. */
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
  /** SOC at the end that one sampled load in ten stays below, and that one in ten exceeds. */
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
  costEur: number;
  baselineCostEur: number;
  cover: "satisfied" | "unsatisfied";
  hours: PlanHour[];
}

/** One step of the schedule, as the next plan and the SOC estimate need it. */
export interface PlanStep extends Interval {
  action: Action;
  socEndPct: number;
  socP10Pct: number;
  socP90Pct: number;
}

/** What the policy promises over the horizon, from sampled loads; EUR. */
export interface PlanExpectation {
  /** When the loads were sampled: hourly, and when anything but a reading changes. */
  at: Date;
  costEur: number;
  /** Cost that one sample in ten stays below, and that one in ten exceeds. */
  costP10Eur: number;
  costP90Eur: number;
  /** Against the same battery uncontrolled; energy left at the end counts on both sides. */
  savingEur: number;
  /** The part of the saving that is expected within the next 24 hours. */
  savingDayEur: number;
}

/** A site's plan: what hours-demand answers and what the mirror publishes. */
export interface SitePlan {
  siteId: string;
  issuedAt: Date;
  scalars: PlanScalars;
  chargeHours: ChargeRun[];
  chargeHoursToday: Interval[];
  days: PlanDay[];
  steps: PlanStep[];
  /** The command in force, and since when. */
  command: Command;
  commandSince: Date;
  expectation: PlanExpectation;
  savingsEur: number;
  /** What it leaves in the battery at the end more than the baseline does, at its expected worth; not money yet. */
  savingsStoredEur: number;
  horizonBinding: boolean;
  solver: { objectiveEur: number; boundEur: number; ms: number };
  /** Whether it differs from the last one so that somebody must act (docs/spec/webhooks.md section 6). */
  material: boolean;
}
