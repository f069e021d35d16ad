import type { Site, Sites } from "../accounts/sites.js";
import { type Bus, subscribe } from "../bus.js";
import { type EventSite, forecastUpdatedDocument } from "../documents/forecast-updated.js";
import { planUpdatedDocument } from "../documents/plan-updated.js";
import type { ForecastRun } from "../forecast/forecast.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import type { SitePlan } from "../plan/site-plan.js";
import type { DocumentArchive } from "../store/archive.js";
import type { StateFile } from "../store/state.js";
import type { Cancel, Clock } from "../time/clock.js";
import { formatIso, VIENNA } from "../time/zone.js";
import { WebhookDispatcher } from "./dispatcher.js";
import { type Delivery, DeliveryHistory } from "./history.js";
import { WebhookInputError } from "./input-error.js";
import { checkReceiverName, parseReceiverUrl } from "./receiver-url.js";
import { WebhookRegistry } from "./registrations.js";
import { type Resolve, systemResolve } from "./resolve.js";
import { Sender } from "./sender.js";

/** How long a registration waits for its name to be resolved. */
const RESOLVE_MS = 3000;
export interface WebhooksOptions {
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  state: StateFile;
  documents: DocumentArchive;
  sites: Pick<Sites, "get">;
  /** Address under which the gateway is reached. */
  baseUrl: () => string;
  /** Which of a partner's sites this is; undefined where the account has only one. */
  siteCard: (siteId: string) => EventSite | undefined;
  /** Lets webhooks go to the operator's own network too. */
  allowPrivateHosts: boolean;
  /** Version of the gateway. */
  version: string;
  log: Log;
  /** Certificates to trust in place of those that Node trusts. */
  ca?: string;
  resolve?: Resolve;
  /** Time limits run on wall time, also in a replay. */
  startTimer?: (ms: number, callback: () => void) => Cancel;
  wallNowMs?: () => number;
}

/** A site's webhook as its owner sees it. */
export interface WebhookView {
  url: string;
  secret: string;
  createdAt: Date;
  /** Three failures in a row, and nothing delivered since. */
  failing: boolean;
}

/**
 * Pushes events to the receivers that sites have registered (docs/spec/webhooks.md): signed, one attempt each, in order,
 * at most four at once.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #startTimer: (ms: number, callback: () => void) => Cancel;
  readonly #resolve: Resolve;
  readonly #registry: WebhookRegistry;
  readonly #history: DeliveryHistory;
  readonly #courier: WebhookDispatcher;
  /** Tests that are not answered yet, by site. */
  readonly #tests = new Map<string, Promise<Delivery>>();
  readonly #stops: Cancel[] = [];

  constructor(options: WebhooksOptions) {
    const { state, clock, documents, log, version, allowPrivateHosts, ca } = options;
    this.#options = options;
    this.#startTimer = options.startTimer ?? startWallTimer;
    this.#resolve = options.resolve ?? systemResolve;
    this.#registry = new WebhookRegistry(state, clock);
    this.#history = new DeliveryHistory(documents, (error) =>
      log.error({ err: error }, "The deliveries of a webhook could not be read from disk or written to it."),
    );
    this.#courier = new WebhookDispatcher({
      clock,
      registry: this.#registry,
      history: this.#history,
      sender: new Sender({
        version,
        allowPrivateHosts,
        resolve: this.#resolve,
        ca,
        startTimer: this.#startTimer,
        wallNowMs: options.wallNowMs ?? Date.now,
      }),
      startTimer: this.#startTimer,
      onTurn: () => this.#report(),
      log,
    });
  }

  /** Takes up events from now on; they are sent once `open` is called. */
  async start(): Promise<void> {
    const { bus } = this.#options;
    await this.#history.load(this.#registry.list().map(({ siteId }) => siteId));
    this.#report();
    this.#stops.push(
      subscribe(bus, {
        "forecast.updated": (run) => this.#onForecast(run),
        "plan.updated": (plan) => this.#onPlan(plan),
        "site.removed": ({ siteId }) => void this.#forget(siteId),
      }),
    );
  }

  /** Begins to send. To be called once the gateway serves: a receiver answers an event by asking for what is new. */
  open(): void {
    this.#courier.open();
  }

  /** Gives what is under way two seconds, then breaks it off; what it came to is on disk. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#courier.stop();
  }

  /** A site's webhook; undefined where none is registered. */
  get(siteId: string): WebhookView | undefined {
    const held = this.#registry.get(siteId);
    if (held === undefined) return undefined;
    const { url, secret, createdAt } = held;
    return { url, secret, createdAt: new Date(createdAt), failing: this.#history.isFailing(siteId) };
  }

  /** The last 50 deliveries of a site's webhook, the latest first. */
  deliveries(siteId: string): readonly Delivery[] {
    return this.#history.deliveries(siteId);
  }

  /**
   * Registers the URL of a site's receiver, or changes it; the secret is new only where there was none. Throws
   * WebhookInputError, StoreError.
   */
  async set(siteId: string, url: string): Promise<{ secret: string }> {
    const { allowPrivateHosts } = this.#options;
    this.#site(siteId);
    const parsed = parseReceiverUrl(url, allowPrivateHosts);
    const late = new AbortController();
    const cancel = this.#startTimer(RESOLVE_MS, () => late.abort());
    try {
      await checkReceiverName(parsed, { resolve: this.#resolve, allowPrivateHosts, signal: late.signal });
    } finally {
      cancel();
    }
    // It may have been removed while its name was looked up; a webhook of no site would never go away.
    this.#site(siteId);
    const { secret, isNewUrl } = await this.#registry.put(siteId, parsed.href);
    if (isNewUrl) await this.#history.forgive(siteId);
    this.#report();
    return { secret };
  }

  /** Puts a new secret in place of the old one, which signs nothing any more. Throws WebhookInputError, StoreError. */
  rotateSecret(siteId: string): Promise<{ secret: string }> {
    return this.#registry.rotate(siteId);
  }

  /** Forgets the webhook and its deliveries; what waits for it is not sent. Throws StoreError. */
  async remove(siteId: string): Promise<void> {
    await this.#registry.remove(siteId);
    await this.#forget(siteId);
  }

  /**
   * Sends the event `webhook.test` before all that waits, and resolves when that is done. Who asks while one is under way
   * gets its outcome. Throws WebhookInputError.
   */
  test(siteId: string): Promise<Delivery> {
    const { clock, sites } = this.#options;
    const underWay = this.#tests.get(siteId);
    if (underWay !== undefined) return underWay;
    const event = "webhook.test";
    const test = this.#courier
      .sendNow(siteId, event, () => ({
        event,
        issued_at: formatIso(clock.now(), sites.get(siteId)?.plant.timezone ?? VIENNA),
      }))
      .finally(() => this.#tests.delete(siteId));
    this.#tests.set(siteId, test);
    return test;
  }

  #site(siteId: string): Site {
    const site = this.#options.sites.get(siteId);
    if (site === undefined) throw new WebhookInputError("unknown_site", `There is no site "${siteId}".`);
    return site;
  }

  #onForecast(run: ForecastRun): void {
    const { clock, baseUrl, siteCard, sites } = this.#options;
    for (const { siteId } of this.#registry.list()) {
      const zone = sites.get(siteId)?.plant.timezone;
      // A plant that the configuration no longer names keeps its webhook, and hears nothing.
      if (zone === undefined) continue;
      this.#courier.send(siteId, {
        event: "forecast.updated",
        payload: () =>
          forecastUpdatedDocument(run, {
            issuedAt: clock.now(),
            zone,
            baseUrl: baseUrl(),
            site: siteCard(siteId),
          }),
      });
    }
  }

  #onPlan(plan: SitePlan): void {
    const { baseUrl, sites } = this.#options;
    const zone = sites.get(plan.siteId)?.plant.timezone;
    if (!plan.material || zone === undefined) return;
    this.#courier.send(plan.siteId, {
      event: "plant.plan_updated",
      payload: () => planUpdatedDocument(plan, { zone, baseUrl: baseUrl() }),
      // Of two plans that nobody has heard of, only the newer one is to be acted on.
      supersedes: true,
    });
  }

  async #forget(siteId: string): Promise<void> {
    this.#courier.drop(siteId);
    await this.#history.remove(siteId);
    this.#report();
  }

  #report(): void {
    const registered = this.#registry.list().map(({ siteId }) => siteId);
    const failing = registered.filter((siteId) => this.#history.isFailing(siteId)).length;
    const { components } = this.#options;
    if (failing === 0)
      components.report("webhooks", "ok", [{ code: "webhooks_ok", registered: registered.length }]);
    else
      components.report("webhooks", "degraded", [
        { code: "webhooks_failing", registered: registered.length, failing },
      ]);
  }
}

function startWallTimer(ms: number, callback: () => void): Cancel {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
