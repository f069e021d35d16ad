import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import type { DeliveryFault } from "./attempt.js";
import type { Delivery, DeliveryHistory } from "./history.js";
import { KeyedQueue } from "./keyed-queue.js";
import { notRegistered, type WebhookRegistry } from "./registrations.js";
import type { Sender } from "./sender.js";

/** Concurrent deliveries over all webhooks. */
const AT_ONCE = 4;
/** Waiting events per webhook; the oldest is dropped first. */
const WAITING_PER_SITE = 20;
/** Time that `stop` waits for deliveries in progress. */
const GRACE_MS = 2000;

/** The JSON body of an event. */
export interface Payload {
  event: string;
  issued_at: string | null;
}

/** An event for a site's receiver. */
export interface Dispatch {
  event: string;
  /** Called when the event is sent, because it contains the time of sending and the current base URL. */
  payload: () => Payload;
  /** Replaces a waiting event of the same kind and site. */
  supersedes?: boolean;
}

export interface WebhookDispatcherOptions {
  clock: Clock;
  registry: WebhookRegistry;
  history: DeliveryHistory;
  sender: Sender;
  accountOf(siteId: string): string;
  startTimer: (ms: number, callback: () => void) => Cancel;
  /** Called when a webhook starts failing or recovers. */
  onStateChanged: () => void;
  log: Log;
}

/** Sends events to receivers: one attempt each, in order per URL, at most four at once, accounts in turn; records the outcome. */
export class WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions;
  readonly #queue = new KeyedQueue({ atOnce: AT_ONCE, waitingPerOwner: WAITING_PER_SITE });

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
  }

  /** Starts sending. */
  start(): void {
    this.#queue.start();
  }

  /** Waits up to two seconds for deliveries in progress, then aborts them; their outcomes are on disk. */
  async stop(): Promise<void> {
    const { sender, history, startTimer } = this.#options;
    let cancel: Cancel = () => {};
    const grace = new Promise<void>((resolve) => {
      cancel = startTimer(GRACE_MS, resolve);
    });
    await Promise.race([this.#queue.idle(), grace]);
    cancel();
    this.#queue.stop();
    sender.stop();
    await this.#queue.idle();
    await history.flush();
  }

  /** Queues an event; does nothing if the site has no webhook. */
  send(siteId: string, { event, payload, supersedes = false }: Dispatch): void {
    const { registry, history, log } = this.#options;
    const held = registry.get(siteId);
    if (held === undefined) return;
    history.queued(siteId, event);
    this.#queue.add({
      key: held.url,
      owner: siteId,
      account: this.#options.accountOf(siteId),
      ...(supersedes && { supersedes: event }),
      run: async () => {
        try {
          await this.#deliver(siteId, payload());
        } catch (error) {
          log.error({ site: siteId, event, err: error }, "A webhook delivery could not be recorded.");
        }
      },
      dropped: (why) => {
        if (why === "superseded") history.replaced(siteId, event);
        if (why === "overflow") this.#record(siteId, this.#unsent(event, "overflow"));
        if (why === "stopped") this.#record(siteId, this.#unsent(event, "stopped"));
      },
    });
  }

  /** Sends an event ahead of those of its account; resolves with the outcome. Throws WebhookInputError. */
  sendNow(siteId: string, event: string, payload: () => Payload): Promise<Delivery> {
    const held = this.#options.registry.get(siteId);
    if (held === undefined) return Promise.reject(notRegistered(siteId));
    return new Promise((resolve, reject) => {
      const gone = () => reject(notRegistered(siteId));
      this.#queue.add({
        key: held.url,
        owner: siteId,
        account: this.#options.accountOf(siteId),
        urgent: true,
        run: () =>
          this.#deliver(siteId, payload()).then(
            (delivery) => (delivery === undefined ? gone() : resolve(delivery)),
            reject,
          ),
        dropped: (why) => (why === "removed" ? gone() : resolve(this.#unsent(event, "stopped"))),
      });
    });
  }

  /** Drops the waiting events of a site. */
  drop(siteId: string): void {
    this.#queue.removeOwner(siteId);
  }

  /** One recorded attempt; undefined when the webhook was removed in the meantime. */
  async #deliver(siteId: string, payload: Payload): Promise<Delivery | undefined> {
    const { registry, sender, clock } = this.#options;
    // Read again, because URL and secret may have changed since the event was queued.
    const held = registry.get(siteId);
    if (held === undefined) return undefined;
    const time = clock.now();
    const attempt = await sender.send({
      url: new URL(held.url),
      secret: held.secret,
      rawBody: JSON.stringify(payload),
    });
    const delivery = { time, event: payload.event, ...attempt };
    await this.#record(siteId, delivery);
    return delivery;
  }

  #unsent(event: string, code: Extract<DeliveryFault, "overflow" | "stopped">): Delivery {
    const message =
      code === "overflow"
        ? "Too many events waited for this receiver; the oldest one was not sent."
        : "The gateway was stopped before the event could be sent.";
    return { time: this.#options.clock.now(), event, status: null, durationMs: 0, error: { code, message } };
  }

  async #record(siteId: string, delivery: Delivery): Promise<void> {
    const { registry, history, onStateChanged, log } = this.#options;
    // Nothing is kept of a webhook that was removed during the delivery.
    if (registry.get(siteId) === undefined) return;
    const wasFailing = history.isFailing(siteId);
    const kept = history.add(siteId, delivery);
    const { event, status, durationMs, error } = delivery;
    const facts = { site: siteId, event, status, duration_ms: durationMs };
    if (error === null) log.info(facts, "Webhook delivered.");
    else log.warn(facts, `Webhook not delivered: ${error.message}`);
    if (history.isFailing(siteId) !== wasFailing) onStateChanged();
    await kept;
  }
}
