import { defaultSettings } from "../../../src/config/load.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import type { Bus } from "../../../src/core/bus.js";
import type { LiveState } from "../../../src/core/domain/sample.js";
import { silentLog } from "../../../src/core/log.js";
import { PlanService } from "../../../src/plan/service.js";
import type { SitePlan } from "../../../src/plan/site-plan.js";
import { planSources } from "../../plan/plan-sources.js";
import type { ManualClock } from "../../support/manual-clock.js";

const HOUR_MS = 3_600_000;
/** Beyond two days nothing changes what the home does now. */
const HORIZON_HOURS = 48;

/** Price of an hour, EUR/MWh. */
export type PriceAt = (start: Date, now: Date) => number;

export interface SimulatedSite {
  service: PlanService;
  plans: SitePlan[];
  /** Records a state of charge, percent; returns the new plan. */
  measure(socPct: number): SitePlan;
  stop(): Promise<void>;
}

/** The real plan service of the default plant, with prices and readings set by the test. */
export async function startSimulatedSite(options: {
  bus: Bus;
  clock: ManualClock;
  documents: Map<string, unknown>;
  priceAt: PriceAt;
  /** End of the published prices; default: all prices are published. */
  publicUntil?: (now: Date) => number;
}): Promise<SimulatedSite> {
  const { bus, clock, documents, priceAt, publicUntil } = options;
  const live: LiveState = {};
  const plans: SitePlan[] = [];
  bus.on("plan.updated", (plan) => plans.push(plan));
  const service = new PlanService({
    clock,
    bus,
    sites: new SiteRuntimes(bus, [{ id: "home", accountId: "owner", plant: defaultSettings().plants[0]! }]),
    ...planSources(
      (count) => {
        const now = clock.now();
        const first = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
        return Array.from({ length: Math.min(count, HORIZON_HOURS) }, (_, index) => {
          const start = new Date(first + index * HOUR_MS);
          const price = priceAt(start, now);
          const isPublic = start.getTime() < (publicUntil?.(now) ?? Infinity);
          return { start, p10: price, p50: price, p90: price, source: isPublic ? "day_ahead" : "forecast" };
        });
      },
      { telemetry: { live: () => live } },
    ),
    documents: {
      get: async (name) => documents.get(name),
      put: async (name, value) => void documents.set(name, JSON.parse(JSON.stringify(value))),
    },
    components: { report: () => {}, removeSite: () => {} },
    sampledLoads: 1,
    log: silentLog,
  });
  await service.start();
  return {
    service,
    plans,
    measure: (socPct) => {
      const at = clock.now();
      live.soc_pct = { value: socPct, at };
      bus.emit("telemetry.received", { siteId: "home", sample: { at, values: { soc_pct: socPct } } });
      service.settle("home");
      return service.decide("home", {});
    },
    stop: () => service.stop(),
  };
}
