import { statfs } from "node:fs/promises";
import type { SiteParts, SiteRuntimes } from "../../config/site-runtimes.js";
import { type Bus, subscribe } from "../../core/bus.js";
import { HOUR_MS, hourOf } from "../../core/domain/interval.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import type { AnsweredRequest } from "../../edges/http/request-logging.js";
import type { PriceService } from "../../forecast/market/price-service.js";
import { coveredUntil } from "../../forecast/market/publication.js";
import type { ForecastService } from "../../forecast/price/service.js";
import type { PlanService } from "../../plan/service.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { TelemetryService } from "../../telemetry/service.js";
import { createInstruments, type Instruments } from "./instruments.js";

interface ResourceUsage {
  resource: string;
  used: number;
  limit: number;
  /** Requests refused since the start because of the limit. */
  refused: number;
}

export interface MetricsOptions {
  version: string;
  clock: Clock;
  bus: Bus;
  components: Pick<HealthRegistry, "list">;
  sites: SiteRuntimes;
  forecast: Pick<ForecastService, "current">;
  prices: Pick<PriceService, "published">;
  plans: Pick<PlanService, "current">;
  telemetry: Pick<TelemetryService, "live" | "leftOut">;
  /** Savings of a site today and this month, EUR; undefined or null while they are not known. */
  savings: { now(siteId: string): { todayEur: number | null; monthEur: number | null } | undefined };
  actuators: { list(siteId: string): readonly CountedActuator[] };
  devices: { list(siteId: string): readonly CountedDevice[] };
  /** The latest deliveries of the webhook of a site, newest first. */
  webhooks: { deliveries(siteId: string): readonly CountedDelivery[] };
  usage: Readonly<Record<"mqtt" | "http", () => readonly ResourceUsage[]>>;
  dataFolder: string;
  /** Paths with routers of their own; see `routeLabel`. */
  areas: readonly string[];
}

/** What is counted of an actuator. */
export interface CountedActuator {
  id: string;
  wanted: { state: string } | null;
  confirmed: { state: string } | null;
  lastError: { at: Date } | null;
  writesToday: number;
}

/** What is counted of a device that is read. */
export interface CountedDevice {
  id: string;
  counts: { reads: number; failures: number; implausible: number };
  durationMs: number;
  bytes: number;
}

interface SiteCounts {
  siteId: string;
  /** Figures of the actuators at their last event. */
  actuators: Map<string, { writesToday: number; failedAt: number }>;
  /** Figures of the devices at their last reading. */
  devices: Map<string, CountedDevice["counts"]>;
  /** The last counted solver result: the object is unchanged while only the countdown of a plan advances. */
  solver?: SitePlan["solver"];
  delivery?: CountedDelivery | undefined;
}

const STATES = { ok: 0, degraded: 1, down: 2 } as const;

/**
 * Metrics for Prometheus. Events are counted when they occur on the bus; states are read when the metrics are requested.
 * Labels are plant ids, component names and route patterns; they contain no secrets and no personal data.
 */
export class Metrics {
  readonly #options: MetricsOptions;
  readonly #instruments: Instruments;
  readonly #sites: SiteParts<SiteCounts>;
  readonly #stops: Cancel[] = [];

  constructor(options: MetricsOptions) {
    this.#options = options;
    this.#instruments = createInstruments();
    this.#sites = options.sites.parts({
      create: ({ site }): SiteCounts => ({ siteId: site.id, actuators: new Map(), devices: new Map() }),
      remove: ({ siteId }) => this.#forget(siteId),
    });
  }

  /** Counts from now on; deliveries of before are not counted. */
  async start(): Promise<void> {
    const { bus, version, webhooks } = this.#options;
    const { info, samples } = this.#instruments;
    info.set({ version, node: process.versions.node }, 1);
    for (const counts of this.#sites) counts.delivery = webhooks.deliveries(counts.siteId)[0];
    this.#stops.push(
      subscribe(bus, {
        "forecast.updated": ({ trigger }) => this.#instruments.forecastRuns.inc({ trigger }),
        "plan.updated": (plan) => this.#onPlan(plan),
        "telemetry.stored": (stored) => samples.inc({ site: stored.siteId }, stored.samples.length),
        "actuator.changed": ({ siteId, id }) => this.#onActuator(siteId, id),
        "device.read": ({ siteId, id }) => this.#onDevice(siteId, id),
      }),
    );
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#instruments.registry.clear();
  }

  observe(request: AnsweredRequest): void {
    const route = routeLabel(request, this.#options.areas);
    const { requests, requestSeconds } = this.#instruments;
    requests.inc({ method: methodLabel(request.method), route, status: statusLabel(request.status) });
    requestSeconds.observe({ route }, request.seconds);
  }

  /** Content type of `text`. */
  get contentType(): string {
    return this.#instruments.registry.contentType;
  }

  /** Everything in the text format of Prometheus, with the states as of now. */
  async text(): Promise<string> {
    this.#lookUp();
    await this.#measureDisk();
    return this.#instruments.registry.metrics();
  }

  #onActuator(site: string, id: string): void {
    const counted = this.#sites.get(site)?.actuators;
    const current = this.#options.actuators.list(site).find((one) => one.id === id);
    if (current === undefined || counted === undefined) {
      counted?.delete(id);
      return;
    }
    const { writesToday, lastError } = current;
    const before = counted.get(id);
    const failedAt = lastError?.at.getTime() ?? before?.failedAt ?? 0;
    counted.set(id, { writesToday, failedAt });
    const labels = { site, actuator: id };
    // The commands before the start are not counted; the count begins anew each day.
    const added = before === undefined ? 0 : writesToday - before.writesToday;
    this.#instruments.actuatorWrites.inc(labels, added < 0 ? writesToday : added);
    this.#instruments.actuatorFailures.inc(
      labels,
      before !== undefined && failedAt > before.failedAt ? 1 : 0,
    );
  }

  #onDevice(site: string, id: string): void {
    const counted = this.#sites.get(site)?.devices;
    const current = this.#options.devices.list(site).find((one) => one.id === id);
    if (current === undefined || counted === undefined) {
      counted?.delete(id);
      return;
    }
    const { counts, durationMs, bytes } = current;
    const before = counted.get(id);
    counted.set(id, { ...counts });
    const labels = { site, device: id };
    const { deviceReads, deviceFailures, deviceImplausible, deviceSeconds, deviceBytes } = this.#instruments;
    // A device whose settings have changed counts from 0.
    const added = (name: keyof CountedDevice["counts"]) =>
      Math.max(0, counts[name] - (before !== undefined && before.reads <= counts.reads ? before[name] : 0));
    deviceReads.inc(labels, added("reads"));
    deviceFailures.inc(labels, added("failures"));
    deviceImplausible.inc(labels, added("implausible"));
    deviceSeconds.set(labels, durationMs / 1000);
    deviceBytes.set(labels, bytes);
  }

  #onPlan({ siteId, solver, material }: SitePlan): void {
    const counts = this.#sites.get(siteId);
    if (counts === undefined || counts.solver === solver) return;
    counts.solver = solver;
    this.#instruments.plans.inc({ site: siteId, material: String(material) });
    this.#instruments.solveSeconds.observe(solver.ms / 1000);
  }

  #lookUp(): void {
    const { actuators, clock, components, forecast, plans, prices, savings, telemetry, webhooks } =
      this.#options;
    const instruments = this.#instruments;
    const now = clock.now();
    const secondsSince = (at: Date) => (now.getTime() - at.getTime()) / 1000;
    instruments.component.reset();
    for (const { name, state } of components.list())
      instruments.component.set({ component: name }, STATES[state]);
    for (const of of ["mqtt", "http"] as const)
      for (const { resource, used, limit, refused } of this.#options.usage[of]()) {
        instruments[of].used.set({ resource }, used);
        instruments[of].limit.set({ resource }, limit);
        instruments[of].refused.set({ resource }, refused);
      }
    const run = forecast.current();
    instruments.ready.set(run === undefined ? 0 : 1);
    instruments.forecastAge.set(run === undefined ? Number.NaN : secondsSince(run.issuedAt));
    const horizonMs = coveredUntil(prices.published(), now).getTime() - hourOf(now).getTime();
    instruments.priceHorizon.set(horizonMs / HOUR_MS);
    // A plant that has no plan or no reading any more must not keep the age of the last one.
    instruments.planAge.reset();
    instruments.socAge.reset();
    instruments.leftOut.reset();
    instruments.savings.reset();
    instruments.actuatorConfirmed.reset();
    for (const counts of this.#sites) {
      const { siteId: site } = counts;
      const plan = plans.current(site);
      if (plan !== undefined) instruments.planAge.set({ site }, secondsSince(plan.issuedAt));
      const readAt = telemetry.live(site).soc_pct?.at;
      if (readAt !== undefined) instruments.socAge.set({ site }, secondsSince(readAt));
      instruments.leftOut.set({ site }, telemetry.leftOut(site).count);
      const { todayEur = null, monthEur = null } = savings.now(site) ?? {};
      if (todayEur !== null) instruments.savings.set({ site, period: "today" }, todayEur);
      if (monthEur !== null) instruments.savings.set({ site, period: "month" }, monthEur);
      for (const { id, wanted, confirmed } of actuators.list(site))
        instruments.actuatorConfirmed.set(
          { site, actuator: id },
          confirmed !== null && confirmed.state === wanted?.state ? 1 : 0,
        );
      for (const { error } of newDeliveries(counts, webhooks.deliveries(site)))
        instruments.deliveries.inc({ site, outcome: error?.code ?? "delivered" });
    }
  }

  async #measureDisk(): Promise<void> {
    const free = await statfs(this.#options.dataFolder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => Number.NaN,
    );
    this.#instruments.diskFree.set(free);
  }

  /** Nothing of a plant that is no longer served is shown. */
  #forget(site: string): void {
    const { samples, plans, deliveries } = this.#instruments;
    samples.remove({ site });
    for (const material of ["true", "false"]) plans.remove({ site, material });
    void deliveries.get().then(({ values }) => {
      for (const { labels } of values) if (labels.site === site) deliveries.remove(labels);
    });
  }
}

/** The counted parts of a webhook delivery: time and outcome. */
interface CountedDelivery {
  error: { code: string } | null;
}

/**
 * The deliveries of a webhook since the last call, from its history (the last 50, newest first). Exact unless a webhook has more
 * than 50 between two calls.
 */
function newDeliveries(
  counts: SiteCounts,
  deliveries: readonly CountedDelivery[],
): readonly CountedDelivery[] {
  const known = counts.delivery === undefined ? -1 : deliveries.indexOf(counts.delivery);
  counts.delivery = deliveries[0];
  return known < 0 ? deliveries : deliveries.slice(0, known);
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The method as a label; unknown methods share one label. */
function methodLabel(method: string): string {
  return METHODS.has(method) ? method : "other";
}

/** `2xx` and so on; `gone` if the client disconnected before the end of the response. */
function statusLabel(status: number | undefined): string {
  return status === undefined ? "gone" : `${Math.floor(status / 100)}xx`;
}

/**
 * The route of a request: its pattern, else which of the `areas` its path lies in (parts of the gateway that find
 * their pages themselves), else `other`. Never the path: it may contain a secret, and the number of paths is unbounded.
 */
function routeLabel({ path, pattern }: AnsweredRequest, areas: readonly string[]): string {
  if (pattern !== undefined) return pattern;
  return areas.find((area) => path === area || path.startsWith(`${area}/`)) ?? "other";
}
