import type { Site, Sites } from "../../config/site.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import { type Resolve, systemResolve } from "../../core/net/resolve.js";
import { type Cancel, type Clock, startWallTimer } from "../../core/time/clock.js";
import { formatIso, VIENNA } from "../../core/time/zone.js";
import type { ForecastRun } from "../../forecast/price/forecast.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { DocumentArchive } from "../../store/archive.js";
import type { StateFile } from "../../store/state.js";
import { WebhookDispatcher } from "./dispatcher.js";
import type { EventDocuments, EventSite } from "./event-documents.js";
import { type Delivery, DeliveryHistory } from "./history.js";
import { WebhookInputError } from "./input-error.js";
import { checkReceiverName, parseReceiverUrl } from "./receiver-url.js";
import { WebhookRegistry } from "./registrations.js";
import { Sender, type SenderOptions } from "./sender.js";

/** Time limit for resolving the name at registration. */
const RESOLVE_MS = 3000;

export interface WebhooksOptions extends SenderOptions {
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  state: StateFile;
  documents: DocumentArchive;
  sites: Pick<Sites, "get">;
  events: EventDocuments;
  /** Base URL of the gateway. */
  baseUrl: () => string;
  /** Identifies the site in the payload of a partner's webhook; undefined if the account has only one site. */
  siteCard: (siteId: string) => EventSite | undefined;
  log: Log;
}

const FORECAST = "forecast.updated";
const PLAN = "plant.plan_updated";

/** What the events are about. */
export interface Latest {
  run(): ForecastRun | undefined;
  plan(siteId: string): SitePlan | undefined;
}

/** A site's webhook as shown to its owner. */
export interface WebhookView {
  url: string;
  secret: string;
  createdAt: Date;
  /** Three failures in a row without a success since. */
  failing: boolean;
}

/**
 * Sends events to the registered receivers (docs/spec/webhooks.md): signed, one attempt each, in order, at most four at
 * once.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #startTimer: (ms: number, callback: () => void) => Cancel;
  readonly #resolve: Resolve;
  readonly #registry: WebhookRegistry;
  readonly #history: DeliveryHistory;
  readonly #dispatcher: WebhookDispatcher;
  /** Tests in progress, by site. */
  readonly #tests = new Map<string, Promise<Delivery>>();
  readonly #stops: Cancel[] = [];

  constructor(options: WebhooksOptions) {
    const { state, clock, documents, log } = options;
    this.#options = options;
    this.#startTimer = options.startTimer ?? startWallTimer;
    this.#resolve = options.resolve ?? systemResolve;
    this.#registry = new WebhookRegistry(state, clock);
    this.#history = new DeliveryHistory(documents, (error) =>
      log.error({ err: error }, "The deliveries of a webhook could not be read from disk or written to it."),
    );
    this.#dispatcher = new WebhookDispatcher({
      clock,
      registry: this.#registry,
      history: this.#history,
      sender: new Sender(options),
      accountOf: (siteId) => options.sites.get(siteId)?.accountId ?? siteId,
      startTimer: this.#startTimer,
      onStateChanged: () => this.#report(),
      log,
    });
  }

  /** Queues events from now on; `open` starts sending. */
  async start(): Promise<void> {
    const { bus } = this.#options;
    await this.#history.load(this.#registry.list().map(({ siteId }) => siteId));
    this.#report();
    this.#stops.push(
      subscribe(bus, {
        "forecast.updated": (run) => {
          for (const { siteId } of this.#registry.list()) this.#sendForecast(siteId, run);
        },
        "plan.updated": (plan) => {
          if (plan.material) this.#sendPlan(plan);
        },
        "site.removed": ({ siteId }) => void this.#removeSite(siteId),
      }),
    );
  }

  /**
   * Starts sending, with `latest` also what a stop or a crash left unsent, as it is now. Call it once HTTP is served, because receivers
   * answer an event by requesting the new data.
   */
  open(latest?: Latest): void {
    for (const { siteId } of latest === undefined ? [] : this.#registry.list()) {
      const left = this.#history.takeLeft(siteId);
      const [run, plan] = [latest?.run(), latest?.plan(siteId)];
      if (run !== undefined && left.includes(FORECAST)) this.#sendForecast(siteId, run);
      if (plan !== undefined && left.includes(PLAN)) this.#sendPlan(plan);
    }
    this.#dispatcher.start();
  }

  /** Waits up to two seconds for deliveries in progress, then aborts them; their outcomes are on disk. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#dispatcher.stop();
  }

  /** A site's webhook; undefined if none is registered. */
  get(siteId: string): WebhookView | undefined {
    const held = this.#registry.get(siteId);
    if (held === undefined) return undefined;
    const { url, secret, createdAt } = held;
    return { url, secret, createdAt: new Date(createdAt), failing: this.#history.isFailing(siteId) };
  }

  /** The last 50 deliveries of a site's webhook, newest first. */
  deliveries(siteId: string): readonly Delivery[] {
    return this.#history.deliveries(siteId);
  }

  /**
   * Registers or changes the URL of a site's receiver; an existing secret is kept. Throws WebhookInputError,
   * StoreError.
   */
  async set(siteId: string, url: string): Promise<{ secret: string }> {
    const { allowPrivateHosts } = this.#options;
    this.#site(siteId);
    const parsed = parseReceiverUrl(url, allowPrivateHosts);
    const timeout = new AbortController();
    const cancel = this.#startTimer(RESOLVE_MS, () => timeout.abort());
    try {
      await checkReceiverName(parsed, { resolve: this.#resolve, allowPrivateHosts, signal: timeout.signal });
    } finally {
      cancel();
    }
    // The site may have been removed during the lookup.
    this.#site(siteId);
    const { secret, isNewUrl } = await this.#registry.put(siteId, parsed.href);
    if (isNewUrl) await this.#history.resetFailures(siteId);
    this.#report();
    return { secret };
  }

  /** Replaces the signing secret. Throws WebhookInputError, StoreError. */
  rotateSecret(siteId: string): Promise<{ secret: string }> {
    return this.#registry.rotate(siteId);
  }

  /** Removes the webhook, its deliveries and its waiting events. Throws StoreError. */
  async remove(siteId: string): Promise<void> {
    await this.#registry.remove(siteId);
    await this.#removeSite(siteId);
  }

  /**
   * Sends the event `webhook.test` ahead of other events of the account; resolves with the outcome. A call during a test gets the outcome
   * of that test. Throws WebhookInputError.
   */
  test(siteId: string): Promise<Delivery> {
    const { clock, sites } = this.#options;
    const running = this.#tests.get(siteId);
    if (running !== undefined) return running;
    const event = "webhook.test";
    const test = this.#dispatcher
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

  #sendForecast(siteId: string, run: ForecastRun): void {
    const { clock, events, baseUrl, siteCard, sites } = this.#options;
    const zone = sites.get(siteId)?.plant.timezone;
    // A plant that was removed from the configuration keeps its webhook but gets no events.
    if (zone === undefined) return;
    this.#dispatcher.send(siteId, {
      event: FORECAST,
      payload: () =>
        events.forecastUpdated(run, {
          issuedAt: clock.now(),
          zone,
          baseUrl: baseUrl(),
          site: siteCard(siteId),
        }),
    });
  }

  #sendPlan(plan: SitePlan): void {
    const { events, baseUrl, sites } = this.#options;
    const zone = sites.get(plan.siteId)?.plant.timezone;
    if (zone === undefined) return;
    this.#dispatcher.send(plan.siteId, {
      event: PLAN,
      payload: () => events.planUpdated(plan, { zone, baseUrl: baseUrl() }),
      // Only the newest unsent plan is of use.
      supersedes: true,
    });
  }

  async #removeSite(siteId: string): Promise<void> {
    this.#dispatcher.drop(siteId);
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
