import type { Log } from "../log.js";

export interface PublishQueueOptions {
  /** Resolves when the broker has the message. */
  publish(
    topic: string,
    payload: string,
    options: { retain: boolean; correlation?: Buffer | undefined },
  ): Promise<void>;
  log: Log;
  /** Most messages (not values) that wait while the broker is away; the oldest go first. */
  maxMessages?: number;
}

type Entry = { topic: string; payload: string; retain: boolean; correlation?: Buffer | undefined };

/**
 * What the gateway has to say, in order and one at a time: a publish starts when the broker has acknowledged the one
 * before, for brokers lose retained messages that are overtaken. Values are retained: only a change is sent, a newer
 * one replaces one that still waits, and after each connect all of them are sent again. Messages are not
 * retained and each is sent once.
 */
export class PublishQueue {
  readonly #publish: PublishQueueOptions["publish"];
  readonly #log: Log;
  readonly #maxMessages: number;
  readonly #values = new Map<string, string>();
  /** Keyed by topic for values, by number for messages: insertion order is the order of sending. */
  readonly #waiting = new Map<string | number, Entry>();
  #messages = 0;
  #nextMessage = 0;
  /** Counts connections; a sender that belongs to a former one ends. */
  #connection = 0;
  #connected = false;
  #sending = false;
  #idle: (() => void)[] = [];

  constructor({ publish, log, maxMessages = 25_000 }: PublishQueueOptions) {
    this.#publish = publish;
    this.#log = log;
    this.#maxMessages = maxMessages;
  }

  /** A retained value; the empty text takes the topic away. */
  setValue(topic: string, payload: string): void {
    if (this.#values.get(topic) === payload) return;
    this.#values.set(topic, payload);
    // Back to the end of the line: what was set together, scalars and then their document, arrives in that order.
    this.#waiting.delete(topic);
    this.#waiting.set(topic, { topic, payload, retain: true });
    this.#start();
  }

  /** Sends a value once more, for a subscriber that asks for it. */
  repeatValue(topic: string): void {
    const payload = this.#values.get(topic);
    if (payload === undefined || payload === "") return;
    this.#waiting.delete(topic);
    this.#waiting.set(topic, { topic, payload, retain: true });
    this.#start();
  }

  /** Takes away all values whose topics begin so. */
  removeValues(topicStart: string): void {
    for (const topic of this.#values.keys()) if (topic.startsWith(topicStart)) this.setValue(topic, "");
  }

  /** `correlation` is the mark of a request that the message answers. */
  sendMessage(topic: string, payload: string, correlation?: Buffer): void {
    if (this.#messages >= this.#maxMessages) {
      for (const key of this.#waiting.keys()) {
        if (typeof key !== "number") continue;
        this.#waiting.delete(key);
        this.#messages--;
        this.#log.warn({ topic }, "Too many MQTT answers wait for the broker; the oldest is dropped.");
        break;
      }
    }
    this.#messages++;
    this.#waiting.set(this.#nextMessage++, { topic, payload, retain: false, correlation });
    this.#start();
  }

  /** The last value of all: values that still wait are dropped, messages go before it. */
  setLastValue(topic: string, payload: string): void {
    for (const key of this.#waiting.keys()) if (typeof key === "string") this.#waiting.delete(key);
    this.setValue(topic, payload);
  }

  /** The broker is there, and may have forgotten everything. */
  connected(): void {
    this.#connection++;
    this.#connected = true;
    this.#sending = false;
    for (const [topic, payload] of this.#values) {
      this.#waiting.delete(topic);
      this.#waiting.set(topic, { topic, payload, retain: true });
    }
    this.#start();
  }

  disconnected(): void {
    this.#connected = false;
    this.#settle();
  }

  /** Resolves when nothing waits, or nothing can be sent. */
  async flushed(): Promise<void> {
    if (!this.#connected || (this.#waiting.size === 0 && !this.#sending)) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #start(): void {
    if (this.#sending || !this.#connected) return;
    this.#sending = true;
    void this.#send(this.#connection);
  }

  async #send(connection: number): Promise<void> {
    for (;;) {
      if (connection !== this.#connection) return;
      const [next] = this.#waiting;
      if (next === undefined || !this.#connected) break;
      const [key, { topic, payload, retain, correlation }] = next;
      this.#waiting.delete(key);
      if (!retain) this.#messages--;
      try {
        await this.#publish(topic, payload, { retain, correlation });
      } catch (error) {
        // Values come again with the next connect.
        this.#log.debug({ topic, err: error }, "An MQTT message was not sent.");
      }
    }
    this.#sending = false;
    this.#settle();
  }

  #settle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
