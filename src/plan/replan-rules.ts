import type { Site } from "../config/site.js";
import type { FreshnessLimits } from "../core/domain/freshness.js";
import { floorTo, HOUR_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { LiveState } from "../core/domain/sample.js";
import { BatteryMonitors } from "./battery-monitors.js";
import type { BatteryOverride } from "./battery-override.js";
import { freshBalance } from "./device-power.js";
import { EV_CHARGES_KW } from "./discharge-cap.js";
import type { FollowingMonitor } from "./following.js";
import { plannedSocPct } from "./live-readings.js";
import type { PushedPlan } from "./materiality.js";
import { NetLoadMeter } from "./net-load.js";
import type { PlanOverrides } from "./overrides.js";
import { PolicySolver } from "./policy/policy-solver.js";
import type { SitePlan } from "./site-plan.js";

/** An SOC reading that differs from the expected SOC by less does not change the plan, percent. */
const SOC_REPLAN_PCT = 0.2;
/** The same for the reading that the plan was made with: most sensors count whole percents. */
const SAME_SOC_REPLAN_PCT = 1;
/** A larger difference from the expected SOC requires a new decision, percent. */
const SOC_DECISION_PCT = 2;
/** A larger change of the measured net load requires a new decision, kW. */
const NET_LOAD_THRESHOLD_KW = 0.5;
/** Smaller changes of the cap while the vehicle charges are ignored, kW. */
const EV_LIMIT_THRESHOLD_KW = 0.1;
/** Overrides that are readings of the site as it is; all others describe another site. */
const READINGS: ReadonlySet<string> = new Set(["socPct", "loadPowerKw", "evPowerKw", "pvPowerKw"]);

/** Least time between two writes of plans of a site that are not material, wall clock. */
const SAVE_INTERVAL_MS = HOUR_MS;

/** What the plan service holds of one site. */
export interface SiteState {
  site: Site;
  plan?: SitePlan;
  /** What the user wants instead of the plan; stored. */
  override?: BatteryOverride | undefined;
  /** The last material plan. */
  pushed?: PushedPlan;
  plannedAtMs: number;
  savedAtMs: number;
  /** Set while the next plan waits for the end of the least interval. */
  waiting?: NodeJS.Timeout;
  evCharging: boolean;
  /** Load and the battery's share of the wallbox when the plan was made, kW. */
  evLimitKw: number;
  netLoad: NetLoadMeter;
  following: FollowingMonitor | undefined;
  /** Those of the single batteries, where the site has several. */
  monitors: BatteryMonitors;
  solver: PolicySolver;
  /** When the command was last decided, and for which net load. */
  decided: { atMs: number; netLoadKw: number | undefined };
  /** A new decision is required before the next quarter-hour. */
  decide: boolean;
}

export function initialState(site: Site): SiteState {
  return {
    site,
    plannedAtMs: -Infinity,
    savedAtMs: -Infinity,
    evCharging: false,
    evLimitKw: 0,
    netLoad: new NetLoadMeter(),
    following: undefined,
    monitors: new BatteryMonitors(),
    solver: new PolicySolver(),
    decided: { atMs: -Infinity, netLoadKw: undefined },
    decide: true,
  };
}

/** Takes in the readings of a site; whether they require a new plan. `limitKw` is the present `evLimitKw`. */
export function takeReadings(
  state: SiteState,
  live: LiveState,
  { now, limits, limitKw }: { now: Date; limits: FreshnessLimits; limitKw: number },
): boolean {
  const { plant } = state.site;
  state.netLoad.add(live, now, { limits, plant });
  const evCharging = (freshBalance(plant, live, { now, limits }).vehicleKw ?? 0) > EV_CHARGES_KW;
  const evHasChanged = evCharging !== state.evCharging || evLimitHasChanged(state, limitKw);
  state.evCharging = evCharging;
  return evHasChanged || netLoadHasChanged(state, now) || socHasChanged(state, live, now);
}

/** Whether the command has to be decided again; if not, it stays in force. */
export function needsDecision(state: SiteState, live: LiveState, now: Date): boolean {
  const { decide, decided, plan } = state;
  if (decide || plan === undefined || plan.scalars.dischargeReason === "telemetry_lost") return true;
  if (!isSameStep(decided.atMs, now, QUARTER_MS)) return true;
  const expected = plannedSocPct(plan, now);
  const soc = live.soc_pct;
  if (soc !== undefined && expected !== undefined && Math.abs(soc.value - expected) > SOC_DECISION_PCT)
    return true;
  return netLoadHasChanged(state, now);
}

/** Whether the net load differs from the one that the command was decided for. */
export function netLoadHasChanged({ decided, netLoad }: SiteState, now: Date): boolean {
  const meanKw = netLoad.mean(now)?.netLoadKw;
  return meanKw !== undefined && Math.abs(meanKw - (decided.netLoadKw ?? Infinity)) > NET_LOAD_THRESHOLD_KW;
}

/** Whether the last SOC reading differs from what the plan expects. */
export function socHasChanged({ plan }: SiteState, live: LiveState, now: Date): boolean {
  const last = live.soc_pct;
  if (last === undefined) return false;
  if (plan === undefined || plan.scalars.dischargeReason === "telemetry_lost") return true;
  const expected = plannedSocPct(plan, now);
  const leastPct = last.value === plan.days[0]?.socStartPct ? SAME_SOC_REPLAN_PCT : SOC_REPLAN_PCT;
  return expected === undefined || Math.abs(last.value - expected) > leastPct;
}

/** Whether the cap has to follow load and wallbox while the vehicle charges. */
export function evLimitHasChanged({ plan, evLimitKw }: SiteState, limitKw: number): boolean {
  return (
    plan?.scalars.dischargeReason === "ev_charge_limit" &&
    Math.abs(limitKw - evLimitKw) > EV_LIMIT_THRESHOLD_KW
  );
}

/** Whether the loads sampled for the current plan still apply: they are sampled hourly and for each required decision. */
export function canReuseExpectation({ decide }: SiteState, plan: SitePlan, now: Date): boolean {
  return !decide && isSameStep(plan.expectation.at.getTime(), now, HOUR_MS);
}

/** Whether loads are to be sampled for the next plan. Who has changed the settings of a site sees its new plan at once. */
export function needsSamples(state: SiteState, now: Date): boolean {
  const { plan, plannedAtMs } = state;
  return plan === undefined ? plannedAtMs === -Infinity : !canReuseExpectation(state, plan, now);
}

/**
 * Whether a plan for the quarter-hour in progress is missing. Compared by quarter-hour, because the clock may have been
 * set or a fast replay may have skipped minutes.
 */
export function isNewQuarter({ plan }: Pick<SiteState, "plan">, now: Date): boolean {
  return !isSameStep(plan?.issuedAt.getTime() ?? Number.NaN, now, QUARTER_MS);
}

/** Whether a plan that is not material is due to be written: it has 150 kB, and is only read after a crash. */
export function isSaveDue({ savedAtMs }: Pick<SiteState, "savedAtMs">): boolean {
  return performance.now() - savedAtMs > SAVE_INTERVAL_MS;
}

/** Whether both times lie in the same step of `stepMs` on the UTC grid. */
export function isSameStep(ms: number, now: Date, stepMs: number): boolean {
  return floorTo(ms, stepMs) === floorTo(now.getTime(), stepMs);
}

/** Whether all given values are readings of the site as it is. */
export function describesThisSite(overrides: PlanOverrides): boolean {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return given.every(([name]) => READINGS.has(name));
}

/**
 * Whether the current plan can be the previous plan of a request. Requests about another battery, load or PV, or a very
 * different SOC are planned without hysteresis.
 */
export function canReusePreviousPlan(plan: SitePlan, overrides: PlanOverrides, now: Date): boolean {
  if (!describesThisSite(overrides)) return false;
  if (overrides.socPct === undefined) return true;
  const expected = plannedSocPct(plan, now);
  return expected !== undefined && Math.abs(overrides.socPct - expected) <= SOC_DECISION_PCT;
}
