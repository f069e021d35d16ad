import { filterMatches } from "../../core/domain/mqtt-filter.js";
import { errorMessage } from "../../core/error-message.js";
import { DeviceError, type DeviceRequest, type DeviceSource } from "../command.js";
import { valueIn } from "../values.js";
import { type Evidence, Transport } from "./transport.js";

/** A connection to a broker: the gateway's own, or one to another broker. */
export interface DeviceChannel {
  readonly isConnected: boolean;
  /** Publishes with QoS 1, not retained; resolves with the acknowledgement. */
  publish(topic: string, payload: string): Promise<void>;
  /** Receives the messages on the topics until the returned function is called. */
  subscribe(
    filters: readonly string[],
    onMessage: (topic: string, payload: string, retained: boolean) => void,
  ): () => void;
  /** Calls the listener when the connection begins or ends, until the returned function is called. */
  onConnection(listener: (isConnected: boolean) => void): () => void;
  /** Ends a connection to another broker. */
  close?(): Promise<void>;
}

interface Message {
  payload: string;
  retained: boolean;
  /** Number of the message, counted from the start. */
  number: number;
  /** Of the last message that changed the value, and how many have. */
  changed: { number: number; count: number; retained: boolean };
}

/** The broker acknowledges within this time, or the command has failed. */
const PUBLISH_MS = 5_000;
/** An unanswered question is asked again after this time. */
const ASK_AGAIN_MS = 2_000;
const LARGEST_PAYLOAD = 64 * 1024;
/** Most topics of a device, for filters with wildcards, and most characters of all payloads. */
const MOST_TOPICS = 1000;
const MOST_CHARACTERS = 2 * 1024 * 1024;

/** A device that is commanded over MQTT. */
export class MqttTransport extends Transport {
  readonly #channel: DeviceChannel;
  readonly #filters: readonly string[];
  readonly #nowMs: () => number;
  readonly #messages = new Map<string, Message>();
  readonly #asked = new Map<string, { mark: number; atMs: number }>();
  /** Of all payloads. */
  #characters = 0;
  #listener = () => {};
  #unsubscribe = () => {};
  #count = 0;

  constructor(channel: DeviceChannel, filters: readonly string[], nowMs = () => performance.now()) {
    super();
    this.#nowMs = nowMs;
    this.#channel = channel;
    this.#filters = filters;
  }

  override async start(): Promise<void> {
    const unsubscribe = this.#channel.subscribe(this.#filters, (topic, payload, retained) => {
      if (payload.length > LARGEST_PAYLOAD) return;
      const before = this.#messages.get(topic);
      if (before === undefined && this.#messages.size >= MOST_TOPICS) return;
      const characters = this.#characters + payload.length - (before?.payload.length ?? 0);
      if (characters > MOST_CHARACTERS) return;
      this.#characters = characters;
      const number = ++this.#count;
      const changed =
        before?.payload === payload
          ? before.changed
          : { number, count: (before?.changed.count ?? 0) + 1, retained };
      this.#messages.set(topic, { payload, retained, number, changed });
      this.#listener();
    });
    const ignore = this.#channel.onConnection((isConnected) => {
      // What was known may change before the next connection, which brings retained messages again.
      if (!isConnected) {
        this.#messages.clear();
        this.#characters = 0;
      }
      this.#listener();
    });
    this.#unsubscribe = () => {
      unsubscribe();
      ignore();
    };
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#channel.close?.();
  }

  override mark(): number {
    return this.#count;
  }

  override onChange(listener: () => void): void {
    this.#listener = listener;
  }

  async send({ topic = "", payload = "" }: DeviceRequest, signal: AbortSignal): Promise<void> {
    if (!this.#channel.isConnected) throw new DeviceError("no_broker", "the MQTT broker is not connected");
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PUBLISH_MS)]);
    const ended = new Promise<never>((_, reject) =>
      limit.addEventListener("abort", () => reject(new Error("no acknowledgement")), { once: true }),
    );
    try {
      await Promise.race([this.#channel.publish(topic, payload), ended]);
    } catch (error) {
      throw new DeviceError("no_broker", `${topic}: ${errorMessage(error)}`);
    }
  }

  async read(source: DeviceSource, since: number, signal: AbortSignal): Promise<Evidence | undefined> {
    const { ask } = source;
    if (!this.#channel.isConnected) return undefined;
    if (ask !== undefined && (this.#last(source)?.number ?? -1) <= since) await this.#ask(ask, since, signal);
    const message = this.#last(source);
    if (message === undefined) return undefined;
    // A question is answered by a new message only; otherwise a retained value is known as long as it is not replaced.
    if (ask !== undefined && message.number <= since) return undefined;
    const value = valueIn(message.payload, source);
    if (value === undefined || source.ignore.includes(value)) return undefined;
    return { value, isNew: message.number > since && (!message.retained || source.retained) };
  }

  override values(source: DeviceSource): ReadonlyMap<string, string> {
    const { topic = "" } = source;
    const pattern = topic.split("/");
    const found = new Map<string, string>();
    for (const [name, { payload }] of this.#messages) {
      if (!filterMatches(topic, name)) continue;
      const levels = name.split("/");
      const key = pattern.flatMap((level, index) => (level === "+" ? [levels[index]!] : [])).join("/");
      const value = valueIn(payload, source);
      if (value !== undefined) found.set(key, value);
    }
    return found;
  }

  override get isConnected(): boolean {
    return this.#channel.isConnected;
  }

  override changes(source: DeviceSource): number | undefined {
    return this.#last(source)?.changed.count;
  }

  override isNewer(source: DeviceSource, than: DeviceSource): boolean {
    const [one, other] = [this.#last(source), this.#last(than)];
    return (
      one !== undefined &&
      (other === undefined || other.changed.retained || one.number > other.changed.number)
    );
  }

  #last({ topic = "", orTopic }: DeviceSource): Message | undefined {
    const [one, other] = [
      this.#messages.get(topic),
      orTopic === undefined ? undefined : this.#messages.get(orTopic),
    ];
    return (other?.number ?? -1) > (one?.number ?? -1) ? other : one;
  }

  async #ask(ask: { topic: string; payload: string }, since: number, signal: AbortSignal): Promise<void> {
    const key = `${ask.topic} ${ask.payload}`;
    const before = this.#asked.get(key);
    const nowMs = this.#nowMs();
    if (before !== undefined && before.mark === since && nowMs - before.atMs < ASK_AGAIN_MS) return;
    this.#asked.set(key, { mark: since, atMs: nowMs });
    await this.send({ topic: ask.topic, payload: ask.payload, pauseMs: 0 }, signal);
  }
}
