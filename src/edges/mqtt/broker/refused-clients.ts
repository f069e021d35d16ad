import type { RefusedMqttClient } from "../../../core/domain/component-sentence.js";
import type { Log } from "../../../core/log.js";

/** How long a refusal is shown. */
const SHOWN_MS = 10 * 60_000;
const LOG_EVERY_MS = 60_000;
/** Clients that are remembered; the oldest are dropped first. */
const MAX_CLIENTS = 100;

interface Refused extends RefusedMqttClient {
  atMs: number;
}

export interface RefusedClientsOptions {
  onChange(): void;
  /** Unix milliseconds. */
  now(): number;
  log: Log;
}

/** The clients that the broker has refused lately because of their protocol, or a subscription. In memory only. */
export class RefusedClients {
  readonly #options: RefusedClientsOptions;
  /** The longest ago first. */
  readonly #clients = new Map<string, Refused>();
  readonly #loggedMs = new Map<string, number>();

  constructor(options: RefusedClientsOptions) {
    this.#options = options;
  }

  /** A client at the address speaks another version of the protocol. */
  protocol(address: string, level: number): void {
    const { log, now } = this.#options;
    this.#add(`protocol ${address}`, { name: address, level });
    if (now() - (this.#loggedMs.get(address) ?? Number.NEGATIVE_INFINITY) < LOG_EVERY_MS) return;
    this.#loggedMs.set(address, now());
    if (this.#loggedMs.size > MAX_CLIENTS) this.#loggedMs.delete(this.#loggedMs.keys().next().value!);
    log.warn(
      { address, level },
      `An MQTT client at ${address} was refused: it speaks protocol level ${level}; set it to MQTT 3.1.1 or 5.`,
    );
  }

  subscription(name: string, filter: string): void {
    this.#add(`subscription ${name}`, { name, filter });
  }

  /** Those of the last ten minutes. */
  recent(): (RefusedMqttClient & { at: Date })[] {
    const sinceMs = this.#options.now() - SHOWN_MS;
    for (const [key, { atMs }] of this.#clients) if (atMs < sinceMs) this.#clients.delete(key);
    return [...this.#clients.values()].map(({ atMs, ...client }) => ({ ...client, at: new Date(atMs) }));
  }

  #add(key: string, client: RefusedMqttClient): void {
    const { now, onChange } = this.#options;
    this.#clients.delete(key);
    this.#clients.set(key, { ...client, atMs: now() });
    if (this.#clients.size > MAX_CLIENTS) this.#clients.delete(this.#clients.keys().next().value!);
    onChange();
  }
}
