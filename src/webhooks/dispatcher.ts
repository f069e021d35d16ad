import type { Log } from "../log.js";
import type { Cancel, Clock } from "../time/clock.js";
import type { DeliveryFault } from "./attempt.js";
import type { Delivery, DeliveryHistory } from "./history.js";
import { KeyedQueue } from "./keyed-queue.js";
import { notRegistered, type WebhookRegistry } from "./registrations.js";
import type { Sender } from "./sender.js";

/** Deliveries under way at once, over all webhooks. */
const AT_ONCE = 4;
/** Events of one webhook that wait; the oldest gives way. */
const WAITING_PER_SITE = 20;
/** What waits at a stop may still be delivered for so long. */
const GRACE_MS = 2000;

/** An event as it goes out. */
export interface Payload {
  event: string;
  issued_at: string | null;
}

/** An event for a site's receiver. */
export interface Dispatch {
  event: string;
  /** Made when its turn has come: only then is it known when it is sent, and under which address the gateway serves. */
  payload: () => Payload;
  /** Takes the place of an event of the same kind and site that still waits. */
  supersedes?: boolean;
}

export interface WebhookDispatcherOptions {
  clock: Clock;
  registry: WebhookRegistry;
  history: DeliveryHistory;
  sender: Sender;
  startTimer: (ms: number, callback: () => void) => Cancel;
  /** Called when a webhook begins to fail, or recovers. */
  onTurn: () => void;
  log: Log;
}

/** Brings events to receivers: one attempt each, to each URL in order, at most four at once; writes down what came of it. */
export class WebhookDispatcher {
  readonly #options: WebhookDispatcherOptions;
  readonly #lanes = new KeyedQueue({ atOnce: AT_ONCE, waitingPerOwner: WAITING_PER_SITE });

  constructor(options: WebhookDispatcherOptions) {
    this.#options = options;
  }

  /** Begins to send. */
  open(): void {
    this.#lanes.open();
  }

  /** Gives what is under way two seconds, then breaks it off; what it came to is on disk. */
  async stop(): Promise<void> {
    const { sender, history, startTimer } = this.#options;
    let cancel: Cancel = () => {};
    const grace = new Promise<void>((resolve) => {
      cancel = startTimer(GRACE_MS, resolve);
    });
    await Promise.race([this.#lanes.idle(), grace]);
    cancel();
    this.#lanes.close();
    sender.stop();
    await this.#lanes.idle();
    await history.flush();
  }

  /** Sends an event when its turn has come; nothing where the site has no webhook. */
  send(siteId: string, { event, payload, supersedes = false }: Dispatch): void {
    const { registry, log } = this.#options;
    const held = registry.get(siteId);
    if (held === undefined) return;
    this.#lanes.add({
      lane: held.url,
      owner: siteId,
      ...(supersedes && { supersedes: event }),
      run: async () => {
        try {
          await this.#deliver(siteId, payload());
        } catch (error) {
          log.error({ site: siteId, event, err: error }, "A webhook event could not be written down.");
        }
      },
      forgotten: (why) => {
        if (why === "overflow") this.#record(siteId, this.#unsent(event, "overflow"));
        if (why === "closed") this.#record(siteId, this.#unsent(event, "stopped"));
      },
    });
  }

  /** Sends an event before all that waits, and resolves with what came of it. Throws WebhookInputError. */
  sendNow(siteId: string, event: string, payload: () => Payload): Promise<Delivery> {
    const held = this.#options.registry.get(siteId);
    if (held === undefined) return Promise.reject(notRegistered(siteId));
    return new Promise((resolve, reject) => {
      const gone = () => reject(notRegistered(siteId));
      this.#lanes.add({
        lane: held.url,
        owner: siteId,
        urgent: true,
        run: () =>
          this.#deliver(siteId, payload()).then(
            (delivery) => (delivery === undefined ? gone() : resolve(delivery)),
            reject,
          ),
        forgotten: (why) => (why === "dropped" ? gone() : resolve(this.#unsent(event, "stopped"))),
      });
    });
  }

  /** Forgets what waits for a site's receiver. */
  drop(siteId: string): void {
    this.#lanes.drop(siteId);
  }

  /** One attempt, recorded; undefined when the webhook is gone meanwhile. */
  async #deliver(siteId: string, payload: Payload): Promise<Delivery | undefined> {
    const { registry, sender, clock } = this.#options;
    // The registration of now, not of when the event came: the secret may be another one, and so may the URL.
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
    const { registry, history, onTurn, log } = this.#options;
    // Removed while it was under way: nothing of it is to stay.
    if (registry.get(siteId) === undefined) return;
    const wasFailing = history.isFailing(siteId);
    const kept = history.add(siteId, delivery);
    const { event, status, durationMs, error } = delivery;
    const facts = { site: siteId, event, status, duration_ms: durationMs };
    if (error === null) log.info(facts, "Webhook delivered.");
    else log.warn(facts, `Webhook not delivered: ${error.message}`);
    if (history.isFailing(siteId) !== wasFailing) onTurn();
    await kept;
  }
}
