import { FilterTree } from "../../../core/domain/filter-tree.js";
import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import type { BrokerConnection, PublishOptions, ReceivedMessage } from "../client/connection.js";
import type { Message } from "./message.js";
import type { RetainedMessages } from "./retained.js";

export interface EmbeddedConnectionOptions {
  /** Passes a message on; resolves when it is stored. */
  publish(message: Message): Promise<unknown> | undefined;
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
  readonly #tree = new FilterTree<string>();
  #filters = new Set<string>();
  #isOpen = true;
  readonly publishedAtOnce = MOST_PUBLISHED;

  constructor(options: EmbeddedConnectionOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isOpen;
  }

  async publish(
    topic: string,
    text: string | Buffer,
    { retain, correlation }: PublishOptions,
  ): Promise<void> {
    if (!this.#isOpen) throw new Error("not connected");
    const properties = correlation === undefined ? {} : { properties: { correlationData: correlation } };
    await this.#options.publish({ topic, payload: Buffer.from(text), qos: 1, retain, ...properties });
  }

  subscribeTo(filters: readonly string[]): void {
    const { log } = this.#options;
    const wanted = new Set(filters);
    const added = [...wanted].filter((filter) => !this.#filters.has(filter));
    for (const filter of this.#filters) if (!wanted.has(filter)) this.#tree.delete(filter, "");
    for (const filter of added) this.#tree.set(filter, "", filter);
    this.#filters = wanted;
    if (added.length > 0)
      this.#receiveRetained(added).catch((error: unknown) =>
        log.error({ err: error }, `Retained MQTT messages could not be read: ${errorMessage(error)}`),
      );
  }

  /** A message was published at the broker. */
  published({ topic, payload, properties }: Message): void {
    if (this.#tree.match(topic).length === 0) return;
    const { responseTopic, correlationData } = properties ?? {};
    const hasNoReply = responseTopic === undefined && correlationData === undefined;
    const replyTo = hasNoReply ? undefined : { topic: responseTopic, correlation: correlationData };
    this.#receive(topic, payload, { retained: false, replyTo });
  }

  /** Nothing is received or published any more. */
  close(): void {
    this.#isOpen = false;
  }

  async #receiveRetained(filters: readonly string[]): Promise<void> {
    const { retained } = this.#options;
    for await (const topic of retained.matching(filters)) {
      const message = retained.get(topic);
      if (message !== undefined)
        this.#receive(topic, message.payload, { retained: true, replyTo: undefined });
    }
  }

  #receive(topic: string, payload: Buffer, message: ReceivedMessage): void {
    if (!this.#isOpen) return;
    const { onMessage, log } = this.#options;
    onMessage(topic, Buffer.from(payload), message).catch((error: unknown) =>
      log.error({ topic, err: error }, "An MQTT message could not be handled."),
    );
  }
}
