import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import { floorTo, MINUTE_MS } from "../../core/domain/interval.js";
import { FormBody } from "../form-body.js";
import { tryForm } from "./take-override.js";

type RunServices = Pick<Services, "clock" | "flex" | "plans" | "devicePlans">;

/** How long a cost is shown before it is computed again. */
const KEPT_MS = 5 * MINUTE_MS;

/** What a run of each device from now on would cost, for the buttons; computed every five minutes and with each plan. */
export class RunCosts {
  readonly #services: RunServices;
  readonly #cache = new WeakMap<Site, { key: string; costs: ReadonlyMap<number, number> }>();

  constructor(services: RunServices) {
    this.#services = services;
  }

  /** Amounts in EUR by the number of the slot; a device whose power is not known has none. */
  async of(site: Site): Promise<ReadonlyMap<number, number>> {
    const { clock, flex, plans } = this.#services;
    const issuedMs = plans.current(site.id)?.issuedAt.getTime() ?? 0;
    const key = `${floorTo(clock.now().getTime(), KEPT_MS)} ${issuedMs}`;
    const cached = this.#cache.get(site);
    if (cached?.key === key) return cached.costs;
    const costs = new Map<number, number>();
    for (const { slot } of flex.current(site.id)) {
      const form = new FormBody(new URLSearchParams({ slot: String(slot), override: "run" }));
      const found = await tryForm(this.#services, site, form);
      if (typeof found !== "object" || found.slot === "battery" || found.tried.cost === undefined) continue;
      costs.set(slot, found.tried.cost.override.costEur);
    }
    this.#cache.set(site, { key, costs });
    return costs;
  }
}
