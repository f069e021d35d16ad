import { setImmediate as nextTurn } from "node:timers/promises";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import { floorTo, MINUTE_MS } from "../../core/domain/interval.js";
import { FormBody } from "../form-body.js";
import { batteryActions } from "./override-forms.js";
import { tryForm } from "./take-override.js";
import type { OverrideCosts } from "./view.js";

type RunServices = Pick<Services, "clock" | "flex" | "plans" | "devicePlans">;

/** How long a cost is shown before it is computed again. */
const KEPT_MS = 5 * MINUTE_MS;

/** What the overrides by one tap would cost, for the buttons; computed every five minutes and with each plan. */
export class RunCosts {
  readonly #services: RunServices;
  readonly #cache = new WeakMap<Site, { key: string; costs: Promise<OverrideCosts> }>();

  constructor(services: RunServices) {
    this.#services = services;
  }

  of(site: Site): Promise<OverrideCosts> {
    const { clock, plans } = this.#services;
    const issuedMs = plans.current(site.id)?.issuedAt.getTime() ?? 0;
    const key = `${floorTo(clock.now().getTime(), KEPT_MS)} ${issuedMs}`;
    const cached = this.#cache.get(site);
    if (cached?.key === key) return cached.costs;
    const costs = this.#compute(site);
    this.#cache.set(site, { key, costs });
    costs.catch(() => this.#cache.delete(site));
    return costs;
  }

  async #compute(site: Site): Promise<OverrideCosts> {
    const costs = new Map<number | "charge" | "hold", number>();
    for (const { slot } of this.#services.flex.current(site.id)) {
      const shown = await this.#try(site, String(slot), "run");
      if (shown === undefined || shown.slot === "battery" || shown.tried.cost === undefined) continue;
      costs.set(slot, shown.tried.cost.override.costEur);
    }
    for (const action of batteryActions(site)) {
      // Each computes plans, which block the event loop.
      await nextTurn();
      const shown = await this.#try(site, "battery", action);
      if (shown?.slot === "battery" && shown.moreEur !== undefined) costs.set(action, shown.moreEur);
    }
    return costs;
  }

  async #try(site: Site, slot: string, override: string) {
    const found = await tryForm(this.#services, site, new FormBody(new URLSearchParams({ slot, override })));
    return typeof found === "object" ? found : undefined;
  }
}
