import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import type { BrokerConnection, PublishOptions, ReceivedMessage } from "../client/connection.js";
import type { OrderedAedes } from "./ordered-aedes.js";
import type { RetainedMessages } from "./retained.js";

type Listener = Parameters<OrderedAedes["subscribe"]>[1];
type Delivered = Parameters<Listener>[0];

export interface EmbeddedConnectionOptions {
  aedes: OrderedAedes;
  retained: RetainedMessages;
  onMessage(topic: string, payload: Buffer, message: ReceivedMessage): Promise<void>;
  log: Log;
}

/** Most messages that are published at a time. */
const MOST_PUBLISHED = 16;

/**
 * The gateway's own connection to the embedded broker, without a socket and without limits. Messages are passed on in the
 * broker's order, before the broker acknowledges them to their sender.
 */
export class EmbeddedConnection implements BrokerConnection {
  readonly #options: EmbeddedConnectionOptions;
  readonly #listeners = new Map<string, Listener>();
  /** A message that several filters match is delivered once. */
  readonly #delivered = new WeakSet<Delivered>();
  #isOpen = true;
  readonly publishedAtOnce = MOST_PUBLISHED;

  constructor(options: EmbeddedConnectionOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isOpen;
  }

  publish(topic: string, payload: string, { retain }: PublishOptions): Promise<void> {
    if (!this.#isOpen) return Promise.reject(new Error("not connected"));
    return this.#options.aedes.publishOwn(topic, payload, retain);
  }

  subscribeTo(filters: readonly string[]): void {
    const { aedes, log } = this.#options;
    const wanted = new Set(filters);
    for (const [filter, listener] of this.#listeners) {
      if (wanted.has(filter)) continue;
      this.#listeners.delete(filter);
      aedes.unsubscribe(filter, listener, () => {});
    }
    const added = [...wanted].filter((filter) => !this.#listeners.has(filter));
    for (const filter of added) {
      // The broker removes a listener on the next turn: one that is added again must be another function.
      const listener: Listener = (packet, done) => {
        if (!this.#delivered.has(packet)) {
          this.#delivered.add(packet);
          this.#receive(packet.topic, packet.payload, false);
        }
        // The broker's parser is not re-entrant: a publish must not end while its packet is being read.
        queueMicrotask(done);
      };
      this.#listeners.set(filter, listener);
      aedes.subscribe(filter, listener, () => {});
    }
    if (added.length > 0)
      this.#receiveRetained(added).catch((error: unknown) =>
        log.error({ err: error }, `Retained MQTT messages could not be read: ${errorMessage(error)}`),
      );
  }

  /** Nothing is received or published any more. */
  close(): void {
    this.#isOpen = false;
  }

  async #receiveRetained(filters: readonly string[]): Promise<void> {
    for await (const { topic, payload } of this.#options.retained.stream(filters))
      if (payload.length > 0) this.#receive(topic, payload, true);
  }

  #receive(topic: string, payload: Buffer | string, retained: boolean): void {
    // A leading wildcard does not match the broker's own topics.
    if (!this.#isOpen || topic.startsWith("$")) return;
    const { onMessage, log } = this.#options;
    onMessage(topic, Buffer.from(payload), { retained, replyTo: undefined }).catch((error: unknown) =>
      log.error({ topic, err: error }, "An MQTT message could not be handled."),
    );
  }
}
