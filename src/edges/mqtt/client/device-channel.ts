import { randomBytes } from "node:crypto";
import type { LookupFunction } from "node:net";
import { filterMatches } from "../../../core/domain/mqtt-filter.js";
import type { Log } from "../../../core/log.js";
import type { ForeignBroker } from "../../../equipment/device-connection.js";
import { MqttConnection } from "./client.js";

type OnConnection = (isConnected: boolean) => void;
type OnMessage = (topic: string, payload: string, retained: boolean) => void;

/** Subscriptions of devices on one connection. */
export class DeviceSubscriptions {
  readonly #onFilters: () => void;
  readonly #subscribers = new Set<{ filters: readonly string[]; onMessage: OnMessage }>();
  readonly #watchers = new Set<{ filters: readonly string[]; onTopic: (topic: string) => void }>();
  /** Retained messages come once per subscription of the connection; later subscribers get them from here. */
  readonly #last = new Map<string, string>();
  readonly #listeners = new Set<OnConnection>();

  readonly #keepsLast: boolean;

  /** `onFilters` is called when the filters have changed. `keepsLast`: the broker is trusted not to invent topics. */
  constructor(onFilters: () => void, { keepsLast }: { keepsLast: boolean }) {
    this.#onFilters = onFilters;
    this.#keepsLast = keepsLast;
  }

  filters(): string[] {
    return [...this.#subscribers, ...this.#watchers].flatMap(({ filters }) => filters);
  }

  /** Calls `onTopic` with the topics that match; their payloads are not kept. */
  watch(filters: readonly string[], onTopic: (topic: string) => void): () => void {
    const watcher = { filters, onTopic };
    this.#watchers.add(watcher);
    this.#onFilters();
    return () => {
      this.#watchers.delete(watcher);
      this.#onFilters();
    };
  }

  subscribe(filters: readonly string[], onMessage: OnMessage): () => void {
    const subscriber = { filters, onMessage };
    this.#subscribers.add(subscriber);
    for (const [topic, payload] of this.#last)
      if (filters.some((filter) => filterMatches(filter, topic))) onMessage(topic, payload, true);
    this.#onFilters();
    return () => {
      this.#subscribers.delete(subscriber);
      for (const topic of this.#last.keys()) if (!this.#isWanted(topic)) this.#last.delete(topic);
      this.#onFilters();
    };
  }

  onConnection(listener: OnConnection): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The gateway's connection has begun, which brings retained messages again, or has ended. */
  connected(isConnected: boolean): void {
    if (!isConnected) this.#last.clear();
    for (const listener of this.#listeners) listener(isConnected);
  }

  received(topic: string, payload: Buffer, retained: boolean): void {
    for (const { filters, onTopic } of this.#watchers)
      if (filters.some((filter) => filterMatches(filter, topic))) onTopic(topic);
    if (!this.#isWanted(topic)) return;
    const text = payload.toString("utf8");
    if (this.#keepsLast) this.#last.set(topic, text);
    for (const { filters, onMessage } of this.#subscribers)
      if (filters.some((filter) => filterMatches(filter, topic))) onMessage(topic, text, retained);
  }

  #isWanted(topic: string): boolean {
    return [...this.#subscribers].some(({ filters }) =>
      filters.some((filter) => filterMatches(filter, topic)),
    );
  }
}

export interface ForeignConnectionOptions extends ForeignBroker {
  /** Refuses addresses that devices may not have. */
  lookup?: LookupFunction | undefined;
  log: Log;
}

/** A device publishes some values a second; a broker sends all retained ones that match at once. */
const LIMITS = { mostBytes: 256 * 1024, mostPackets: 5000 };

/** A connection of one actuator to another broker, with a last will that is not retained. */
export class ForeignConnection extends DeviceSubscriptions {
  readonly #connection: MqttConnection;

  constructor({ url, username, password, will, lookup, log }: ForeignConnectionOptions) {
    super(() => this.#connection.subscribeTo(this.filters()), { keepsLast: false });
    this.#connection = new MqttConnection({
      url,
      lookup,
      username: username === "" ? undefined : username,
      password: password === "" ? undefined : password,
      clientId: `hourgate-actuator-${randomBytes(6).toString("hex")}`,
      persistentSession: false,
      limits: LIMITS,
      will: will && { ...will, retain: false },
      subscriptions: [],
      onConnect: () => this.connected(true),
      onDisconnect: () => this.connected(false),
      onMessage: async (topic, payload, { retained }) => this.received(topic, payload, retained),
      log,
    });
    this.#connection.start();
  }

  get isConnected(): boolean {
    return this.#connection.isConnected;
  }

  publish(topic: string, payload: string): Promise<void> {
    return this.#connection.publish(topic, payload, { retain: false });
  }

  close(): Promise<void> {
    return this.#connection.stop({ leaveWill: false });
  }
}
