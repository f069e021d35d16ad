import { defaultSettings } from "../../src/config/load.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { HOUR_MS, hoursOf, type Interval, MINUTE_MS } from "../../src/core/domain/interval.js";
import type { LiveState, Reading } from "../../src/core/domain/sample.js";
import { silentLog } from "../../src/core/log.js";
import type { LoadModel } from "../../src/forecast/load/load-model.js";
import type { ForecastHour } from "../../src/forecast/price/forecast.js";
import type { PlanPool } from "../../src/plan/plan-threads.js";
import { PlanService } from "../../src/plan/service.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { planSources } from "./plan-sources.js";

/** 01:00 in Vienna: low, slowly rising prices until 06:00; high ones in the morning and the evening. */
export const START = new Date("2026-01-15T00:00:00Z");

const priceAt = (start: Date): number =>
  start.getUTCHours() < 5 ? 50 + start.getUTCHours() : start.getUTCHours() % 12 < 8 ? 300 : 150;

function hoursFrom(now: Date, count: number, priceOf = priceAt): ForecastHour[] {
  const first = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, index) => {
    const start = new Date(first + index * HOUR_MS);
    const price = priceOf(start);
    return { start, p10: price, p50: price, p90: price, source: "day_ahead" as const };
  });
}

/** A plan service on a manual clock; the test controls its archive and live state. */
export async function startService({
  clock = manualClock(START),
  documents = new Map<string, unknown>(),
  batterySharePct = 0,
  plant = defaultSettings().plants[0]!,
  priceOf = priceAt,
  ids = ["home"],
  hours = 72,
  log = silentLog,
  sampledLoads = 2,
  planPool = undefined as PlanPool | undefined,
  pvKwAt = undefined as ((at: Date) => number) | undefined,
  devices = { isPlanning: (_siteId: string): boolean => false },
  loads = { model: (_siteId: string): LoadModel | undefined => undefined },
} = {}) {
  const bus = createBus();
  const live: LiveState = {};
  const plans: SitePlan[] = [];
  const reports: string[][] = [];
  bus.on("plan.updated", (plan) => plans.push(plan));
  const sources = planSources((count) => hoursFrom(clock.now(), Math.min(count, hours), priceOf), {
    telemetry: { live: () => live },
    loads,
    ...(pvKwAt !== undefined && {
      pv: {
        energy: (_: string, steps: readonly Interval[]) =>
          steps.map((step) => pvKwAt(step.start) * hoursOf(step)),
        nodes: () => undefined,
      },
    }),
  });
  const sites = new SiteRuntimes(
    bus,
    ids.map((id) => ({ id, accountId: "owner", plant })),
  );
  const service = new PlanService({
    clock,
    bus,
    sites,
    ...sources,
    flex: { ...sources.flex, batterySharePct: () => batterySharePct },
    documents: {
      get: async (name) => documents.get(name),
      put: async (name, value) => void documents.set(name, JSON.parse(JSON.stringify(value))),
    },
    components: { report: (name, state) => void reports.push([name, state]), removeSite: () => {} },
    devices,
    sampledLoads,
    log,
    ...(planPool !== undefined && { planPool }),
  });
  await service.start();
  const report = (reading: Reading, value: number, at = clock.now()) => {
    live[reading] = { value, at };
    bus.emit("telemetry.received", { siteId: "home", sample: { at, values: { [reading]: value } } });
    service.settle("home");
    return service.decide("home", {});
  };
  return { bus, clock, documents, live, plant, service, sites, plans, reports, report };
}

/** Advances minute by minute, as in operation. */
export async function pass(clock: ManualClock, minutes: number) {
  for (let minute = 0; minute < minutes; minute++) await clock.advance(MINUTE_MS);
}
