import type { FreshnessLimits } from "../core/domain/freshness.js";
import type { LiveState } from "../core/domain/sample.js";
import type { HealthRegistry } from "../core/health-registry.js";
import { batteryHealth } from "./battery-monitors.js";
import { batteryPlans } from "./battery-plans.js";
import { type BatterySocs, batterySocs } from "./battery-socs.js";
import { knownSoc } from "./live-readings.js";
import type { SiteState } from "./replan-rules.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";

interface BatteryPartsOptions {
  telemetry: { live(siteId: string): LiveState };
  freshness: FreshnessLimits;
  components: Pick<HealthRegistry, "report">;
}

/** What the plan service adds for a site with several batteries: their SOC, their parts of the plan, their health. */
export class BatteryParts {
  readonly #options: BatteryPartsOptions;

  constructor(options: BatteryPartsOptions) {
    this.#options = options;
  }

  /** The SOC to plan from: that of the single battery, or of all together; undefined if it is not known. */
  soc(state: SiteState, now: Date): SiteInput["soc"] | undefined {
    const { site, plan } = state;
    if (site.plant.batteries.length > 0) return this.#socs(state, now)?.total;
    return knownSoc(this.#options.telemetry.live(site.id).soc_pct, {
      plan,
      now,
      limits: this.#options.freshness,
    });
  }

  /** The plan with the part of each battery, where the site has several. */
  withParts(state: SiteState, plan: SitePlan): SitePlan {
    const socs = this.#socs(state, plan.issuedAt)?.each;
    if (socs === undefined) return plan;
    const { batteries } = state.site.plant;
    return { ...plan, batteries: batteryPlans(plan, { batteries, socs, previous: state.plan?.batteries }) };
  }

  /** Compares the readings of each battery with its command and reports its health; the plan with what has changed. */
  observe(state: SiteState, now: Date): SitePlan | undefined {
    const { plan, site, monitors } = state;
    if (plan?.batteries === undefined) return undefined;
    const { batteries } = site.plant;
    const { telemetry, freshness: limits, components } = this.#options;
    const socs = this.#socs(state, now)?.each;
    const aged = plan.batteries.map((part) => {
      const soc = socs?.[batteries.findIndex(({ id }) => id === part.id)];
      if (soc === undefined) return part;
      const [socAgeMinutes, socStale] = [soc.ageMinutes, soc.stale ?? false];
      const isSame = socAgeMinutes === part.socAgeMinutes && socStale === part.socStale;
      return isSame ? part : { ...part, socAgeMinutes, socStale };
    });
    const observed = monitors.observe(aged, { batteries, live: telemetry.live(site.id), now, limits });
    for (const part of observed) {
      const { state: level, detail } = batteryHealth(part);
      components.report(`battery ${site.id}/${part.id}`, level, detail, { siteId: site.id });
    }
    const hasChanged = observed.some((part, index) => part !== plan.batteries?.[index]);
    return hasChanged ? { ...plan, batteries: [...observed], material: false } : undefined;
  }

  #socs({ site, plan }: SiteState, now: Date): BatterySocs | undefined {
    const { batteries } = site.plant;
    if (batteries.length === 0) return undefined;
    const { telemetry, freshness: limits } = this.#options;
    return batterySocs(batteries, { live: telemetry.live(site.id), plan, now, limits });
  }
}
