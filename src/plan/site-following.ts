import type { Bus } from "../core/bus.js";
import type { ActuatorChange } from "../core/domain/actuator.js";
import type { FollowingObstacle } from "../core/domain/battery.js";
import type { FreshnessLimits } from "../core/domain/freshness.js";
import type { LiveState } from "../core/domain/sample.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Clock } from "../core/time/clock.js";
import type { BatteryParts } from "./battery-parts.js";
import { freshBalance } from "./device-power.js";
import { FollowingMonitor } from "./following.js";
import type { SiteState } from "./replan-rules.js";

interface SiteFollowingOptions {
  clock: Clock;
  bus: Bus;
  telemetry: { live(siteId: string): LiveState };
  freshness: FreshnessLimits;
  components: Pick<HealthRegistry, "report">;
  parts: BatteryParts;
}

/** Compares the batteries of a site with their commands; publishes and reports a change. */
export class SiteFollowing {
  readonly #options: SiteFollowingOptions;
  readonly #obstacles = new Map<string, FollowingObstacle>();

  constructor(options: SiteFollowingOptions) {
    this.#options = options;
  }

  /** An actuator says whether it can make its device follow. */
  actuatorChanged({ siteId, controls, obstacle }: ActuatorChange, state: SiteState | undefined): void {
    if (controls !== "battery") return;
    if (obstacle === undefined) this.#obstacles.delete(siteId);
    else this.#obstacles.set(siteId, obstacle);
    if (state !== undefined) this.observe(state, this.#options.clock.now());
  }

  /** Sets the plan of the state if what is observed has changed. */
  observe(state: SiteState, now: Date): void {
    const { bus, parts } = this.#options;
    const plan = parts.observe(state, now);
    if (plan !== undefined) {
      state.plan = plan;
      bus.emit("plan.updated", plan);
    }
    this.#observeBattery(state, now);
  }

  #observeBattery(state: SiteState, now: Date): void {
    const { plan, site } = state;
    const { battery } = site.plant;
    if (plan === undefined || battery === null || battery === undefined) return;
    const { bus, components, telemetry, freshness: limits } = this.#options;
    const { following, followingCause, followingSince } = plan.scalars;
    state.following ??= new FollowingMonitor({
      state: following,
      cause: followingCause,
      since: followingSince,
    });
    const live = telemetry.live(site.id);
    const { pvKw, loadKw } = freshBalance(site.plant, live, { now, limits });
    const observed = state.following.observe({
      now,
      plan,
      live,
      surplusKw: pvKw === undefined || loadKw === undefined ? undefined : pvKw - loadKw,
      battery: {
        capacityKwh: battery.capacity_kwh,
        minSocPct: battery.min_soc_pct,
        maxSocPct: battery.max_soc_pct,
      },
      limits,
      obstacle: this.#obstacles.get(site.id),
    });
    if (observed.state === following && observed.cause === followingCause) return;
    const scalars = {
      ...plan.scalars,
      following: observed.state,
      followingCause: observed.cause,
      followingSince: observed.since,
    };
    state.plan = { ...plan, scalars, material: false };
    const isFailing = observed.state === "no";
    components.report(
      `battery ${site.id}`,
      isFailing ? "degraded" : "ok",
      [isFailing ? { code: "battery_not_following", cause: observed.cause } : { code: "battery_following" }],
      { siteId: site.id },
    );
    bus.emit("following.changed", { siteId: site.id, state: observed.state, cause: observed.cause });
    bus.emit("plan.updated", state.plan);
  }
}
