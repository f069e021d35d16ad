import type { NamedBatterySettings } from "../config/settings.js";
import type { ComponentSentence } from "../core/domain/component-sentence.js";
import type { FreshnessLimits } from "../core/domain/freshness.js";
import { type LiveState, readingOfBattery } from "../core/domain/sample.js";
import { type FollowedCommand, FollowingMonitor } from "./following.js";
import type { BatteryPlan } from "./site-plan.js";

/** Compares the readings of each of several batteries with its command. */
export class BatteryMonitors {
  readonly #monitors = new Map<string, FollowingMonitor>();

  /** The parts with what is observed of each battery; the same array if nothing has changed. */
  observe(
    parts: readonly BatteryPlan[],
    {
      batteries,
      live,
      now,
      limits,
    }: { batteries: readonly NamedBatterySettings[]; live: LiveState; now: Date; limits: FreshnessLimits },
  ): readonly BatteryPlan[] {
    let hasChanged = false;
    const observed = parts.map((part) => {
      const settings = batteries.find(({ id }) => id === part.id);
      if (settings === undefined) return part;
      const soc = live[readingOfBattery(part.id, "soc_pct")];
      const power = live[readingOfBattery(part.id, "power_kw")];
      const { state, cause, since } = this.#monitorOf(part).observe({
        now,
        plan: commandOf(part),
        live: {
          ...(soc !== undefined && { soc_pct: soc }),
          ...(power !== undefined && { battery_power_kw: power }),
        },
        battery: {
          capacityKwh: settings.capacity_kwh,
          minSocPct: settings.min_soc_pct,
          maxSocPct: settings.max_soc_pct,
        },
        limits,
      });
      if (state === part.following && cause === part.followingCause) return part;
      hasChanged = true;
      return { ...part, following: state, followingCause: cause, followingSince: since };
    });
    return hasChanged ? observed : parts;
  }

  #monitorOf({ id, following: state, followingCause: cause, followingSince: since }: BatteryPlan) {
    const monitor = this.#monitors.get(id) ?? new FollowingMonitor({ state, cause, since });
    this.#monitors.set(id, monitor);
    return monitor;
  }
}

function commandOf(part: BatteryPlan): FollowedCommand {
  const { commandSince, chargePowerKw, chargeStopSocPct, dischargePowerKw, chargeCapKw, dischargeSetKw } =
    part;
  const mode = part.chargeNow === 1 ? "charge" : dischargeSetKw > 0 ? "discharge" : "free";
  return {
    commandSince,
    command: {
      mode,
      chargePowerKw,
      dischargeCapKw: mode === "discharge" ? dischargeSetKw : dischargePowerKw,
    },
    scalars: { chargeStopSocPct, dischargePowerKw, chargeCapKw },
  };
}

/** What the component of a battery reports. */
export function batteryHealth({ socStale, following, followingCause }: BatteryPlan): {
  state: "ok" | "degraded";
  detail: ComponentSentence[];
} {
  if (socStale) return { state: "degraded", detail: [{ code: "battery_soc_stale" }] };
  if (following === "no")
    return { state: "degraded", detail: [{ code: "battery_not_following", cause: followingCause }] };
  return { state: "ok", detail: following === "yes" ? [{ code: "battery_following" }] : [] };
}
