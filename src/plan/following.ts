import type { FollowingCause, FollowingObstacle, FollowingState } from "../core/domain/battery.js";
import { type FreshnessLimits, freshness } from "../core/domain/freshness.js";
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import type { LiveState } from "../core/domain/sample.js";
import type { SitePlan } from "./site-plan.js";

/** Time that the inverter has to carry out a new command. */
const SETTLING_MS = 5 * MINUTE_MS;
/** A deviation counts once it has lasted this long. */
const LASTING_MS = 2 * MINUTE_MS;
/** Deviations of at most this share of the commanded power, or this power, are tolerated. */
const TOLERANCE_SHARE = 0.15;
const TOLERANCE_KW = 0.2;
/** Near the ends of the band an inverter may reduce its power, percent. */
const BAND_EDGE_PCT = 1;
/** Resolution of an SOC reading, percent. */
const SOC_RESOLUTION_PCT = 1;

export interface Following {
  state: FollowingState;
  cause: FollowingCause;
  since: Date;
}

/** The data of the battery that the comparison needs. */
interface FollowedBattery {
  capacityKwh: number;
  minSocPct: number;
  maxSocPct: number;
}

/** The command of a plan as far as the comparison needs it. */
export interface FollowedCommand {
  commandSince: Date;
  command: Pick<SitePlan["command"], "mode" | "chargePowerKw" | "dischargeCapKw">;
  scalars: Pick<SitePlan["scalars"], "chargeStopSocPct" | "dischargePowerKw" | "chargeCapKw">;
}

interface Observation {
  now: Date;
  plan: FollowedCommand;
  live: Pick<LiveState, "soc_pct" | "battery_power_kw">;
  /** PV power less the load, kW, where both are known. */
  surplusKw?: number | undefined;
  battery: FollowedBattery;
  limits: FreshnessLimits;
  /** Why what switches the battery cannot make it follow. */
  obstacle?: FollowingObstacle | undefined;
}

/** Compares the measured power of a battery, or the trend of its SOC, with the command of its plan. */
export class FollowingMonitor {
  #following: Following;
  #deviatesSinceMs = Number.NaN;
  /** First SOC after the command became effective. */
  #mark: { value: number; at: Date; commandSinceMs: number } | undefined;

  constructor(start: Following) {
    this.#following = start;
  }

  /** State after an observation. It does not change while a new command takes effect or a deviation is still short. */
  observe(observation: Observation): Following {
    const { now, plan, obstacle } = observation;
    if (obstacle !== undefined) return this.#set("no", obstacle, now);
    if (isObstacle(this.#following.cause)) this.#set("unknown", "command_changed", now);
    const effectiveMs = plan.commandSince.getTime() + SETTLING_MS;
    if (now.getTime() < effectiveMs) {
      this.#deviatesSinceMs = Number.NaN;
      return this.#following;
    }
    const power = this.#power(observation, effectiveMs);
    if (power === undefined) return this.#set("unknown", "no_telemetry", now);
    const cause = deviation(observation, power);
    if (cause === undefined) {
      this.#deviatesSinceMs = Number.NaN;
      return this.#set("yes", "none", now);
    }
    if (Number.isNaN(this.#deviatesSinceMs)) this.#deviatesSinceMs = now.getTime();
    return now.getTime() - this.#deviatesSinceMs < LASTING_MS ? this.#following : this.#set("no", cause, now);
  }

  #set(state: FollowingState, cause: FollowingCause, now: Date): Following {
    const before = this.#following;
    if (before.state === state && before.cause === cause) return before;
    this.#following = { state, cause, since: before.state === state ? before.since : now };
    return this.#following;
  }

  /** Power into the battery, kW, and its uncertainty; undefined without a reading that shows it. */
  #power({ now, plan, live, battery, limits }: Observation, effectiveMs: number) {
    const measured = live.battery_power_kw;
    if (measured !== undefined && measured.at.getTime() >= effectiveMs && isFresh(measured.at, now, limits))
      return { kw: measured.value, uncertaintyKw: 0 };
    const soc = live.soc_pct;
    if (soc === undefined || soc.at.getTime() < effectiveMs || !isFresh(soc.at, now, limits))
      return undefined;
    const commandSinceMs = plan.commandSince.getTime();
    if (this.#mark?.commandSinceMs !== commandSinceMs) this.#mark = { ...soc, commandSinceMs };
    const hours = (soc.at.getTime() - this.#mark.at.getTime()) / HOUR_MS;
    if (hours * HOUR_MS < QUARTER_MS) return undefined;
    const kwh = (pct: number) => (battery.capacityKwh * pct) / 100;
    return {
      kw: kwh(soc.value - this.#mark.value) / hours,
      uncertaintyKw: kwh(SOC_RESOLUTION_PCT) / hours,
    };
  }
}

function isObstacle(cause: FollowingCause): cause is FollowingObstacle {
  return cause === "external" || cause === "offline" || cause === "declined";
}

function isFresh(at: Date, now: Date, limits: FreshnessLimits): boolean {
  return freshness(at, now, limits) === "fresh";
}

/** The cause of a deviation; undefined while the power matches the command. */
function deviation(
  { plan, live, battery, surplusKw: surplus }: Observation,
  { kw, uncertaintyKw }: { kw: number; uncertaintyKw: number },
): FollowingCause | undefined {
  const { command, scalars } = plan;
  const socPct = live.soc_pct?.value;
  const tolerance = (expectedKw: number) =>
    Math.max(TOLERANCE_KW, TOLERANCE_SHARE * Math.abs(expectedKw)) + uncertaintyKw;
  const isEmpty = socPct !== undefined && socPct <= battery.minSocPct + BAND_EDGE_PCT;
  if (command.mode === "charge") {
    const stopPct = Math.min(battery.maxSocPct, scalars.chargeStopSocPct);
    const isDone = socPct !== undefined && socPct >= stopPct - BAND_EDGE_PCT;
    const isLow = kw < command.chargePowerKw - tolerance(command.chargePowerKw);
    return isLow && !isDone ? "not_charging" : undefined;
  }
  if (command.mode === "discharge") {
    const isLow = -kw < command.dischargeCapKw - tolerance(command.dischargeCapKw);
    return isLow && !isEmpty ? "not_discharging" : undefined;
  }
  const capKw = scalars.dischargePowerKw;
  if (-kw > capKw + tolerance(capKw)) return "discharges_despite_cap";
  if (kw > scalars.chargeCapKw + tolerance(scalars.chargeCapKw)) return "charges_despite_cap";
  if (surplus === undefined) return undefined;
  const surplusKw = Math.max(0, surplus);
  return kw > surplusKw + tolerance(surplusKw) + TOLERANCE_KW ? "charges_from_grid" : undefined;
}
