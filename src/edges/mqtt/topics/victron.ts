import { WhileConnected } from "./heartbeat.js";

const KEEPALIVE_MS = 30_000;
/** Protects against clients that publish invented names. */
const MAX_SYSTEMS = 32;
const SYSTEM = /^N\/([A-Za-z0-9_-]{1,64})\//;
/** Published by a GX device without a request; shows the id if a map has a wildcard in its place. */
const SERIAL = "N/+/system/0/Serial";

/**
 * Sends keep-alive requests to Victron GX devices, which stop publishing about a minute after the last
 * `R/<id>/keepalive`. The payload is empty, so that they send all values again and unchanged readings stay fresh.
 */
export class VictronKeepalive {
  readonly #filters: () => readonly string[];
  readonly #learnt = new Set<string>();
  readonly #ticker: WhileConnected;

  constructor(options: { filters(): readonly string[]; send(topic: string, payload: string): void }) {
    this.#filters = options.filters;
    this.#ticker = new WhileConnected(KEEPALIVE_MS, () => {
      for (const id of this.#systems()) options.send(`R/${id}/keepalive`, "");
    });
  }

  /** Filters to subscribe to besides the maps. */
  extraFilters(): string[] {
    return this.#isOpen() ? [SERIAL] : [];
  }

  /** Called with the topic of each message. A new system is requested immediately. */
  saw(topic: string): void {
    const id = SYSTEM.exec(topic)?.[1];
    if (id === undefined || !this.#isOpen() || this.#learnt.has(id) || this.#learnt.size >= MAX_SYSTEMS)
      return;
    this.#learnt.add(id);
    this.#ticker.connected();
  }

  connected(): void {
    this.#ticker.connected();
  }

  disconnected(): void {
    this.#ticker.disconnected();
  }

  #isOpen(): boolean {
    return this.#filters().some((filter) => filter.startsWith("N/+/"));
  }

  #systems(): Set<string> {
    const named = this.#filters().flatMap((filter) => SYSTEM.exec(filter)?.[1] ?? []);
    return new Set([...named, ...(this.#isOpen() ? this.#learnt : [])]);
  }
}
