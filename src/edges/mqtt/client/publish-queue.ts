import type { Log } from "../../../core/log.js";

export interface PublishQueueOptions {
  /** Resolves when the broker has the message. */
  publish(
    topic: string,
    payload: string,
    options: { retain: boolean; correlation?: Buffer | undefined },
  ): Promise<void>;
  /** Topics with the same key are published in order; the keys are served in turn. */
  keyOf(topic: string): string;
  /** Number of keys of which a message may be in progress at a time. */
  parallel(): number;
  log: Log;
  /** Most messages (not values) per key that wait while the broker is away; the oldest are dropped first. */
  maxMessages?: number;
}

interface Entry {
  topic: string;
  payload: string;
  retain: boolean;
  correlation?: Buffer | undefined;
}

/** What waits for one key. */
interface Line {
  /** Values by topic, messages by number; insertion order is the order of sending. */
  waiting: Map<string | number, Entry>;
  messages: number;
}

/**
 * The outgoing messages of the gateway, one of each key at a time: a publish starts when the broker has acknowledged the
 * previous one, because some brokers lose retained messages that are overtaken. With these not even messages of different
 * keys may be in progress together (`parallel`). The plants take turns, so that many answers to one plant do not delay the
 * others. Values are retained: only changes are sent, a newer value replaces a waiting one, and
 * after each connect all values are sent again. Messages are not retained and each is sent once.
 */
export class PublishQueue {
  readonly #options: PublishQueueOptions;
  readonly #maxMessages: number;
  #dropped = 0;
  /** Dropped since messages began to be dropped; 0: all fit. */
  #droppedNow = 0;
  readonly #values = new Map<string, string>();
  /** Keys with waiting entries, in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  #nextMessage = 0;
  /** Number of the connection; what is in progress on an earlier one does not count. */
  #connection = 0;
  #connected = false;
  /** Keys of which a message is in progress. */
  readonly #sending = new Set<string>();
  #idle: (() => void)[] = [];

  constructor(options: PublishQueueOptions) {
    this.#options = options;
    this.#maxMessages = options.maxMessages ?? 5_000;
  }

  /** Sets a retained value; an empty text removes the topic. */
  setValue(topic: string, payload: string): void {
    if (this.#values.get(topic) === payload) return;
    this.#values.set(topic, payload);
    this.#enqueueValue(topic, payload);
    this.#start();
  }

  /** Sends a value again, for a subscriber that asks for it. */
  repeatValue(topic: string): void {
    const payload = this.#values.get(topic);
    if (payload === undefined || payload === "") return;
    this.#enqueueValue(topic, payload);
    this.#start();
  }

  /** The value that was set last; undefined: none since the start. */
  value(topic: string): string | undefined {
    return this.#values.get(topic);
  }

  /** Forgets a value as if it had never been set; one that waits is not sent. */
  forgetValue(topic: string): void {
    this.#values.delete(topic);
    this.#lineOf(topic).waiting.delete(topic);
  }

  /** Removes all values whose topics begin with the text. */
  removeValues(topicStart: string): void {
    for (const topic of this.#values.keys()) if (topic.startsWith(topicStart)) this.setValue(topic, "");
  }

  /** `correlation` is the correlation data of the request that the message answers. */
  sendMessage(topic: string, payload: string, correlation?: Buffer): void {
    const line = this.#lineOf(topic);
    if (line.messages >= this.#maxMessages) {
      for (const key of line.waiting.keys()) {
        if (typeof key !== "number") continue;
        line.waiting.delete(key);
        line.messages--;
        this.#drop(topic);
        break;
      }
    }
    line.messages++;
    line.waiting.set(this.#nextMessage++, { topic, payload, retain: false, correlation });
    this.#start();
  }

  /** The messages (not values) that wait, how many may wait for one key, and how many were dropped since the start. */
  get usage(): { used: number; limit: number; refused: number } {
    let used = 0;
    for (const { messages } of this.#lines.values()) used += messages;
    return { used, limit: this.#maxMessages, refused: this.#dropped };
  }

  /** Sets the last value: waiting values are dropped, waiting messages are sent before it. */
  setLastValue(topic: string, payload: string): void {
    for (const { waiting } of this.#lines.values())
      for (const key of waiting.keys()) if (typeof key === "string") waiting.delete(key);
    this.setValue(topic, payload);
  }

  /** The broker is connected and may have lost all values. */
  connected(): void {
    this.#connection++;
    this.#connected = true;
    this.#sending.clear();
    for (const [topic, payload] of this.#values) this.#enqueueValue(topic, payload);
    this.#start();
  }

  disconnected(): void {
    this.#connected = false;
    this.#settle();
  }

  /** Resolves when nothing waits, or nothing can be sent. */
  async flushed(): Promise<void> {
    if (!this.#connected || (this.#lines.size === 0 && this.#sending.size === 0)) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Said when it begins and, with the number, when everything was sent. */
  #drop(topic: string): void {
    this.#dropped++;
    this.#droppedNow++;
    if (this.#droppedNow > 1) return;
    this.#options.log.warn(
      { topic },
      `More than ${this.#maxMessages} MQTT answers wait for the broker; the oldest are dropped.`,
    );
  }

  #reportDropped(): void {
    if (this.#droppedNow === 0) return;
    this.#options.log.warn(
      { dropped: this.#droppedNow },
      `${this.#droppedNow} MQTT answers were dropped because too many waited for the broker; it takes them again.`,
    );
    this.#droppedNow = 0;
  }

  #lineOf(topic: string): Line {
    const key = this.#options.keyOf(topic);
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = { waiting: new Map(), messages: 0 };
      this.#lines.set(key, line);
    }
    return line;
  }

  /** At the end of its line: values that are set together arrive in that order. */
  #enqueueValue(topic: string, payload: string): void {
    const { waiting } = this.#lineOf(topic);
    waiting.delete(topic);
    waiting.set(topic, { topic, payload, retain: true });
  }

  /** Starts what is next in turn; removes lines that are empty. */
  #start(): void {
    for (const [key, line] of this.#lines) {
      if (!this.#connected || this.#sending.size >= this.#options.parallel()) return;
      if (this.#sending.has(key)) continue;
      const [id] = line.waiting.keys();
      this.#lines.delete(key);
      if (id === undefined) continue;
      // Back to the end of the turns.
      this.#lines.set(key, line);
      void this.#send(key, line, id);
    }
  }

  async #send(key: string, line: Line, id: string | number): Promise<void> {
    const connection = this.#connection;
    const { topic, payload, retain, correlation } = line.waiting.get(id)!;
    line.waiting.delete(id);
    if (!retain) line.messages--;
    this.#sending.add(key);
    try {
      await this.#options.publish(topic, payload, { retain, correlation });
    } catch (error) {
      // Values are sent again after the next connect.
      this.#options.log.debug({ topic, err: error }, "An MQTT message was not sent.");
    }
    if (connection !== this.#connection) return;
    this.#sending.delete(key);
    this.#start();
    if (this.#sending.size > 0) return;
    if (this.#connected) this.#reportDropped();
    this.#settle();
  }

  #settle(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
